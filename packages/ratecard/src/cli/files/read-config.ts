// Reads the author's files as one validated document: find, parse, merge, expand, validate. Works without a server. Reports all problems of
// all files at once, with their positions.
import { existsSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { codeFrame } from '../../document/files/code-frame.ts'
import { interpolate } from '../../document/files/interpolate.ts'
import { mergeFiles, placeIssues } from '../../document/files/merge-files.ts'
import type { BillingConfig } from '../../document/schema/schema.ts'
import { parseSource, type ParsedSource, type SourceLocation } from '../../document/files/source.ts'
import { validateConfig } from '../../document/validation/validate.ts'
import type { Issue } from '../../base/errors/issue.ts'
import { alteredValues } from '../../workers/project/env-files.ts'
import type { CommandContext } from '../program/command.ts'
import { redactVariables } from '../terminal/conceal.ts'
import { CliFailure, usageFailure } from '../failure.ts'
import type { CliIo } from '../terminal/io.ts'
import { findProject, readEnvironment, whyUnset, type Environment } from './project.ts'
import type { VariableOrigin } from '../views/variables.ts'
import { readText } from './read-text.ts'

/** An issue with its position in the author's files and a code frame. Both are absent if the position is unknown. */
export type FiledIssue = Issue & Partial<SourceLocation> & { readonly frame?: string }

/** One file, as written and with its variables expanded. */
export interface SourceFile {
  /** Absolute path. */
  readonly file: string
  /** Path for display, relative to the working directory. */
  readonly path: string
  /** Content on disk, including a byte order mark if there is one. */
  readonly text: string
  readonly document: unknown
  readonly expanded: unknown
}

export interface ReadConfig {
  /** The document with expanded variables; null if it has errors. */
  readonly config: BillingConfig | null
  /** The document with unexpanded variables (the source document); null if one of the files could not be read. */
  readonly written: object | null
  readonly errors: readonly FiledIssue[]
  readonly warnings: readonly FiledIssue[]
  /** Paths for display, relative to the working directory. */
  readonly files: readonly string[]
  readonly sources: readonly SourceFile[]
  readonly environment: Environment
  /** Variables that the document uses, sorted by name. Each has its origin (a file, or the process). */
  readonly variables: readonly VariableOrigin[]
  /** Adds file positions to issues that the server reports for the same document. */
  place(issues: readonly Issue[]): readonly FiledIssue[]
}

/** Origin of a variable that comes from the process, not from a file. */
export const processEnvironment = 'process environment'

/** Names of the variables that come from an environment file. */
export function namesFromFile(variables: readonly VariableOrigin[]): string[] {
  return variables.filter(({ from }) => from !== processEnvironment).map(({ name }) => name)
}

export function readConfig({
  args,
  options,
  global,
  io,
}: Pick<CommandContext, 'args' | 'options' | 'global' | 'io'>): ReadConfig {
  const project = findProject(io.cwd)
  const environment = readEnvironment(project, global)
  const read = findFiles(io, project, [...args, ...options.list('file')]).map((file) => {
    const text = readText(file)
    return { file, text, source: parseSource({ path: shownPath(io, file), text }) }
  })
  const sources = read.map(({ source }) => source)
  const lookup = variablesOf(io, environment)
  const about = {
    files: sources.map((source) => source.path),
    sources: read.map(({ file, text, source: { path: shown, document } }) => {
      return { file, path: shown, text, document, expanded: interpolate(document, lookup).value }
    }),
    environment,
  }
  const merged = mergeFiles(sources)
  const place = (issues: readonly Issue[]) => placeIssues(issues, merged.locate).map(codeFramer(sources))
  const ofFiles = merged.issues.map(codeFramer(sources))
  // If a file cannot be parsed, nothing else is checked. Otherwise every reference to an item in that file would be reported as a further
  // error.
  if (sources.some((source) => source.document === undefined))
    return { config: null, written: null, ...sortIssues(ofFiles), ...about, variables: [], place }

  const expanded = interpolate(merged.document, lookup, whyUnset(environment))
  redactVariables(io, expanded.used)
  const unset = new Set(expanded.issues.map((issue) => issue.pointer))
  const verdict = validateConfig(expanded.value)
  const ofDocument = [...verdict.errors, ...verdict.warnings].filter((issue) => !unset.has(issue.pointer))
  const used = [...expanded.used.keys()].filter((name) => sourceOf(io, environment, name) !== processEnvironment)
  const found = sortIssues([
    ...ofFiles,
    ...place([...expanded.issues, ...ofDocument]),
    ...alteredVariables(io, project, environment, used),
  ])
  const written = typeof merged.document === 'object' ? merged.document : null
  return {
    config: found.errors.length === 0 ? verdict.config : null,
    written,
    ...found,
    ...about,
    variables: [...expanded.used.keys()].sort().map((name) => ({ name, from: sourceOf(io, environment, name) })),
    place,
  }
}

/** Returns warnings for variables of the environment file whose value is not what is written there. They show no code frame. */
function alteredVariables(
  io: CliIo,
  project: string | null,
  { file, text }: Environment,
  names: readonly string[],
): readonly FiledIssue[] {
  if (project === null || file === null || text === null) return []
  const about = { code: 'variable_altered' as const, pointer: '#', path: shownPath(io, path.join(project, file)) }
  return alteredValues(text, new Set(names)).map((issue) => ({ ...about, ...issue }))
}

/** Returns the validated document. If it has errors, throws a failure that lists all of them. */
export function requireConfig(read: ReadConfig): BillingConfig {
  if (read.config !== null) return read.config
  const count = read.errors.length
  throw new CliFailure(1, {
    code: 'config_invalid',
    title: 'The configuration has errors',
    detail: `${count} ${count === 1 ? 'problem' : 'problems'} in ${read.files.join(', ')}.`,
    hint: 'Nothing was sent. Correct the files and try again.',
    errors: read.errors,
  })
}

/**
 * Registers the secrets of the environment for redaction. Commands that show documents of earlier pushes need this, because such a document
 * may contain secrets.
 */
export function redactEnvironment({ io, global }: Pick<CommandContext, 'io' | 'global'>): void {
  const environment = readEnvironment(findProject(io.cwd), global)
  redactVariables(io, variablesOf(io, environment))
}

function findFiles(io: CliIo, project: string | null, given: readonly string[]): string[] {
  if (given.length > 0) {
    // An empty name would resolve to the working directory, so refuse it.
    if (given.includes(''))
      throw usageFailure(
        'The name of a file is empty.',
        'Maybe a shell variable is not set. Name a file, or leave out the argument.',
      )
    const found = given.flatMap((name) => filesAt(path.resolve(io.cwd, name)))
    if (found.length === 0) throw noFiles(`No configuration file is in ${given.join(', ')}.`)
    return [...new Set(found)].sort()
  }
  if (project === null) throw noFiles(`There is no folder \`ratecard/\` in ${io.cwd} or above it.`)
  const folder = path.join(project, 'ratecard', 'billing')
  const found = existsSync(folder) ? filesAt(folder) : []
  if (found.length === 0) throw noFiles(`${shownPath(io, folder)} contains no .json, .jsonc, .yaml or .yml file.`)
  return found.sort()
}

function filesAt(name: string): string[] {
  if (!existsSync(name))
    throw new CliFailure(1, {
      code: 'file_not_found',
      title: 'There is no such file',
      detail: `${name} does not exist.`,
    })
  return statSync(name).isDirectory() ? configurationFiles(name) : [name]
}

/** Returns the absolute paths of all configuration files in a folder and its subfolders: `.json`, `.jsonc`, `.yaml` and `.yml`. */
export function configurationFiles(name: string): string[] {
  return readdirSync(name, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(jsonc?|ya?ml)$/i.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => !/(^|[\\/])(node_modules|\.[^\\/]+)[\\/]/.test(path.relative(name, file)))
}

function noFiles(detail: string): CliFailure {
  return new CliFailure(1, {
    code: 'file_not_found',
    title: 'There is no configuration',
    detail,
    hint: 'Create a project with `ratecard init`, or name the files: `ratecard billing validate billing.json`.',
  })
}

/** Returns all variables by name. A variable of the process overrides that of the environment file, even with an empty value. */
function variablesOf(io: CliIo, environment: Environment): ReadonlyMap<string, string> {
  const own = Object.entries(io.env).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return new Map([...environment.variables, ...own])
}

function sourceOf(io: CliIo, { file }: Environment, name: string): string {
  return io.env[name] !== undefined || file === null ? processEnvironment : file.replaceAll('\\', '/')
}

function shownPath(io: CliIo, file: string): string {
  const relative = path.relative(io.cwd, file)
  return (relative.startsWith('..') ? file : relative).replaceAll('\\', '/')
}

function codeFramer(sources: readonly ParsedSource[]) {
  const texts = new Map(sources.map((source) => [source.path, source.text]))
  return (issue: Issue & Partial<SourceLocation>): FiledIssue => {
    const text = issue.path === undefined ? undefined : texts.get(issue.path)
    if (text === undefined || issue.line === undefined || issue.column === undefined) return issue
    return { ...issue, frame: codeFrame(text, issue.line, issue.column) }
  }
}

function sortIssues(issues: readonly FiledIssue[]): { errors: readonly FiledIssue[]; warnings: readonly FiledIssue[] } {
  const order = (issue: FiledIssue) => [issue.path ?? '', issue.line ?? 0, issue.column ?? 0] as const
  const inOrder = issues.toSorted((a, b) => {
    const [pathA, lineA, columnA] = order(a)
    const [pathB, lineB, columnB] = order(b)
    return (pathA < pathB ? -1 : pathA > pathB ? 1 : 0) || lineA - lineB || columnA - columnB
  })
  return {
    errors: inOrder.filter(({ severity }) => severity === 'error'),
    warnings: inOrder.filter(({ severity }) => severity === 'warning'),
  }
}
