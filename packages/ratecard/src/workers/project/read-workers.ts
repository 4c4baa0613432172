// Reads the workers of a project from disk: their folders, their manifests and the environment file. All issues have positions. Never
// bundles a worker and never calls a server.
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { placeOfVariable, workerEnvironment } from './env-files.ts'
import type { BundleIssue } from './bundle.ts'
import { decodeText, utf8Hint } from '../../base/utf8.ts'
import { parseManifest, type Manifest } from './manifest.ts'
import { manifestsIn } from './worker-folders.ts'

export interface WorkerIssue {
  readonly code: 'worker_manifest' | 'worker_environment' | 'worker_bundle' | 'worker_types'
  readonly severity: 'error' | 'warning'
  readonly detail: string
  readonly hint?: string
  /** Absolute path of the file with the issue. */
  readonly file: string
  readonly line?: number
  readonly column?: number
}

export interface WorkerSource {
  /** Absolute path of the worker's folder. */
  readonly folder: string
  /** Absolute path of its manifest. */
  readonly file: string
  readonly manifest: Manifest
  /** Variables of the environment file; they override `[vars]` of the same name. */
  readonly variables: ReadonlyMap<string, string>
}

export interface ReadWorkers {
  /** Workers that have no error. */
  readonly workers: readonly WorkerSource[]
  readonly issues: readonly WorkerIssue[]
}

export interface EnvironmentFile {
  /** Absolute path of the environment file. */
  readonly path: string
  /** Content of the file; null if the file does not exist. */
  readonly text: string | null
  /** Variables that still have the placeholder value of the example file, with their lines. They are treated as undefined. */
  readonly untouched?: ReadonlyMap<string, number>
}

/** Reads the workers with the given names (of the manifest or of the folder), or all workers if `names` is empty. */
export function readWorkers(
  folders: readonly string[],
  names: readonly string[],
  environment: EnvironmentFile,
  now: number,
): ReadWorkers & { readonly unknown: readonly string[]; readonly known: readonly string[] } {
  const read = folders.map((folder) => readWorker(folder, environment, now))
  const isNamed = ({ name, folder }: (typeof read)[number], wanted: string) =>
    name === wanted || path.basename(folder) === wanted
  const chosen = names.length === 0 ? read : read.filter((item) => names.some((name) => isNamed(item, name)))
  const ofEnvironment = chosen.length === 0 ? [] : environmentIssues(environment)
  return {
    workers: chosen.flatMap(({ worker }) => (worker === null ? [] : [worker])),
    issues: [...ofEnvironment, ...chosen.flatMap(({ issues }) => issues), ...duplicateWorkers(read)],
    unknown: names.filter((name) => !read.some((item) => isNamed(item, name))),
    known: read.map(({ name, folder }) => name ?? path.basename(folder)),
  }
}

interface ReadWorker {
  readonly folder: string
  readonly file: string
  readonly name: string | null
  readonly worker: WorkerSource | null
  readonly issues: readonly WorkerIssue[]
}

function readWorker(folder: string, environment: EnvironmentFile, now: number): ReadWorker {
  const [file = path.join(folder, 'wrangler.toml'), ...shadowed] = manifestsIn(folder)
  const { text, problem } = decodeText(readFileSync(file))
  if (problem !== null) {
    const issue = { code: 'worker_manifest', severity: 'error', file, line: 1, column: 1 } as const
    const detail = `${path.basename(file)} ${problem}`
    return { folder, file, name: null, worker: null, issues: [{ ...issue, detail, hint: utf8Hint }] }
  }
  const { manifest, issues } = parseManifest(text, file, { now })
  const found: WorkerIssue[] = issues.map(({ path: _, ...issue }) => ({ ...issue, code: 'worker_manifest', file }))
  for (const other of shadowed)
    found.push({
      ...{ code: 'worker_manifest', severity: 'warning', file: other, line: 1, column: 1 },
      detail: `This file is not read, because ${path.basename(file)} lies beside it.`,
      hint: 'Remove one of them.',
    })
  if (manifest === null) return { folder, file, name: null, worker: null, issues: found }
  const given = workerEnvironment(environment.text ?? '', environment.untouched).variables
  const { variables, withheld } = withoutCredentials(given, manifest)
  for (const name of withheld)
    found.push({
      ...{ code: 'worker_environment', severity: 'warning', file: environment.path },
      ...placeOfVariable(environment.text ?? '', name),
      detail: `${name} is not given to the worker "${manifest.name}".`,
      hint:
        name === serviceKeyName
          ? `To give the worker its own key, set ratecard.service_key to "read" in ${path.basename(file)}.`
          : `If the worker needs it, name it in the list secrets.required of ${path.basename(file)}.`,
    })
  for (const { name, line, column } of manifest.requiredSecrets) {
    if ((variables.get(name) ?? '') !== '' || (name === serviceKeyName && manifest.serviceKey !== null)) continue
    const detail = `${name} is required, but ${path.basename(environment.path)} does not define it.`
    const hint = `Add a line ${name}=… to ${environment.path}.`
    found.push({ code: 'worker_environment', severity: 'error', file, line, column, detail, hint })
  }
  const entry = path.resolve(folder, manifest.main)
  if (!isInside(projectOf(folder), entry))
    found.push({
      ...{ code: 'worker_manifest', severity: 'error', file, line: 1, column: 1 },
      detail: `The entry file "${manifest.main}" is outside the project.`,
      hint: 'Set "main" to a file of the project. Other code can be imported as a package.',
    })
  else if (!existsSync(entry))
    found.push({
      ...{ code: 'worker_manifest', severity: 'error', file, line: 1, column: 1 },
      detail: `The entry file "${manifest.main}" does not exist.`,
      hint: `"main" is relative to the folder of ${path.basename(file)}.`,
    })
  const whole = !found.some(({ severity }) => severity === 'error')
  const worker = whole ? { folder, file, manifest, variables } : null
  return { folder, file, name: manifest.name, worker, issues: found }
}

