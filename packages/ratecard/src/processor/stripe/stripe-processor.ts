// The Stripe adapter: performs steps and reads the account through the official SDK. It makes no decisions about the catalog. It sends
// every write with the caller's idempotency key, and verifies every response.
import type { Stripe } from 'stripe'
import type { Clocks } from '../../base/clock.ts'
import type { ResolvedStep } from '../../catalog/steps.ts'
import type { SubscriptionProcessor } from '../subscription-change.ts'
import type { Processor, ProcessorAccount } from '../processor.ts'
import { inTurn, unlimitedBudget, type RateBudget } from '../rate-budget.ts'
import { createCaller, isAnswer } from './connection/call.ts'
import { createContact } from './connection/contact.ts'
import { sortFailure } from './connection/errors.ts'
import { createCheckout, createPortal, expireCheckouts } from './customers/checkout.ts'
import { ProcessorError } from '../processor-error.ts'
import { type SentRequest, attemptTimeoutMs } from '../write-options.ts'
import { createStripe, isLiveKey, keyProblem } from './connection/connection.ts'
import { createCreditGrant, findCreditGrant } from './customers/credit-grants.ts'
import { createCustomer, customerState, findCustomer, updateCustomer } from './customers/customers.ts'
import { kindsOf, replyFlaw, type StripeContext } from './catalog/context.ts'
import { readEvents } from './catalog/stripe-events.ts'
import { discardRequest } from './kinds/webhook.ts'
import { locateStep } from './catalog/locate.ts'
import { readEntitlements } from './customers/entitlements.ts'
import { performStep, type WritingStep } from './catalog/perform.ts'
import { createMirrorReads } from './mirror/mirror-reads.ts'
import { performDeletion } from './connection/perform-request.ts'
import {
  discountedSubscriptions,
  discountOffer,
  findDiscounts,
  previewDiscounts,
  setDiscounts,
} from './subscriptions/discounts.ts'
import { upcomingInvoice } from './subscriptions/previews.ts'
import {
  cancelSubscription,
  changeSettings,
  previewUpdate,
  readChangeable,
  readPhases,
  resumeSubscription,
  updateItems,
  voidInvoice,
} from './subscriptions/changes.ts'
import {
  previewScheduled,
  readScheduledPrices,
  releaseSchedule,
  scheduleItems,
  scheduleSwaps,
} from './subscriptions/schedules.ts'
import { readReleased, restoreSchedule } from './subscriptions/restored-schedules.ts'
import { readSnapshot } from './catalog/snapshot.ts'
import { someSubscriptions } from './subscriptions/some-subscriptions.ts'
import {
  everySubscription,
  readSubscription,
  runningSubscriptions,
  setPriceActive,
  swapItems,
} from './subscriptions/subscriptions.ts'
import { createCoupons } from './mirror/coupons.ts'
import { redeemedCoupons } from './customers/redeemed.ts'
import { recordUsage } from './customers/usage.ts'
import { readUsageErrors } from './customers/usage-errors.ts'

export interface StripeProcessorOptions extends Clocks {
  readonly secretKey: string
  /**
   * Base URL of another server with the same API, e.g. `http://127.0.0.1:4243`; null means Stripe itself. A live key is refused for any
   * other server.
   */
  readonly apiBase: string | null
  readonly budget: RateBudget
  /** Budget (requests per second) for the list pages that fill the mirror. Each page takes from this budget and from `budget`. Default: no limit besides `budget`. */
  readonly listBudget?: RateBudget
  /** Called after each request, e.g. to count it. */
  readonly onRequest?: (request: SentRequest) => void
  /** Timeout (ms) of one attempt. Default: 30,000. */
  readonly timeoutMs?: number
  /** First backoff (ms) before a retry; later ones double. Default: 500. */
  readonly firstWaitMs?: number
}

/**
 * Creates the adapter. If a call is aborted and certainly nothing happened, it throws the signal's reason. If an earlier attempt of the
 * call has an unknown outcome, it throws the error of that attempt. A write in flight is awaited and never aborted.
 */
