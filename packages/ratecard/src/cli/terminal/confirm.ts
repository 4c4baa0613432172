// Asks for confirmation before irreversible actions. Without a terminal (in a script, or with `--json`) the caller must pass `--yes`.
// A reset, and a push that archives everything, need it there only at a live account: the specification says what these commands do.
import type { Client } from '@ratecard/client'
import type { CommandContext } from '../program/command.ts'
import { CliFailure } from '../failure.ts'

type Questioner = Pick<CommandContext, 'io' | 'global'>

export interface Question {
  /** Yes/no question that is asked on the terminal. */
  readonly question: string
  /** Title of the error if there is no terminal to confirm on; `detail` is its detail. Both name the consequence of the action. */
  readonly title: string
  readonly detail: string
  /** Hint of the failure without a terminal: how to confirm. */
  readonly hint: string
  /** Further members of the failure without a terminal, e.g. the plan. */
  readonly extra?: Readonly<Record<string, unknown>>
}

/** True if a person can answer on the terminal. */
export function canAsk({ io, global }: Questioner): boolean {
  return io.interactive && !global.json
}

/**
 * Returns true if a person agreed, false if `--yes` was given. Throws `declined` if the person disagreed, and `confirmation_required`
 * without a terminal.
 */
export async function requireConsent(context: Questioner, question: Question): Promise<boolean> {
  if (context.global.yes) return false
  if (!canAsk(context)) throw confirmationRequired(question)
  if (await context.io.confirm(question.question)) return true
  throw declinedFailure()
}

/** True if the server's processor account moves real money. */
export async function isLive(client: Pick<Client, 'admin'>, signal: AbortSignal): Promise<boolean> {
  return (await client.admin.account({ signal })).mode === 'live'
}

export function confirmationRequired({ title, detail, hint, extra }: Omit<Question, 'question'>): CliFailure {
  return new CliFailure(1, {
    code: 'confirmation_required',
    title,
    detail: `${detail} There is no terminal to ask on, so nothing was changed.`,
    hint,
    ...(extra === undefined ? {} : { extra }),
  })
}

export function declinedFailure(): CliFailure {
  return new CliFailure(1, { code: 'declined', title: 'Declined', detail: 'Nothing was changed.' })
}
