// Runs the steps of all journalled work (pushes, applied enterprise prices and migrations) and decides their states.
import { ServiceError } from '../errors/service-error.ts'
import type { ProcessorError } from '../processor/processor-error.ts'
import type { StepState } from '../store/records/journal.ts'

/**
 * Runs the steps in order, at most `width` at a time. After the first error no further step starts; the running steps are awaited, then the
 * error is thrown.
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
  it: 'Send the same request again: completed changes are not repeated, the others are made.',
  'the push was': 'Resume it with `ratecard billing resume`.',
} as const

/** Throws `shutting_down` if the process is shutting down. Called between two steps, where no step is half done. */
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

/**
 * Returns the idempotency key for one attempt at a step. It is derived from the arguments and not random: a retry after a crash or a lost
 * response must send the same key, otherwise the processor acts twice.
 */
export function idempotencyKey(kind: 'push' | 'job', id: string, index: number, attempt: number): string {
  return `ratecard-${kind === 'push' ? '' : 'job-'}${id}-${String(index)}-${String(attempt)}`
}

export interface Attempt<Begun, Done, Result> {
  readonly begin: () => Promise<Begun>
  readonly send: (begun: Begun) => Promise<Done>
  /** Each callback writes the outcome to the journal. `failed` throws if the work cannot continue. */
  readonly succeeded: (done: Done) => Promise<Result>
  readonly failed: (error: unknown, begun: Begun) => Promise<Result>
}

/**
 * Runs one attempt at a step, with a journal write before the request and another after the response. If the journal write itself fails,
 * the outcome of the step is not stored: the step stays `begun`, and the next resume or push resolves it.
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

/**
 * Returns the state of a step after a processor error: `unknown` (it may have been carried out), `pending` (not carried out, may be
 * retried) or `failed` (refused).
 */
export function stateAfter({ outcomeUnknown, kind }: ProcessorError): StepState & ('unknown' | 'pending' | 'failed') {
  if (outcomeUnknown) return 'unknown'
  return kind === 'rate_limited' || kind === 'unavailable' ? 'pending' : 'failed'
}

/**
 * Serializes a failure as JSON for the journal. Returns null for an error that is not a ServiceError, because callers must not see its
 * message.
 */
export function failureText(error: unknown, extra: Readonly<Record<string, unknown>> = {}): string | null {
  if (!(error instanceof ServiceError)) return null
  return JSON.stringify({ code: error.code, detail: error.message, processor: error.processor, ...extra })
}
