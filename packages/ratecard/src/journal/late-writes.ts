// A late write is a write that was sent and not answered, by this process or by one that died. It may still be carried out, e.g. because
// Stripe is working on it, or because it is queued in a socket buffer or a proxy. It is over once a retry under its own idempotency key got
// a result (from then on the processor only replays that result), or once the longest time that a write can take has passed.
import { ServiceError } from '../errors/service-error.ts'
import type { ProblemCode } from '../errors/codes.ts'
import { asServiceError } from '../processor/failures.ts'
import { ProcessorError } from '../processor/processor-error.ts'
import { maxWriteMs } from '../processor/write-options.ts'
import type { StepState } from '../store/records/journal.ts'

/**
 * Maximum age (ms) of an idempotency key for a retry: 23 hours. Stripe keeps the result for at least 24; one hour is left for clock skew.
 */
export const keyRetentionMs = 23 * 60 * 60 * 1000

/** A journalled step, reduced to the members that decide whether its write may still be carried out. */
interface SentStep {
  readonly state: StepState
  /** Epoch milliseconds at which its last attempt was journalled, just before it was sent. */
  readonly beganAt: number | null
  /** Epoch milliseconds at which its sender gave up on it, or at which the next process found it. */
  readonly endedAt: number | null
}

/** A step that was sent and whose result is not in the journal. */
export function isUnanswered({ state }: Pick<SentStep, 'state'>): boolean {
  return state === 'begun' || state === 'unknown'
}

/** True while the processor keeps the step's idempotency key. Later, e.g. after a day, a retry would carry out the write again. */
export function knowsKey({ beganAt }: Pick<SentStep, 'beganAt'>, now: number): boolean {
  return beganAt !== null && now < beganAt + keyRetentionMs
}

/**
 * Returns an unanswered step as another process finds it. The longest time of a late write starts now, because the journal does not
 * contain when a dead process last sent it. A step whose key has expired is certainly over and stays `begun`.
 */
export function foundAt<Step extends SentStep>(step: Step, now: number): Step {
  return step.state === 'begun' && knowsKey(step, now) ? { ...step, state: 'unknown', endedAt: now } : step
}

/** Milliseconds for which an unanswered step, as `foundAt` returns it, may still be carried out; 0 if it is over. */
export function lateForMs({ state, endedAt }: SentStep, now: number): number {
  return state === 'begun' ? 0 : Math.max(0, (endedAt ?? now) + maxWriteMs - now)
}

interface LateWrite {
  readonly what: string
  /** Milliseconds for which the write may still be carried out; 0 if it is over. */
  readonly forMs: number
  /** Whether it may be sent: see `knowsKey`. */
  readonly sendable: boolean
  readonly code: ProblemCode
  readonly extra?: Readonly<Record<string, unknown>>
  /** Journals that it was sent once more without an answer, so that its longest time counts from now on. */
  readonly sentAnew: () => Promise<void>
}

/** A call under a key that the processor is still working on: it did not begin another write. */
const keyInUse = 'idempotency_key_in_use'

/**
 * Retries a write under its own idempotency key and returns its result, no matter which attempt produced it. Returns null if the write is
 * over without a result, because the processor replayed a failure of the first attempt or the longest time has passed. Throws `code` with a
 * `Retry-After` if the write may still be carried out, e.g. because its key is in use, or because this attempt had
 * no response either.
 */
export async function retryWrite<Done>(send: () => Promise<Done>, late: LateWrite): Promise<Done | null> {
  if (!late.sendable) {
    if (late.forMs === 0) return null
    throw stillLate(undefined, late)
  }
  try {
    return await send()
  } catch (error) {
    if (!(error instanceof ProcessorError)) throw error
    if (error.repeated) return null
    const inUse = error.original.code === keyInUse
    if (error.outcomeUnknown && !inUse) await late.sentAnew()
    else if (late.forMs === 0 && !inUse) return null
    const fresh = late.forMs === 0 || (error.outcomeUnknown && !inUse)
    throw stillLate(error, fresh ? { ...late, forMs: maxWriteMs } : late)
  }
}

function stillLate(error: ProcessorError | undefined, { what, forMs, code, extra = {} }: LateWrite): ServiceError {
  const failure = error === undefined ? undefined : asServiceError(error, 'push')
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
