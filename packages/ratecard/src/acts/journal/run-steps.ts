// Runs the steps of all journalled work (e.g. pushes, jobs) and determines their states.
import { ServiceError } from '../../base/errors/service-error.ts'
import type { ProcessorError } from '../../processor/processor-error.ts'
import type { StepState } from '../../store/records/journal.ts'

/**
 * Runs the steps in order, at most `width` at a time. After the first error no further step starts. Waits for the running steps, then
 * throws the error.
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
  it: 'Send the same request again. Completed changes are not repeated; the remaining ones are made.',
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
 * Returns the idempotency key for one attempt at a step. It is derived from the arguments and not random. A retry after a crash or a lost
 * response must send the same key, because otherwise the processor would act twice.
 */
export function idempotencyKey(kind: 'push' | 'job', id: string, index: number, attempt: number): string {
  return `ratecard-${kind === 'push' ? '' : 'job-'}${id}-${String(index)}-${String(attempt)}`
}

export interface Attempt<Begun, Done, Result> {
  readonly begin: () => Promise<Begun>
  readonly send: (begun: Begun) => Promise<Done>
  /** Callbacks after the attempt. Each writes the outcome to the journal. `failed` throws if the work cannot continue. */
  readonly succeeded: (done: Done) => Promise<Result>
  readonly failed: (error: unknown, begun: Begun) => Promise<Result>
}

/**
 * Makes one attempt at a step. Writes to the journal before the request and after the response. If the second write to the journal fails,
 * the step stays `begun`, and the next resume or push finds its outcome.
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
 * Returns the state of a step after a processor error: `unknown` (the step may have been executed), `pending` (not executed, may be
 * retried) or `failed` (refused).
 */
export function stateAfter({ outcomeUnknown, kind }: ProcessorError): StepState & ('unknown' | 'pending' | 'failed') {
  if (outcomeUnknown) return 'unknown'
  return kind === 'rate_limited' || kind === 'unavailable' ? 'pending' : 'failed'
}

/**
 * Serializes a failure as JSON for the journal. Returns null for an error other than a ServiceError, because its message must not be shown
 * to callers.
 */
export function failureText(error: unknown, extra: Readonly<Record<string, unknown>> = {}): string | null {
  if (!(error instanceof ServiceError)) return null
  return JSON.stringify({ code: error.code, detail: error.message, processor: error.processor, ...extra })
}
