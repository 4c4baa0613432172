// Sends one call to Stripe. Waits for the rate budget, retries the call and checks the response. The SDK's own retries are off. They are
// unsafe for writes, because they also retry a write whose socket closed, and they do not retry 429.
import { randomInt } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Stripe } from 'stripe'
import { runOverdueDeadlines, type Clock } from '../../../base/clock.ts'
import { abortReason, orAborted } from '../../abort.ts'
import { ProcessorError } from '../../processor-error.ts'
import { type SentRequest, retryForMs } from '../../write-options.ts'
import type { RateBudget } from '../../rate-budget.ts'
import type { Contact } from './contact.ts'
import {
  isMissing,
  sortBareStatus,
  sortFailure,
  type ReadOrWrite,
  type FailedAttempt,
  type RetryRule,
} from './errors.ts'

export interface StripeRequest<T> {
  /** Method and path template of the call, e.g. `POST /v1/prices`. Stripe limits the rate of each operation separately. */
  readonly operation: string
  readonly access: ReadOrWrite
  /**
   * Signal that aborts the call. A write is aborted only between two attempts, because aborting a write in flight would make its outcome
   * unknown.
   */
  readonly signal: AbortSignal
  readonly send: () => Promise<T>
  /** Returns the flaw of a malformed response, or null. */
  readonly flaw: (answer: T) => string | null
}

type StripeResponse = { readonly lastResponse: { readonly statusCode: number; readonly requestId: string } } | null

export interface Caller {
  call<T extends object>(call: StripeRequest<Stripe.Response<T>>): Promise<Stripe.Response<T>>
  /** Like `call`, but returns null if the object named in the path does not exist. */
  callIfPresent<T extends object>(call: StripeRequest<Stripe.Response<T>>): Promise<Stripe.Response<T> | null>
}

export interface CallerOptions {
  readonly secretKey: string
  readonly budget: RateBudget
  /** Lets reads fail at once while Stripe does not answer at all. */
  readonly contact: Contact
  readonly clock: Clock
  /** Backoff (ms) before the first retry. It doubles for each further retry, up to 16 s. */
  readonly firstWaitMs: number
  /** Called after each attempt that was sent. */
  readonly onRequest?: ((request: SentRequest) => void) | undefined
}

const maxBackoffMs = 16_000
const attempts: Readonly<Record<ReadOrWrite, Readonly<Record<RetryRule, number>>>> = {
  read: { never: 1, later: 8, unsent: 4, doubtful: 4 },
  // `doubtful: 2` allows one retry of a write of unknown outcome. The retry has the same idempotency key, so Stripe replays the result of
  // the first attempt.
  write: { never: 1, later: 8, unsent: 4, doubtful: 2 },
}

export function createCaller(options: CallerOptions): Caller {
  return {
    call: (call) => callStripe(options, call),
    callIfPresent: <T extends object>(call: StripeRequest<Stripe.Response<T>>) =>
      callStripe<Stripe.Response<T> | null>(options, {
        ...call,
        send: () => call.send().catch(nullIfMissing),
        flaw: (answer) => (answer === null ? null : call.flaw(answer)),
      }),
  }
}

function nullIfMissing(error: unknown): null {
  if (isMissing(error)) return null
  throw error
}

async function callStripe<R extends StripeResponse>(options: CallerOptions, call: StripeRequest<R>): Promise<R> {
  const giveUpAt = options.clock.now() + retryForMs
  const failures: Record<RetryRule, number> = { never: 0, later: 0, unsent: 0, doubtful: 0 }
  let doubt: ProcessorError | null = null
  for (let attempt = 1; ; attempt++) {
    try {
      if (call.access === 'read') await options.contact.require()
      await options.budget.take(call.operation, call.signal)
      if (call.access === 'write') stopIfLate(call.signal)
    } catch (stop) {
      throw doubt ?? stop
    }
    const answer = await attemptCall(options, call)
    options.onRequest?.({ access: call.access, outcome: 'repeat' in answer ? answer.error.kind : 'ok' })
    if (!('repeat' in answer)) return answer.reply
    const { error, repeat } = answer
    failures[repeat]++
    if (repeat === 'doubtful' && call.access === 'write') doubt ??= error
    const waitMs = backoffMs(attempt, options.firstWaitMs)
    const silent = call.access === 'read' && options.contact.silentSince() !== null
    const exhausted =
      silent || failures[repeat] >= attempts[call.access][repeat] || options.clock.now() + waitMs > giveUpAt
    // If Stripe replays a failure (`repeated`), that is the final outcome of the first attempt. After any other refusal of a retry, the
    // outcome of an earlier attempt is still unknown, because that attempt may still be running.
    if (exhausted) throw error.repeated ? error : (doubt ?? error)
    try {
      await wait(waitMs, undefined, { signal: call.signal })
    } catch {
      throw doubt ?? abortReason(call.signal)
    }
  }
}

/**
 * Throws the abort reason if the signal is aborted or its deadline has passed. Nothing is awaited between this check and the request. So a
 * process that was suspended until its lease expired does not send a write when it continues.
 */
function stopIfLate(signal: AbortSignal): void {
  runOverdueDeadlines()
  if (signal.aborted) throw abortReason(signal)
}

/**
 * Returns the backoff (ms), which doubles with each attempt. Half of it is random (jitter), so that callers that were refused at the same
 * time do not retry at the same time.
 */
function backoffMs(attempt: number, firstWaitMs: number): number {
  const fullMs = Math.min(maxBackoffMs, firstWaitMs * 2 ** (attempt - 1))
  return fullMs * (0.5 + randomInt(501) / 1000)
}

async function attemptCall<R extends StripeResponse>(
  options: CallerOptions,
  call: StripeRequest<R>,
): Promise<{ reply: R } | FailedAttempt> {
  const done = options.contact.sent()
  let answered: boolean | null = null
  try {
    const attempt = await sendOnce(options, call)
    answered = !('repeat' in attempt) || isAnswer(attempt.repeat)
    return attempt
  } finally {
    done(answered)
  }
}

/** True for an attempt that got an answer of Stripe, even a refusal. */
export const isAnswer = (repeat: RetryRule) => repeat === 'never' || repeat === 'later'

async function sendOnce<R extends StripeResponse>(
  options: CallerOptions,
  call: StripeRequest<R>,
): Promise<{ reply: R } | FailedAttempt> {
  try {
    const reply = await (call.access === 'read' ? orAborted(call.send(), call.signal) : call.send())
    const { statusCode = 0, requestId } = reply?.lastResponse ?? {}
    if (statusCode >= 400) return sortBareStatus(statusCode, call.access, requestId)
    const flaw = call.flaw(reply)
    if (flaw === null) return { reply }
    const message = `Stripe’s answer to ${call.operation} is not valid: ${flaw}.`
    return { error: new ProcessorError('broken', message, { request_id: requestId }), repeat: 'never' }
  } catch (error) {
    if (call.access === 'read' && call.signal.aborted) throw abortReason(call.signal)
    return sortFailure(error, call.access, options.secretKey)
  }
}
