// How journalled work goes from step to step, whatever it is: a push, a deal that is applied, a migration.
import { ServiceError } from '../errors/service-error.ts'
import type { ProcessorError } from '../processor/processor-error.ts'
import type { StepState } from '../store/records/journal.ts'

/**
 * Runs the steps in their order, `width` of them at once. Once one throws nothing further begins; what is in flight is waited
 * for, and the first that was thrown is thrown.
 */
export async function runSteps<Step>(
  steps: readonly Step[],
  width: number,
  run: (step: Step) => Promise<void>,
): Promise<void> {
  const queue = [...steps]
  let failure: { readonly error: unknown } | undefined
  const worker = async () => {
    while (failure === undefined) {
      const step = queue.shift()
      if (step === undefined) return
      try {
        await run(step)
      } catch (error) {
        failure ??= { error }
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(width, steps.length) }, worker))
  if (failure !== undefined) throw failure.error
}

const stopped = {
  it: 'Do the same again: what is in place is left alone, the rest is finished.',
  'the push was': 'Resume it with `ratecard billing resume`.',
} as const

/** Called between two steps, where nothing is half done. Throws `shutting_down` once the process drains. */
export function stopIfDraining(
  { shutdown }: { readonly shutdown: AbortSignal },
  what: keyof typeof stopped = 'it',
): void {
  if (!shutdown.aborted) return
  throw new ServiceError('shutting_down', `The service is shutting down; ${what} stopped between two steps.`, {
    hint: stopped[what],
    retryAfter: 10,
  })
}

/** Derived, not random: a repeat after a crash or a lost answer must meet the same key, or the processor acts twice. */
export function idempotencyKey(kind: 'push' | 'job', id: string, index: number, attempt: number): string {
  return `ratecard-${kind === 'push' ? '' : 'job-'}${id}-${String(index)}-${String(attempt)}`
}

export interface Attempt<Begun, Done, Result> {
  readonly begin: () => Promise<Begun>
  readonly send: (begun: Begun) => Promise<Done>
  /** Write to the journal what came of it. `failed` throws when nothing further can be done. */
  readonly succeeded: (done: Done) => Promise<Result>
  readonly failed: (error: unknown, begun: Begun) => Promise<Result>
}

/**
 * One attempt at a step: journalled before it is sent and after it is answered. What the journal itself refuses is no outcome of
 * the step: then it stays begun, and is looked up next time.
 */
export async function attemptStep<Begun, Done, Result>(attempt: Attempt<Begun, Done, Result>): Promise<Result> {
  const begun = await attempt.begin()
  let done: Done
  try {
    done = await attempt.send(begun)
  } catch (error) {
    return attempt.failed(error, begun)
  }
  return attempt.succeeded(done)
}

/** What a step is after the processor failed: perhaps done, not done and worth another try, or refused. */
export function stateAfter({ outcomeUnknown, kind }: ProcessorError): StepState & ('unknown' | 'pending' | 'failed') {
  if (outcomeUnknown) return 'unknown'
  return kind === 'rate_limited' || kind === 'unavailable' ? 'pending' : 'failed'
}

/** A failure as the journal keeps it, as JSON; null for what is no problem that callers are told. */
export function failureText(error: unknown, extra: Readonly<Record<string, unknown>> = {}): string | null {
  if (!(error instanceof ServiceError)) return null
  return JSON.stringify({ code: error.code, detail: error.message, processor: error.processor, ...extra })
}
