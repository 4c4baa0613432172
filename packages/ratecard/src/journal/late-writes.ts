// A write that was sent and not answered, by this process or by one that died, may still be carried out: Stripe may be working on it,
// or it waits in a socket buffer or a proxy. It is over when it was sent again under its own idempotency key and got a result (from
// then on the processor only replays that result), or when the longest time that a write can take has passed.
import { ServiceError } from '../errors/service-error.ts'
import type { ProblemCode } from '../errors/codes.ts'
import { asServiceError } from '../processor/failures.ts'
import { ProcessorError } from '../processor/processor-error.ts'
import { longestWriteMs } from '../processor/write-options.ts'
import type { StepState } from '../store/records/journal.ts'

/** Time (ms) for which the processor certainly knows an idempotency key: Stripe keeps it 24 hours; an hour is left for clocks that disagree. */
export const keyLifeMs = 23 * 60 * 60 * 1000

/** A step as the journal has it. */
interface SentStep {
  readonly state: StepState
  /** When its last attempt was journalled, just before it was sent; epoch milliseconds. */
  readonly beganAt: number | null
  /** When its sender gave up on it, or the next process found it; epoch milliseconds. */
  readonly endedAt: number | null
}

/** A step that was sent and whose result is not in the journal. */
export function isUnanswered({ state }: Pick<SentStep, 'state'>): boolean {
  return state === 'begun' || state === 'unknown'
}

/** Whether the processor still knows the key of the step. After that, e.g. a day later, it would carry out the write anew. */
export function knowsKey({ beganAt }: Pick<SentStep, 'beganAt'>, now: number): boolean {
  return beganAt !== null && now < beganAt + keyLifeMs
}

/**
 * An unanswered step as it is when another process finds it. Nothing is known of when a dead process last sent it, so the longest
 * time of a late write counts from now on; a step whose key is forgotten by now is certainly over.
 */
export function foundAt<Step extends SentStep>(step: Step, now: number): Step {
  return step.state === 'begun' && knowsKey(step, now) ? { ...step, state: 'unknown', endedAt: now } : step
}

/** How long (ms) an unanswered step, as `foundAt` returns it, may still be carried out; 0 if it is over. */
export function lateForMs({ state, endedAt }: SentStep, now: number): number {
  return state === 'begun' ? 0 : Math.max(0, (endedAt ?? now) + longestWriteMs - now)
}

interface LateWrite {
  readonly what: string
  /** How long (ms) it may still be carried out. */
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
 * Sends a write again under its own idempotency key and returns its result, whichever attempt it is of; null if the write is over
 * without one, because the processor replayed a failure of the first attempt or the longest time has passed. Throws `code` with a
 * `Retry-After` if the write may still be carried out, e.g. because its key is in use, or because this attempt had no answer either.
 */
export async function sendAgain<Done>(send: () => Promise<Done>, late: LateWrite): Promise<Done | null> {
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
    throw stillLate(error, fresh ? { ...late, forMs: longestWriteMs } : late)
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
