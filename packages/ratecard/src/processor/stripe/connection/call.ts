// One call to Stripe with everything around it: rate budget, repeats, checks of the answer. Repeats are ours alone because
// the SDK repeats what it should not (closed sockets) and does not repeat what it could (429).
import { randomInt } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Stripe } from 'stripe'
import { passDeadlines } from '../../../clock.ts'
import type { Clock } from '../../../clock.ts'
import { abortReason, orAborted } from '../../abort.ts'
import { ProcessorError } from '../../processor-error.ts'
import type { RateBudget } from '../../rate-budget.ts'
import { retryForMs } from '../../write-options.ts'
import { isMissing, sortBareStatus, sortFailure } from './errors.ts'
import type { ReadOrWrite, FailedAttempt, RetryRule } from './errors.ts'

export interface StripeRequest<T> {
  /** Method and path template, the unit of Stripe's limits. */
  readonly operation: string
  readonly access: ReadOrWrite
  /** A write is only given up between attempts: cutting it off would only make its outcome unknown. */
  readonly signal: AbortSignal
  readonly send: () => Promise<T>
  /** What is wrong with the answer, or null. */
  readonly flaw: (answer: T) => string | null
}

type StripeResponse = { readonly lastResponse: { readonly statusCode: number; readonly requestId: string } } | null

export interface Caller {
  call<T extends object>(call: StripeRequest<Stripe.Response<T>>): Promise<Stripe.Response<T>>
  /** The same, but null when Stripe says that the object of the path does not exist. */
  callIfPresent<T extends object>(call: StripeRequest<Stripe.Response<T>>): Promise<Stripe.Response<T> | null>
}

export interface CallerOptions {
  readonly secretKey: string
  readonly budget: RateBudget
  readonly clock: Clock
  /** The first wait before a repeat; later ones double, up to 16 s. */
  readonly firstWaitMs: number
}

const longestWaitMs = 16_000
const attempts: Readonly<Record<ReadOrWrite, Readonly<Record<RetryRule, number>>>> = {
  read: { never: 1, later: 8, unsent: 4, doubtful: 4 },
  // A write of unknown outcome is repeated once: under the same key Stripe answers with what happened the first time.
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
      await options.budget.take(call.operation, call.signal)
      if (call.access === 'write') stopIfLate(call.signal)
    } catch (stop) {
      throw doubt ?? stop
    }
    const answer = await attemptCall(options, call)
    if (!('repeat' in answer)) return answer.reply
    const { error, repeat } = answer
    failures[repeat]++
    if (repeat === 'doubtful' && call.access === 'write') doubt ??= error
    const waitMs = waitBefore(attempt, options.firstWaitMs)
    const exhausted = failures[repeat] >= attempts[call.access][repeat] || options.clock.now() + waitMs > giveUpAt
    // A replayed failure is the outcome of the first attempt. Any other refusal of a retry does not prove that an earlier attempt,
    // which may still be on its way, did nothing.
    if (exhausted) throw error.repeated ? error : (doubt ?? error)
    try {
      await wait(waitMs, undefined, { signal: call.signal })
    } catch {
      throw doubt ?? abortReason(call.signal)
    }
  }
}

/** Between here and the request nothing is awaited: a write is never sent by a process that was paused until its lease was over. */
function stopIfLate(signal: AbortSignal): void {
  passDeadlines()
  if (signal.aborted) throw abortReason(signal)
}

/** Doubling, and anywhere in the upper half, so that callers which were refused together do not come back together. */
function waitBefore(attempt: number, firstWaitMs: number): number {
  const fullMs = Math.min(longestWaitMs, firstWaitMs * 2 ** (attempt - 1))
  return fullMs * (0.5 + randomInt(501) / 1000)
}

async function attemptCall<R extends StripeResponse>(
  options: CallerOptions,
  call: StripeRequest<R>,
): Promise<{ reply: R } | FailedAttempt> {
  try {
    const reply = await (call.access === 'read' ? orAborted(call.send(), call.signal) : call.send())
    const { statusCode = 0, requestId } = reply?.lastResponse ?? {}
    if (statusCode >= 400) return sortBareStatus(statusCode, call.access, requestId)
    const flaw = call.flaw(reply)
    if (flaw === null) return { reply }
    const message = `Stripe’s answer to ${call.operation} makes no sense: ${flaw}.`
    return { error: new ProcessorError('broken', message, { request_id: requestId }), repeat: 'never' }
  } catch (error) {
    if (call.access === 'read' && call.signal.aborted) throw abortReason(call.signal)
    return sortFailure(error, call.access, options.secretKey)
  }
}
