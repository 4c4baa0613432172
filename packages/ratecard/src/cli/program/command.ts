// A command is data: name, options, examples and what it does. The command line, its help and the reference are made of it.
import type { ExitCode } from '../failure.ts'
import type { CliIo } from '../terminal/io.ts'
import type { Output } from '../terminal/output.ts'

export interface ArgumentSpec {
  /** As commander writes it: `<id>`, `[dir]`, `[files...]`. */
  readonly name: string
  readonly description: string
}

export interface OptionSpec {
  /** As commander writes it: `--limit <n>`. */
  readonly flags: string
  readonly description: string
  readonly choices?: readonly string[]
  /** The value is the name of an environment. */
  readonly environment?: boolean
  /** A whole number in this range. */
  readonly range?: readonly [lowest: number, highest: number]
  /** For help and reference only; commands apply it themselves. */
  readonly defaultText?: string
}

export interface Example {
  readonly command: string
  readonly what: string
}

/** An environment is a name that has a file `ratecard/environments/.env.<name>`; `init` makes three. */
export type EnvironmentName = string

/** What a name of an environment looks like. */
export const environmentPattern = /^[a-z][a-z0-9-]{0,30}$/

export interface GlobalOptions {
  /** null: not said. */
  readonly environment: EnvironmentName | null
  readonly json: boolean
  readonly yes: boolean
  readonly quiet: boolean
  readonly color: boolean
  /** Show each request on stderr. */
  readonly debug: boolean
  readonly apiUrl: string | null
  readonly serviceKey: string | null
}

/** Parsed options of one command. Names are those of the flags, in camelCase. */
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
  /** What `--json` prints, in the wire's names. Absent: the command printed its own. */
  readonly json?: unknown
}

export interface Command {
  /** `billing push` is the command `push` of the group `billing`. */
  readonly name: string
  readonly summary: string
  /** Further paragraphs of the help. */
  readonly description?: string
  readonly arguments?: readonly ArgumentSpec[]
  readonly options: readonly OptionSpec[]
  readonly examples: readonly Example[]
  run(context: CommandContext): Promise<CommandResult>
}