const serviceKeyName = 'RATECARD_SERVICE_KEY'

/** Variables with which a worker could control the service, its store or the Stripe account. */
const credentials = [serviceKeyName, 'RATECARD_MASTER_KEY', 'STRIPE_SECRET_KEY', 'STRIPE_API_KEY']

/** Returns the variables without {@link credentials}, except those that the manifest lists under `[secrets] required`. */
function withoutCredentials(
  given: ReadonlyMap<string, string>,
  { requiredSecrets, serviceKey }: Manifest,
): { readonly variables: ReadonlyMap<string, string>; readonly withheld: readonly string[] } {
  const named = new Set(requiredSecrets.map(({ name }) => name))
  const withheld = [...given.keys()].filter((name) => credentials.includes(name) && !named.has(name))
  return {
    variables: new Map([...given].filter(([name]) => !withheld.includes(name))),
    // A withheld service key is not reported if the worker gets a service key of its own.
    withheld: withheld.filter((name) => given.get(name) !== '' && (name !== serviceKeyName || serviceKey === null)),
  }
}

/**
 * Returns the project folder of the worker in `folder`, i.e. the folder that contains `ratecard/workers`. A worker outside
 * `ratecard/workers` is a project of its own.
 */
function projectOf(folder: string): string {
  const isWorkers = (place: string) =>
    path.basename(place) === 'workers' && path.basename(path.dirname(place)) === 'ratecard'
  const workers = isWorkers(folder) ? folder : path.dirname(folder)
  return isWorkers(workers) ? path.dirname(path.dirname(workers)) : folder
}

/** True if `file` is inside `folder` after symbolic links are resolved. */
function isInside(folder: string, file: string): boolean {
  const real = (place: string) => (existsSync(place) ? realpathSync(place) : place)
  const within = (outer: string, inner: string) => inner.startsWith(outer.endsWith(path.sep) ? outer : outer + path.sep)
  return (
    within(folder, file) && within(real(folder), existsSync(file) ? realpathSync(file) : path.join(real(folder), 'x'))
  )
}

function environmentIssues({ path: file, text, untouched }: EnvironmentFile): WorkerIssue[] {
  if (text === null) return []
  return workerEnvironment(text, untouched).issues.map((issue) => ({ ...issue, code: 'worker_environment', file }))
}

function duplicateWorkers(read: readonly ReadWorker[]): WorkerIssue[] {
  return read.flatMap(({ name, file }, index) => {
    const first = read.findIndex((other) => other.name === name)
    if (name === null || first === index) return []
    return [
      {
        ...{ code: 'worker_manifest', severity: 'error', file, line: 1, column: 1 },
        detail: `The name "${name}" is also that of the worker in ${path.basename(read[first]?.folder ?? '')}.`,
        hint: 'Give each worker a different name.',
      } satisfies WorkerIssue,
    ]
  })
}

/** Converts the issues of a bundle to worker issues, with absolute file paths. */
export function placeBundleIssues(worker: WorkerSource, issues: readonly BundleIssue[]): WorkerIssue[] {
  return issues.map(({ file, ...issue }) => ({
    ...issue,
    code: 'worker_bundle',
    file: path.resolve(worker.folder, file ?? worker.manifest.main),
  }))
}
