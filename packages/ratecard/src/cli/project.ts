import { existsSync } from 'node:fs'
import path from 'node:path'
import { parseEnvFile } from '../workers/project/env-files.ts'
import type { EnvironmentName, GlobalOptions } from './command.ts'
import type { CliIo } from './io.ts'
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

export interface Environment {
  readonly name: EnvironmentName
  /** Relative to the project; null when the file does not exist. */
  readonly file: string | null
  readonly variables: ReadonlyMap<string, string>
}

/** The environment that `--env` names, `dev` when it is not said. Its file may be absent: variables can come from the process. */
export function readEnvironment(project: string | null, global: GlobalOptions): Environment {
  const name = global.environment ?? 'dev'
  const file = path.join('ratecard', 'environments', `.env.${name}`)
  const absolute = project === null ? null : path.join(project, file)
  if (absolute === null || !existsSync(absolute)) return { name, file: null, variables: new Map() }
  return { name, file, variables: parseEnvFile(readText(absolute)) }
}

/** A variable of the process, else of the chosen environment file. Empty is unset. */
export function lookUp(io: CliIo, environment: Environment, name: string): string | null {
  const own = io.env[name]
  if (own !== undefined && own !== '') return own
  const value = environment.variables.get(name)
  return value === undefined || value === '' ? null : value
}
