import { existsSync } from 'node:fs'
import path from 'node:path'
import { systemClock } from '../../../base/clock.ts'
import { codeFrame } from '../../../document/files/code-frame.ts'
import { bundleWorker, type WorkerBundle } from '../../../workers/project/bundle.ts'
import { placeBundleIssues, readWorkers } from '../../../workers/project/read-workers.ts'
import type { EnvironmentFile, WorkerIssue, WorkerSource } from '../../../workers/project/read-workers.ts'
import { findWorkerFolders, strayFolders } from '../../../workers/project/worker-folders.ts'
import type { CommandContext, EnvironmentName } from '../../program/command.ts'
import { CliFailure } from '../../failure.ts'
import { defaultEnvironment, environmentFile, findProject, readEnvironment } from '../../files/project.ts'
import { readText } from '../../files/read-text.ts'
import type { ViewedIssue } from '../../views/issues.ts'

export interface WorkersOnDisk {
  readonly project: string
  readonly environment: EnvironmentFile & { readonly name: EnvironmentName }
  readonly workers: readonly WorkerSource[]
  /** Issues of the workers. In the result of {@link requireWorkers} they are only warnings, because it throws on errors. */
  readonly issues: readonly WorkerIssue[]
}

/** Reads the named workers, or all workers if no name is given. Errors in the workers are returned as issues, not thrown. */
export function readProjectWorkers(context: CommandContext, names: readonly string[]): WorkersOnDisk {
  const { io, global } = context
  const project = findProject(io.cwd)
  const folders = project === null ? [] : findWorkerFolders(project)
  const stray = project === null ? [] : strayFolders(project)
  if (project === null || folders.length === 0)
    throw new CliFailure(1, {
      code: 'file_not_found',
      title: 'There is no worker',
      detail:
        project === null
          ? `There is no folder \`ratecard/\` in ${io.cwd} or above it.`
          : `No wrangler.toml, wrangler.json or wrangler.jsonc is in ${path.join(project, 'ratecard', 'workers')} or in a folder below it.`,
      hint:
        stray[0] === undefined
          ? 'Create a project with `ratecard init`.'
          : `${shownPath(io.cwd, stray[0].file)}: ${stray[0].detail} ${stray[0].hint}`,
    })
  const name = global.environment ?? defaultEnvironment
  const file = path.join(project, environmentFile(name))
  const { text, untouched } = readEnvironment(project, global)
  if (text === null) requireNoFile(file, global.environment !== null)
  const environment = { name, path: file, text, untouched }
  const read = readWorkers(folders, names, environment, systemClock.now())
  if (read.unknown.length > 0)
    throw new CliFailure(1, {
      code: 'worker_not_found',
      title: 'There is no such worker',
      detail: `No worker of this project is called "${read.unknown.join('", "')}".`,
      hint: `Its workers: ${read.known.join(', ')}.`,
    })
  const overlooked = stray.map((one) => ({ code: 'worker_manifest', severity: 'warning', ...one }) as const)
  return { project, environment, workers: read.workers, issues: [...overlooked, ...read.issues] }
}

/** Called if the environment file is missing. Throws if `--env` was given or an example file exists, because then the file is needed. */
function requireNoFile(file: string, asked: boolean): void {
  const example = `${file}.example`
  if (!asked && !existsSync(example)) return
  throw new CliFailure(1, {
    code: 'file_not_found',
    title: 'The environment file is missing',
    detail: `${file} does not exist. Environment files are not kept in version control.`,
    hint: existsSync(example)
      ? `Start from the example: cp ${example} ${file}`
      : 'Create the file, with a line NAME=value for each variable.',
  })
}

export interface BundledWorker extends WorkerSource {
  readonly bundle: WorkerBundle
}

/** Reads, checks and bundles workers. Throws one failure that lists all errors of all workers. */
export async function requireWorkers(
  context: CommandContext,
  names: readonly string[],
): Promise<Omit<WorkersOnDisk, 'workers'> & { readonly workers: readonly BundledWorker[] }> {
  const read = readProjectWorkers(context, names)
  const issues: WorkerIssue[] = [...read.issues]
  const workers: BundledWorker[] = []
  for (const worker of read.workers) {
    const { bundle, issues: found } = await bundleWorker({
      entry: worker.manifest.main,
      workingDirectory: worker.folder,
    })
    issues.push(...placeBundleIssues(worker, found))
    if (bundle !== null) workers.push({ ...worker, bundle })
  }
  failOnErrors(context, issues)
  return { ...read, workers, issues }
}

export function failOnErrors(context: Pick<CommandContext, 'io'>, issues: readonly WorkerIssue[]): void {
  const errors = issues.filter(({ severity }) => severity === 'error')
  if (errors.length === 0) return
  throw new CliFailure(1, {
    code: 'worker_invalid',
    title: errors.length === 1 ? 'The worker has an error' : 'The workers have errors',
    detail: `${errors.length} ${errors.length === 1 ? 'problem' : 'problems'}. Nothing was sent.`,
    errors: viewIssues(context, errors),
  })
}

/** Converts issues for display: paths become relative to the working directory, and errors get a code frame. */
export function viewIssues(
  { io }: Pick<CommandContext, 'io'>,
  issues: readonly WorkerIssue[],
): (ViewedIssue & { readonly path: string })[] {
  const texts = new Map<string, string | null>()
  const textOf = (file: string): string | null => {
    if (!texts.has(file)) texts.set(file, existsSync(file) ? readText(file) : null)
    return texts.get(file) ?? null
  }
  return issues.map(({ file, ...issue }) => {
    const { line, column, code } = issue
    // No code frame is shown for environment files, because a line may contain a secret, and none for warnings, because they are shown in
    // one line.
    const shown = issue.severity === 'error' && !path.basename(file).startsWith('.env.')
    const text = shown && line !== undefined ? textOf(file) : null
    const frame = text === null || line === undefined ? {} : { frame: codeFrame(text, line, column ?? 1) }
    return { ...issue, code, pointer: '#', path: shownPath(io.cwd, file), ...frame }
  })
}

export function shownPath(cwd: string, file: string): string {
  const relative = path.relative(cwd, file)
  return (relative.startsWith('..') ? file : relative).replaceAll('\\', '/')
}

/** Returns the names of the variables in a worker's `env`, sorted. */
export function variableNames({ manifest, variables }: WorkerSource): string[] {
  return [...new Set([...Object.keys(manifest.vars), ...variables.keys()])].sort()
}
