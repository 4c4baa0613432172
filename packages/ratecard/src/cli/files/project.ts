import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { parseEnvFile, placeholderHint, placeholdersIn } from '../../workers/project/env-files.ts'
import { environmentPattern, type EnvironmentName, type GlobalOptions } from '../program/command.ts'
import { CliFailure } from '../failure.ts'
import type { CliIo } from '../terminal/io.ts'
import { readText } from './read-text.ts'

/** Returns the nearest folder that contains `ratecard/`, from `cwd` upward; null if there is none. */
export function findProject(cwd: string): string | null {
  for (let folder = path.resolve(cwd); ; folder = path.dirname(folder)) {
    // A folder that is only named `ratecard` (e.g. a checkout of this repository) is not a project.
    const parts = ['billing', 'workers', 'environments'].map((part) => path.join(folder, 'ratecard', part))
    if (parts.some((part) => existsSync(part))) return folder
    if (path.dirname(folder) === folder) return null
  }
}

/** Environment that a command uses without `--env`. */
export const defaultEnvironment = 'dev'
/** Environments that `init` creates. Any other environment exists once it has a file. */
const usualEnvironments: readonly EnvironmentName[] = ['production', 'staging', defaultEnvironment]

export interface Environment {
  readonly name: EnvironmentName
  /** Path of the environment file relative to the project; null if the file does not exist. */
  readonly file: string | null
  /** Content of the file; null if it does not exist. */
  readonly text: string | null
  /** Variables of the file, without those that are still placeholders of `init`. */
  readonly variables: ReadonlyMap<string, string>
  /** Variables that still are placeholders of `init`, with their line numbers. They count as unset. */
  readonly untouched: ReadonlyMap<string, number>
}

/**
 * Reads the environment that `--env` names; without `--env` it is `dev`. For environments that `init` creates, the file may be missing,
 * because variables can also come from the process. Any other name without an environment file or example file fails with
 * `environment_incomplete`.
 */
export function readEnvironment(project: string | null, global: Pick<GlobalOptions, 'environment'>): Environment {
  const name = global.environment ?? defaultEnvironment
  const file = environmentFile(name)
  const absolute = project === null ? null : path.join(project, file)
  if (absolute === null || !existsSync(absolute)) {
    const none: Environment = { name, file: null, text: null, variables: new Map(), untouched: new Map() }
    if (!isEnvironmentOf(project, name)) throw environmentIncomplete(project, none)
    return none
  }
  const text = readText(absolute)
  const untouched = placeholdersIn(text)
  const variables = new Map([...parseEnvFile(text)].filter(([variable]) => !untouched.has(variable)))
  return { name, file, text, variables, untouched }
}

/** Returns the path of an environment's file, relative to the project. */
export function environmentFile(name: EnvironmentName): string {
  return path.join('ratecard', 'environments', `.env.${name}`)
}

/** Returns the failure for an environment whose server address is unknown. It is thrown before anything is read or sent. */
export function environmentIncomplete(project: string | null, { name, file, untouched }: Environment): CliFailure {
  const place = environmentFile(name)
  const known = environmentsOf(project)
  const example = project !== null && existsSync(path.join(project, `${place}.example`))
  const why =
    file === null
      ? `There is no ${place}${project === null ? ' here' : ''}, and the shell does not set RATECARD_API_URL.`
      : untouched.has('RATECARD_API_URL')
        ? whyPlaceholder({ file, untouched }, 'RATECARD_API_URL').detail
        : `${file} does not set RATECARD_API_URL, and the shell does not either.`
  const others = file === null && known.length > 0 ? ` Environments of this project: ${known.join(', ')}.` : ''
  const start =
    file === null && example ? `Start from the example, \`cp ${place}.example ${place}\`, and write` : 'Write'
  return new CliFailure(1, {
    code: 'environment_incomplete',
    title: isEnvironmentOf(project, name) ? 'The address of an environment is missing' : 'There is no such environment',
    detail: `${why}${others} Nothing was sent.`,
    hint: `${start} RATECARD_API_URL and RATECARD_SERVICE_KEY of ${name} into ${place}. The server on this machine is at http://127.0.0.1:4242, unless RATECARD_PORT is set; its key is found there.`,
  })
}

/**
 * Returns a function that explains why a variable in the environment file counts as unset. For a variable that is set, the function returns
 * undefined.
 */
export function whyUnset(environment: Pick<Environment, 'file' | 'untouched'>) {
  return (name: string) => (environment.untouched.has(name) ? whyPlaceholder(environment, name) : undefined)
}

function whyPlaceholder({ file, untouched }: Pick<Environment, 'file' | 'untouched'>, name: string) {
  const place = `line ${untouched.get(name) ?? '?'} of ${file ?? 'the environment file'}`
  return {
    detail: `The variable ${name} counts as not set: ${place} is still the line of the example file, as \`init\` wrote it.`,
    hint: placeholderHint,
  }
}

/** True for the three environments that `init` creates, and for every name with an environment file or an example of one. */
function isEnvironmentOf(project: string | null, name: EnvironmentName): boolean {
  return usualEnvironments.includes(name) || environmentsOf(project).includes(name)
}

/** Returns the names of environments that have a file or an example, sorted. */
function environmentsOf(project: string | null): EnvironmentName[] {
  const folder = project === null ? null : path.join(project, 'ratecard', 'environments')
  if (folder === null || !existsSync(folder)) return []
  const names = readdirSync(folder).flatMap((file) => /^\.env\.(.+?)(?:\.example)?$/.exec(file)?.[1] ?? [])
  return [...new Set(names)].filter((name) => environmentPattern.test(name)).sort()
}

/**
 * Returns a variable of the process or, if it is unset, of the environment file; null if it is unset in both. An empty value counts as
 * unset.
 */
export function lookUp(io: CliIo, environment: Environment, name: string): string | null {
  const own = io.env[name]
  if (own !== undefined && own !== '') return own
  const value = environment.variables.get(name)
  return value === undefined || value === '' ? null : value
}
