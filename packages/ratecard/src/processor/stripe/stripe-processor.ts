// The Stripe adapter: performs steps and reads the account through the official SDK. It decides nothing about the catalog, sends every
// write with the caller's idempotency key, and verifies every response.
import type { Clock } from '../../clock.ts'
import type { ResolvedStep } from '../../catalog/steps.ts'
import type { CustomerProcessor } from '../customer-half.ts'
import type { Processor, ProcessorAccount } from '../processor.ts'
import { inTurn, unlimitedBudget } from '../rate-budget.ts'
import type { RateBudget } from '../rate-budget.ts'
import { createCaller } from './connection/call.ts'
import { createCheckout, createPortal, expireCheckouts } from './customers/checkout.ts'
import { ProcessorError } from '../processor-error.ts'
import type { SentRequest } from '../sent-request.ts'
import { connect, isLiveKey, keyProblem } from './connection/connection.ts'
import { createCustomer, findCustomer, knowsCustomer, updateCustomer } from './customers/customers.ts'
import { kindsOf, replyFlaw } from './catalog/context.ts'
import type { StripeContext } from './catalog/context.ts'
import { readEvents } from './catalog/stripe-events.ts'
import { discardRequest } from './kinds/webhook.ts'
import { locateStep } from './catalog/locate.ts'
import { readEntitlements } from './customers/entitlements.ts'
import { performStep } from './catalog/perform.ts'
import { createMirrorReads } from './mirror/mirror-reads.ts'
import { performDeletion } from './connection/perform-request.ts'
import type { WritingStep } from './catalog/perform.ts'
import { attemptTimeoutMs } from '../write-options.ts'
import { upcomingInvoice } from './subscriptions/previews.ts'
import { readScheduledPrices, scheduleSwaps } from './subscriptions/schedules.ts'
import { readSnapshot } from './catalog/snapshot.ts'
import { someSubscriptions } from './subscriptions/some-subscriptions.ts'
import { everySubscription, readSubscription, runningSubscriptions, swapItems } from './subscriptions/subscriptions.ts'
import { recordUsage } from './customers/usage.ts'
import { readUsageErrors } from './customers/usage-errors.ts'

export interface StripeProcessorOptions {
  readonly secretKey: string
  /**
   * Base URL of another server with the same API, e.g. `http://127.0.0.1:4243`; null means Stripe itself. Any other server is refused with
   * a live key.
   */
  readonly apiBase: string | null
  readonly budget: RateBudget
  /** Budget for the list pages of the mirror. Each page takes from it and from `budget`. Default: no further limit. */
  readonly listBudget?: RateBudget
  readonly clock: Clock
  /** Called after each request, e.g. to count it. */
  readonly onRequest?: (request: SentRequest) => void
  /** Timeout (ms) of one attempt. Default: 30,000. */
  readonly timeoutMs?: number
  /** First backoff (ms) before a retry; later ones double. Default: 500. */
  readonly firstWaitMs?: number
}

/**
 * Creates the adapter. An aborted call throws the signal's reason if nothing can have happened. If an earlier attempt has an unknown
 * outcome, the call throws the error of that attempt. A write in flight is awaited, not aborted.
 */
export function createStripeProcessor(options: StripeProcessorOptions): Processor {
  const { secretKey, apiBase, budget, clock, timeoutMs = attemptTimeoutMs, firstWaitMs = 500 } = options
  const stripe = connect({ secretKey, apiBase, timeoutMs })
  const { onRequest, listBudget = unlimitedBudget } = options
  const caller = createCaller({ secretKey, budget, clock, firstWaitMs, onRequest })
  const context: StripeContext = { stripe, caller, clock, kinds: kindsOf(stripe) }
  const listing = {
    ...context,
    caller: createCaller({ secretKey, budget: inTurn(listBudget, budget), clock, firstWaitMs, onRequest }),
  }
  return {
    account: async (signal) => {
      // Check the format for Stripe itself only; another server, e.g. the sandbox, may accept any key.
      const problem = apiBase === null ? keyProblem(secretKey) : null
      if (problem !== null) throw new ProcessorError('unauthorized', `${problem}.`)
      return readAccount(context, isLiveKey(secretKey), signal)
    },
    snapshot: (reading) => readSnapshot(context, reading),
    perform: async (step, writing) => performStep(context, writingStep(step), writing),
    locate: async (step, signal) => locateStep(context, writingStep(step), signal),
    events: (query, signal) => readEvents(context, query, signal),
    liveSubscriptions: async (price, signal) => (await runningSubscriptions(context, { price }, signal)).length,
    knowsCustomer: (customer, signal) => knowsCustomer(context, customer, signal),
    discardWebhook: async (endpoint, writing) => {
      const request = discardRequest(stripe.webhookEndpoints, endpoint)
      await performDeletion(context, 'webhook_endpoint', request, endpoint, writing)
    },
    ...customerHalf(context),
    ...createMirrorReads({ context, listing, livemode: isLiveKey(secretKey) }),
  }
}

function customerHalf(context: StripeContext): CustomerProcessor {
  return {
    someSubscriptions: (pages, signal) => someSubscriptions(context, pages, signal),
    entitlements: (customer, signal) => readEntitlements(context, customer, signal),
    subscriptions: (customer, signal) => runningSubscriptions(context, { customer }, signal),
    everySubscription: (customer, signal) => everySubscription(context, { customer }, signal),
    subscriptionsOfPrice: (price, signal) => runningSubscriptions(context, { price }, signal),
    subscription: (id, signal) => readSubscription(context, id, signal),
    swapItems: (subscription, swaps, writing) => swapItems(context, subscription, swaps, writing),
    scheduleSwaps: (request, writing) => scheduleSwaps(context, request, writing),
    scheduledPrices: (subscription, signal) => readScheduledPrices(context, subscription, signal),
    createCustomer: (customer, writing) => createCustomer(context, customer, writing),
    updateCustomer: (customer, change, writing) => updateCustomer(context, customer, change, writing),
    findCustomer: (tenantId, since, signal) => findCustomer(context, tenantId, since, signal),
    createCheckout: (request, writing) => createCheckout(context, request, writing),
    expireCheckouts: (request, signal) => expireCheckouts(context, request, signal),
    createPortal: (request, writing) => createPortal(context, request, writing),
    usageErrors: (signal) => readUsageErrors(context, signal),
    recordUsage: (event, writing) => recordUsage(context, event, writing),
    upcomingInvoice: (subscription, signal) => upcomingInvoice(context, subscription, signal),
  }
}

function writingStep(step: ResolvedStep): WritingStep {
  if (step.op === 'record') throw new TypeError('A record step is nothing for the processor.')
  return step
}

/** Reads the account. The mode (test or live) comes from the key, because Stripe's account object does not contain it. */
async function readAccount(
  { stripe, caller }: StripeContext,
  livemode: boolean,
  signal: AbortSignal,
): Promise<ProcessorAccount> {
  const account = await caller.call({
    operation: 'GET /v1/account',
    access: 'read',
    signal,
    send: () => stripe.accounts.retrieveCurrent(),
    flaw: (answer) => replyFlaw(answer, 'account', null),
  })
  return { id: account.id, livemode }
}
