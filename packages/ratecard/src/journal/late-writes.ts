// A late write is a write that was sent and not answered, by this process or by one that died. It may still be carried out, e.g. because
// Stripe is working on it, or because it is queued in a socket buffer or a proxy. It is over once a retry under its own idempotency key got
// a result (from then on the processor only replays that result), or once the longest time that a write can take has passed.
import { ServiceError } from '../errors/service-error.ts'
import type { ProblemCode } from '../errors/codes.ts'
import { asServiceError } from '../processor/failures.ts'
import { ProcessorError } from '../processor/processor-error.ts'
import { longestWriteMs } from '../processor/write-options.ts'
import type { StepState } from '../store/records/journal.ts'

/** A journalled step, reduced to the members that decide whether its write may still be carried out. */
interface SentStep {
  readonly state: StepState
  /** Epoch milliseconds at which its sender gave up on it, or at which the next process found it. */
  readonly endedAt: number | null
}

/** A step that was sent and whose result is not in the journal. */
export function isUnanswered({ state }: Pick<SentStep, 'state'>): boolean {
  return state === 'begun' || state === 'unknown'
}

/** Milliseconds for which an unanswered step of state `unknown` may still be carried out; 0 if it is over. */
export function lateForMs({ endedAt }: SentStep, now: number): number {
  return Math.max(0, (endedAt ?? now) + longestWriteMs - now)
}

interface LateWrite {
  readonly what: string
  /** Milliseconds for which the write may still be carried out; 0 if it is over. */
  readonly forMs: number
  readonly code: ProblemCode
  readonly extra?: Readonly<Record<string, unknown>>
}

/**
 * Retries a write under its own idempotency key and returns its result, no matter which attempt produced it. Returns null if the write is
 * over without a result, because the processor replayed a failure of the first attempt or the longest time has passed. Throws `code` with a
 * `Retry-After` if the write may still be carried out, e.g. because its key is in use.
 */
export async function sendAgain<Done>(send: () => Promise<Done>, late: LateWrite): Promise<Done | null> {
  try {
    return await send()
  } catch (error) {
    if (!(error instanceof ProcessorError)) throw error
    if (error.repeated || late.forMs === 0) return null
    throw stillLate(error, late)
  }
}

function stillLate(error: ProcessorError, { what, forMs, code, extra = {} }: LateWrite): ServiceError {
  const failure = asServiceError(error, 'push')
  const seconds = Math.max(1, Math.ceil(forMs / 1000))
  return new ServiceError(
    code,
    `${what} was sent to the processor and not answered. It may still be carried out, for ${String(seconds)} s at most.`,
    {
      hint: `Try again in ${String(seconds)} s, or earlier: the write is then sent again under its idempotency key.`,
      retryAfter: seconds,
      extra,
      ...(failure instanceof ServiceError ? { processor: failure.processor } : {}),
      cause: error,
    },
  )
}
