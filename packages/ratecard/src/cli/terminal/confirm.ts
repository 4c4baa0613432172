// Questions before what cannot be taken back. Whoever cannot be asked (a script, `--json`) has to say --yes.
import type { CommandContext } from '../program/command.ts'
import { CliFailure } from '../failure.ts'

type Questioner = Pick<CommandContext, 'io' | 'global'>

export interface Question {
  /** Asked on a terminal, answered by yes or no. */
  readonly question: string
  /** What would happen, for the failure of a caller that cannot be asked. */
  readonly title: string
  readonly detail: string
  /** How to say that it is meant. */
  readonly hint: string
  /** Further members of that failure, such as the plan. */
  readonly extra?: Readonly<Record<string, unknown>>
}

/** Whether a person sits there and can answer. */
export function canAsk({ io, global }: Questioner): boolean {
  return io.interactive && !global.json
}

/**
 * Returns whether a person agreed (false: `--yes` said it before). Fails with `declined`, or with `confirmation_required` where
 * nobody can be asked.
 */
export async function requireConsent(context: Questioner, question: Question): Promise<boolean> {
  if (context.global.yes) return false
  if (!canAsk(context)) throw confirmationRequired(question)
  if (await context.io.confirm(question.question)) return true
  throw declined()
}

export function confirmationRequired({ title, detail, hint, extra }: Omit<Question, 'question'>): CliFailure {
  return new CliFailure(1, {
    code: 'confirmation_required',
    title,
    detail: `${detail} Nobody can be asked here, and nothing was changed.`,
    hint,
    ...(extra === undefined ? {} : { extra }),
  })
}

export function declined(): CliFailure {
  return new CliFailure(1, { code: 'declined', title: 'Declined', detail: 'Nothing was changed.' })
}