export function createStripeProcessor(options: StripeProcessorOptions): Processor {
  const {
    secretKey,
    apiBase,
    budget,
    clock,
    wallClock = clock,
    timeoutMs = attemptTimeoutMs,
    firstWaitMs = 500,
  } = options
  const stripe = createStripe({ secretKey, apiBase, timeoutMs })
  const { onRequest, listBudget = unlimitedBudget } = options
  const contact = createContact({ clock: wallClock, probe: () => answers(stripe, secretKey) })
  const calling = { secretKey, contact, clock: wallClock, firstWaitMs, onRequest }
  const caller = createCaller({ ...calling, budget })
  const context: StripeContext = { stripe, caller, clock, wallClock, kinds: kindsOf(stripe) }
  const listing = {
    ...context,
    caller: createCaller({ ...calling, budget: inTurn(listBudget, budget) }),
  }
  return {
    silentSince: contact.silentSince,
    account: async (signal) => {
      // The format of the key is checked only for Stripe itself, because another server (e.g. the sandbox) may accept any key.
      const problem = apiBase === null ? keyProblem(secretKey) : null
      if (problem !== null) throw new ProcessorError('unauthorized', `${problem}.`)
      return readAccount(context, isLiveKey(secretKey), signal)
    },
    snapshot: (reading) => readSnapshot(context, reading),
    perform: async (step, writing) => performStep(context, writingStep(step), writing),
    locate: async (step, signal) => locateStep(context, writingStep(step), signal),
    events: (query, signal) => readEvents(context, query, signal),
    liveSubscriptions: async (price, signal) => (await runningSubscriptions(context, { price }, signal)).length,
    discardWebhook: async (endpoint, writing) => {
      const request = discardRequest(stripe.webhookEndpoints, endpoint)
      await performDeletion(context, 'webhook_endpoint', request, endpoint, writing)
    },
    ...customerHalf(context),
    createCreditGrant: (grant, writing) => createCreditGrant(context, grant, writing),
    findCreditGrant: (customer, source, signal) => findCreditGrant(context, customer, source, signal),
    ...createMirrorReads({ context, listing, livemode: isLiveKey(secretKey) }),
  }
}

function customerHalf(context: StripeContext): SubscriptionProcessor {
  const coupons = createCoupons(context)
  return {
    someSubscriptions: (pages, signal) => someSubscriptions(context, pages, signal),
    entitlements: (customer, signal) => readEntitlements(context, customer, signal),
    subscriptions: (customer, signal) => runningSubscriptions(context, { customer }, signal),
    everySubscription: (customer, signal) => everySubscription(context, { customer }, signal),
    subscriptionsOfPrice: (price, signal) => runningSubscriptions(context, { price }, signal),
    subscription: (id, signal) => readSubscription(context, id, signal),
    swapItems: (subscription, swaps, writing) => swapItems(context, subscription, swaps, writing),
    scheduleSwaps: (request, writing) => scheduleSwaps(context, request, writing),
    changeable: (subscription, signal) => readChangeable(context, coupons, subscription, signal),
    schedulePhases: (schedule, signal) => readPhases(context, schedule, signal),
    previewUpdate: (update, invoice, signal) => previewUpdate(context, update, invoice, signal),
    previewScheduled: (request, invoice, signal) => previewScheduled(context, request, invoice, signal),
    updateItems: (update, writing) => updateItems(context, update, writing),
    scheduleItems: (request, writing) => scheduleItems(context, request, writing),
    releasedSchedule: (id, signal) => readReleased(context, id, signal),
    restoreSchedule: (request, writing) => restoreSchedule(context, request, writing),
    releaseSchedule: ({ schedule }, writing) => releaseSchedule(context, schedule, writing),
    voidInvoice: ({ invoice }, writing) => voidInvoice(context, invoice, writing),
    changeSettings: (settings, writing) => changeSettings(context, settings, writing),
    cancelSubscription: (request, writing) => cancelSubscription(context, request, writing),
    resumeSubscription: (subscription, writing) => resumeSubscription(context, subscription, writing),
    discountedSubscriptions: (customer, signal) => discountedSubscriptions(context, customer, signal),
    findDiscounts: (update, signal) => findDiscounts(context, update, signal),
    discountOffer: (source, signal) => discountOffer(context, source, signal),
    previewDiscounts: (update, signal) => previewDiscounts(context, update, signal),
    setDiscounts: (update, writing) => setDiscounts(context, update, writing),
    scheduledPrices: (subscription, signal) => readScheduledPrices(context, subscription, signal),
    setPriceActive: (price, active, writing) => setPriceActive(context, price, active, writing),
    createCustomer: (customer, writing) => createCustomer(context, customer, writing),
    updateCustomer: (customer, change, writing) => updateCustomer(context, customer, change, writing),
    findCustomer: (tenantId, since, signal) => findCustomer(context, tenantId, since, signal),
    createCheckout: (request, writing) => createCheckout(context, request, writing),
    customerState: (customer, signal) => customerState(context, customer, signal),
    redeemed: (customer, signal) => redeemedCoupons(context, customer, signal),
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

/** Time (ms) that a probe waits for an answer. */
const probeMs = 1_500

/** Sends one read without retries. Resolves with whether Stripe answered, even with a refusal. */
async function answers(stripe: Stripe, secretKey: string): Promise<boolean> {
  try {
    await stripe.accounts.retrieveCurrent({}, { timeout: probeMs })
    return true
  } catch (error) {
    return isAnswer(sortFailure(error, 'read', secretKey).repeat)
  }
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
