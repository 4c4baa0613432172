import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { parseEnvFile, untouchedVariables } from '../../workers/project/env-files.ts'
import { environmentPattern } from '../program/command.ts'
import type { EnvironmentName, GlobalOptions } from '../program/command.ts'
import { CliFailure } from '../failure.ts'
import type { CliIo } from '../terminal/io.ts'
import { readText } from './read-text.ts'

/** The folder that holds `ratecard/`, from `cwd` upward; null when there is none. */
export function findProject(cwd: string): string | null {
  for (let folder = path.resolve(cwd); ; folder = path.dirname(folder)) {
    // A folder that merely has the name (a checkout, a package) is not a project.
    const parts = ['billing', 'workers', 'environments'].map((part) => path.join(folder, 'ratecard', part))
    if (parts.some((part) => existsSync(part))) return folder
    if (path.dirname(folder) === folder) return null
  }
}

/** The environment of a command that names none. */
export const defaultEnvironment = 'dev'
/** Those that `init` makes; further ones exist as soon as they have a file. */
const usualEnvironments: readonly EnvironmentName[] = ['production', 'staging', defaultEnvironment]

export interface Environment {
  readonly name: EnvironmentName
  /** Relative to the project; null when the file does not exist. */
  readonly file: string | null
  /** Its text; null when there is no file. */
  readonly text: string | null
  /** Variables of the file, without those that are untouched. */
  readonly variables: ReadonlyMap<string, string>
  /** Names of variables that are still what the example file says: they count as absent. */
  readonly untouched: ReadonlySet<string>
}

/**
 * The environment that `--env` names, `dev` when it is not said. The file of a usual one may be absent: its variables can come
 * from the process. Fails with `environment_incomplete` for any other name without a file or an example.
 */
export function readEnvironment(project: string | null, global: Pick<GlobalOptions, 'environment'>): Environment {
  const name = global.environment ?? defaultEnvironment
  const file = environmentFile(name)
  const absolute = project === null ? null : path.join(project, file)
  if (absolute === null || !existsSync(absolute)) {
    const none: Environment = { name, file: null, text: null, variables: new Map(), untouched: new Set() }
    if (!isEnvironmentOf(project, name)) throw environmentIncomplete(project, none)
    return none
  }
  const text = readText(absolute)
  const example = `${absolute}.example`
  // The example of `dev` is made to be used as it is.
  const untouched =
    name !== defaultEnvironment && existsSync(example) ? untouchedVariables(text, readText(example)) : new Set<string>()
  const variables = new Map([...parseEnvFile(text)].filter(([variable]) => !untouched.has(variable)))
  return { name, file, text, variables, untouched }
}

/** Relative to the project. */
export function environmentFile(name: EnvironmentName): string {
  return path.join('ratecard', 'environments', `.env.${name}`)
}

/** A failure before anything is read or sent: where the environment is, is not known. */
export function environmentIncomplete(project: string | null, { name, file, untouched }: Environment): CliFailure {
  const place = environmentFile(name)
  const known = environmentsOf(project)
  const example = project !== null && existsSync(path.join(project, `${place}.example`))
  const why =
    file === null
      ? `There is no ${place}${project === null ? ' here' : ''}, and RATECARD_API_URL is not in the shell for it.`
      : untouched.has('RATECARD_API_URL')
        ? `RATECARD_API_URL in ${file} is still the line of the example file.`
        : `${file} does not say RATECARD_API_URL, and the shell does not either.`
  const others = file === null && known.length > 0 ? ` Environments of this project: ${known.join(', ')}.` : ''
  const start =
    file === null && example ? `Start from the example, \`cp ${place}.example ${place}\`, and write` : 'Write'
  return new CliFailure(1, {
    code: 'environment_incomplete',
    title: isEnvironmentOf(project, name) ? 'The address of an environment is missing' : 'There is no such environment',
    detail: `${why}${others} Nothing was sent.`,
    hint: `${start} RATECARD_API_URL and RATECARD_SERVICE_KEY of ${name} into ${place}. For the server of this machine, leave --env away.`,
  })
}

/** Whether the project has such an environment: one of the usual three, or a name with a file or an example. */
function isEnvironmentOf(project: string | null, name: EnvironmentName): boolean {
  return usualEnvironments.includes(name) || environmentsOf(project).includes(name)
}

/** Names of environments that have a file or an example, sorted. */
function environmentsOf(project: string | null): EnvironmentName[] {
  const folder = project === null ? null : path.join(project, 'ratecard', 'environments')
  if (folder === null || !existsSync(folder)) return []
  const names = readdirSync(folder).flatMap((file) => /^\.env\.(.+?)(?:\.example)?$/.exec(file)?.[1] ?? [])
  return [...new Set(names)].filter((name) => environmentPattern.test(name)).sort()
}

/** A variable of the process, else of the chosen environment file. Empty is unset. */
export function lookUp(io: CliIo, environment: Environment, name: string): string | null {
  const own = io.env[name]
  if (own !== undefined && own !== '') return own
  const value = environment.variables.get(name)
  return value === undefined || value === '' ? null : value
}
