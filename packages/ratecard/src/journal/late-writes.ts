// A write that was sent and not answered, by this process or by one that died, may still be carried out: Stripe may be working on it,
// or it waits in a socket buffer or a proxy. It is over when it was sent again under its own idempotency key and got a result (from
// then on the processor only replays that result), or when the longest time that a write can take has passed.
import { ServiceError } from '../errors/service-error.ts'
import type { ProblemCode } from '../errors/codes.ts'
import { asServiceError } from '../processor/failures.ts'
import { ProcessorError } from '../processor/processor-error.ts'
import { longestWriteMs } from '../processor/write-options.ts'
import type { StepState } from '../store/records/journal.ts'

/** A step as the journal has it. */
interface SentStep {
  readonly state: StepState
  /** When its sender gave up on it, or the next process found it; epoch milliseconds. */
  readonly endedAt: number | null
}

/** A step that was sent and whose result is not in the journal. */
export function isUnanswered({ state }: Pick<SentStep, 'state'>): boolean {
  return state === 'begun' || state === 'unknown'
}

/** How long (ms) an unanswered step of state `unknown` may still be carried out; 0 if it is over. */
export function lateForMs({ endedAt }: SentStep, now: number): number {
  return Math.max(0, (endedAt ?? now) + longestWriteMs - now)
}

interface LateWrite {
  readonly what: string
  /** How long (ms) it may still be carried out. */
  readonly forMs: number
  readonly code: ProblemCode
  readonly extra?: Readonly<Record<string, unknown>>
}

/**
 * Sends a write again under its own idempotency key and returns its result, whichever attempt it is of; null if the write is over
 * without one, because the processor replayed a failure of the first attempt or the longest time has passed. Throws `code` with a
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
