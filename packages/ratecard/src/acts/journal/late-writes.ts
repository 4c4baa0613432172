// A late write is a write that was sent and got no response, e.g. because the sending process died. The processor may still execute it: the
// request may be in progress at Stripe, or in a socket buffer or a proxy. A late write is over when a retry with its idempotency key has
// returned a result, because the processor only replays that result from then on. It is also over after `maxWriteMs`, the longest time that
// a write can take.
import { ServiceError } from '../../base/errors/service-error.ts'
import type { ProblemCode } from '../../base/errors/codes.ts'
import { asServiceError } from '../../processor/failures.ts'
import { ProcessorError } from '../../processor/processor-error.ts'
import { maxWriteMs } from '../../processor/write-options.ts'
import type { StepState } from '../../store/records/journal.ts'

/**
 * Maximum age (ms) at which an idempotency key may be used for a retry: 23 hours. Stripe keeps the result of a key for at least 24 hours;
 * one hour is left for clock skew.
 */
export const keyRetentionMs = 23 * 60 * 60 * 1000

/** The members of a journalled step that decide if its write may still be executed. */
interface SentStep {
  readonly state: StepState
  /** Time (epoch milliseconds) at which the step's last attempt was written to the journal, just before the request was sent. */
  readonly beganAt: number | null
  /**
   * Time (epoch milliseconds) at which the sender stopped waiting for the response. If the sender died, the time at which another process
   * found the step.
   */
  readonly endedAt: number | null
}

/** True if the step was sent and its result is not in the journal. */
export function isUnanswered({ state }: Pick<SentStep, 'state'>): boolean {
  return state === 'begun' || state === 'unknown'
}

/**
 * True as long as the processor certainly remembers the step's idempotency key. After that (e.g. a day later), a retry could execute the
 * write a second time.
 */
export function knowsKey({ beganAt }: Pick<SentStep, 'beganAt'>, now: number): boolean {
  return beganAt !== null && now < beganAt + keyRetentionMs
}

/**
 * Returns the step with the state `unknown` and the end time `now` if its process died before a response (state `begun`). The journal does
 * not contain the time of the last sending. So the maximum duration of the write (`maxWriteMs`) counts from now. A step whose idempotency
 * key has expired can no longer be executed, and is returned unchanged.
 */
export function foundAt<Step extends SentStep>(step: Step, now: number): Step {
  return step.state === 'begun' && knowsKey(step, now) ? { ...step, state: 'unknown', endedAt: now } : step
}

/**
 * Returns the time (ms) until the processor can no longer execute the write of an unanswered step; 0 if that time has passed. `foundAt`
 * must have been applied to the step.
 */
export function lateForMs({ state, endedAt }: SentStep, now: number): number {
  return state === 'begun' ? 0 : Math.max(0, (endedAt ?? now) + maxWriteMs - now)
}

interface LateWrite {
  readonly what: string
  /** Time (ms) until the processor can no longer execute the write; 0 if that time has passed. */
  readonly forMs: number
  /** True if the write may be sent again, because the processor still remembers its idempotency key (see `knowsKey`). */
  readonly sendable: boolean
  readonly code: ProblemCode
  readonly extra?: Readonly<Record<string, unknown>>
  /** Stores in the journal that the write was sent again without a response. `forMs` of the next retry counts from that time. */
  readonly sentAnew: () => Promise<void>
}

/** Error code of the processor for a request whose key is used by another request in progress. Such a request begins no write. */
const keyInUse = 'idempotency_key_in_use'

/**
 * Retries a late write (a write without a response) under its own idempotency key. Returns its result, no matter which attempt produced it.
 * Returns null if the write can no longer take effect and has no result. That is so if the processor replayed a failure of the first
 * attempt, or if the longest time that a write can take has passed.
 * Throws `code` with a `Retry-After` if the write may still be executed, e.g. because its key is in use, or because this attempt had no
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
