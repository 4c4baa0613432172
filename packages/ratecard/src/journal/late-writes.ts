// A late write is a write that was sent and got no response, e.g. because the sending process died. The processor may still carry it out:
// Stripe may be working on it, or it may be queued in a socket buffer or a proxy. A late write is over when a retry under its own
// idempotency key has returned a result, because the processor only replays that result from then on. It is also over after `maxWriteMs`,
// the longest time that a write can take.
import { ServiceError } from '../errors/service-error.ts'
import type { ProblemCode } from '../errors/codes.ts'
import { asServiceError } from '../processor/failures.ts'
import { ProcessorError } from '../processor/processor-error.ts'
import { maxWriteMs } from '../processor/write-options.ts'
import type { StepState } from '../store/records/journal.ts'

/**
 * Maximum age (ms) of an idempotency key for a retry: 23 hours. Stripe keeps the result of a key for at least 24 hours; one hour is left
 * for clock skew.
 */
export const keyRetentionMs = 23 * 60 * 60 * 1000

/** A journalled step, reduced to the members that decide if its write may still be carried out. */
interface SentStep {
  readonly state: StepState
  /** Epoch milliseconds at which the step's last attempt was journalled, just before it was sent. */
  readonly beganAt: number | null
  /** Epoch milliseconds at which the step's sender gave up on it, or at which the next process found it. */
  readonly endedAt: number | null
}

/** True if the step was sent and its result is not in the journal. */
export function isUnanswered({ state }: Pick<SentStep, 'state'>): boolean {
  return state === 'begun' || state === 'unknown'
}

/**
 * True while the processor certainly remembers the step's idempotency key. Later, e.g. after a day, a retry would carry out the write a
 * second time.
 */
export function knowsKey({ beganAt }: Pick<SentStep, 'beganAt'>, now: number): boolean {
  return beganAt !== null && now < beganAt + keyRetentionMs
}

/**
 * Converts an unanswered step of a process that died. The journal does not contain when that process last sent the write. So, if its key is
 * still valid, the time until the write is over (`maxWriteMs`) counts from now. A step whose key has expired is over and stays `begun`.
 */
export function foundAt<Step extends SentStep>(step: Step, now: number): Step {
  return step.state === 'begun' && knowsKey(step, now) ? { ...step, state: 'unknown', endedAt: now } : step
}

/**
 * Returns the milliseconds until the processor can no longer carry out the write of an unanswered step; 0 if it already cannot. Pass a step
 * that `foundAt` returned.
 */
export function lateForMs({ state, endedAt }: SentStep, now: number): number {
  return state === 'begun' ? 0 : Math.max(0, (endedAt ?? now) + maxWriteMs - now)
}

interface LateWrite {
  readonly what: string
  /** Milliseconds until the write is over, i.e. until the processor can no longer carry it out; 0 if it is over. */
  readonly forMs: number
  /** True if the write may be sent again, because the processor still remembers its idempotency key (see `knowsKey`). */
  readonly sendable: boolean
  readonly code: ProblemCode
  readonly extra?: Readonly<Record<string, unknown>>
  /** Writes to the journal that the write was sent once more without a response. `forMs` of the next retry is measured from that time. */
  readonly sentAnew: () => Promise<void>
}

/** Processor error: another call with the same key is still in progress. This call did not begin another write. */
const keyInUse = 'idempotency_key_in_use'

/**
 * Retries a late write under its own idempotency key and returns its result, no matter which attempt produced it. Returns null if the write
 * is over without a result: the processor replayed a failure of the first attempt, or the longest time that a write can take has passed.
 * Throws `code` with a `Retry-After` if the write may still be carried out, e.g. because its key is in use, or because this attempt had no
 * response either.
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
    `${what} was sent to the processor and got no response. It may still be carried out, for ${String(seconds)} s at most.`,
    {
      hint: `Try again in ${String(seconds)} s, or earlier: the write is then sent again under its idempotency key.`,
      retryAfter: seconds,
      extra,
      ...(failure instanceof ServiceError ? { processor: failure.processor } : {}),
      cause: error,
    },
  )
}
