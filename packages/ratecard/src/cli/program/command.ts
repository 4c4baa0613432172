// A command as data: name, options, examples and function. The CLI, its help and the reference are generated from it.
import type { ExitCode } from '../failure.ts'
import type { CliIo } from '../terminal/io.ts'
import type { Output } from '../terminal/output.ts'

export interface ArgumentSpec {
  /** In Commander's syntax: `<id>`, `[dir]`, `[files...]`. */
  readonly name: string
  readonly description: string
}

export interface OptionSpec {
  /** In Commander's syntax: `--limit <n>`. */
  readonly flags: string
  readonly description: string
  readonly choices?: readonly string[]
  /** True if the value is the name of an environment. */
  readonly environment?: boolean
  /** Allowed range of a whole number, inclusive. */
  readonly range?: readonly [lowest: number, highest: number]
  /** Default for help and reference only; the command applies it itself. */
  readonly defaultText?: string
}

export interface Example {
  readonly command: string
  readonly what: string
}

/** An environment is a name with a file `ratecard/environments/.env.<name>`; `init` creates three. */
export type EnvironmentName = string

/** Valid environment names: lower case, at most 31 characters. */
export const environmentPattern = /^[a-z][a-z0-9-]{0,30}$/

export interface GlobalOptions {
  /** null if not given. */
  readonly environment: EnvironmentName | null
  readonly json: boolean
  readonly yes: boolean
  readonly quiet: boolean
  readonly color: boolean
  /** Logs each request to stderr. */
  readonly debug: boolean
  readonly apiUrl: string | null
  readonly serviceKey: string | null
}

/** Parsed options of a command, by flag name in camelCase. */
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
  /** Output of `--json`, in snake_case. Absent if the command printed its own. */
  readonly json?: unknown
}

export interface Command {
  /** Full name: `billing push` is the command `push` in the group `billing`. */
  readonly name: string
  readonly summary: string
  /** Further paragraphs of the help. */
  readonly description?: string
  readonly arguments?: readonly ArgumentSpec[]
  readonly options?: readonly OptionSpec[]
  readonly examples: readonly Example[]
  run(context: CommandContext): Promise<CommandResult>
}
