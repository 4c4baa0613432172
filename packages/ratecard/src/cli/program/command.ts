// Type of a command as data: name, options, examples and function. The CLI, its help and the reference are generated from it.
import type { ExitCode } from '../failure.ts'
import type { CliIo } from '../terminal/io.ts'
import type { Output } from '../terminal/output.ts'

export interface ArgumentSpec {
  /** Name of the argument in Commander's syntax: `<id>`, `[dir]`, `[files...]`. */
  readonly name: string
  readonly description: string
}

export interface OptionSpec {
  /** Flag and value in Commander's syntax, e.g. `--limit <n>`. */
  readonly flags: string
  readonly description: string
  readonly choices?: readonly string[]
  /** True if the value is the name of an environment. */
  readonly environment?: boolean
  /** Allowed range of a whole number, inclusive. */
  readonly range?: readonly [lowest: number, highest: number]
  /** Default value that the help and the reference show. The command's own function applies it. */
  readonly defaultText?: string
}

export interface Example {
  readonly command: string
  readonly what: string
}

/**
 * Name of an environment. An environment exists if the project has a file `ratecard/environments/.env.<name>`; `init` creates three such
 * files.
 */
export type EnvironmentName = string

/** Pattern of environment names: lower case, at most 31 characters. */
export const environmentPattern = /^[a-z][a-z0-9-]{0,30}$/

export interface GlobalOptions {
  /** Name given by `--env`; null if the option is not given. */
  readonly environment: EnvironmentName | null
  readonly json: boolean
  readonly yes: boolean
  readonly quiet: boolean
  readonly color: boolean
  /** Logs each request to stderr (`--debug`). */
  readonly debug: boolean
  readonly apiUrl: string | null
  readonly serviceKey: string | null
}

/** Values of a command's options, by flag name in camelCase. */
export interface OptionValues {
  flag(name: string): boolean
  text(name: string): string | undefined
  whole(name: string): number | undefined
  list(name: string): readonly string[]
}

export interface CommandContext {
  readonly args: readonly string[]
  readonly options: OptionValues
  readonly global: GlobalOptions
  readonly io: CliIo
  readonly out: Output
}

export interface CommandResult {
  readonly exit?: ExitCode
  /** Document that `--json` prints, in snake_case. Absent if the command printed its own output. */
  readonly json?: unknown
}

export interface Command {
  /** Full name. `billing push` is the command `push` in the group `billing`. */
  readonly name: string
  readonly summary: string
  /** Further paragraphs of the help. */
  readonly description?: string
  readonly arguments?: readonly ArgumentSpec[]
  readonly options?: readonly OptionSpec[]
  readonly examples: readonly Example[]
  run(context: CommandContext): Promise<CommandResult>
}
