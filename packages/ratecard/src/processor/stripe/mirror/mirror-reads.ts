// Reads for the mirror: list pages of all objects of a kind, and single objects.
import type { Stripe } from 'stripe'
import type { Mirrored, MirroredKind, MirroredPage, MirrorReads } from '../../mirrored.ts'
import { isUnknownObject, isUnreadable } from '../../failures.ts'
import type { StripeContext } from '../catalog/context.ts'
import { lostItsCursor, pageFlaw } from '../connection/pages.ts'
import type { UntrustedReply } from '../connection/reading.ts'
import { readOne, translateReply } from '../customers/single-object.ts'
import { countedUsage } from '../customers/usage.ts'
import type { SubscriptionReply } from '../subscriptions/live-subscription.ts'
import { createCoupons, mirroredDiscounts, type DiscountReply, type FindCoupon } from './coupons.ts'
import { readDelivery } from './delivery.ts'
import { createEventsEndpoint, listEventsEndpoints } from './events-endpoint.ts'
import { cursorOf, partAfter, partRequest, placeOf, type Place } from './list-parts.ts'
import { invoiceExpand, mirroredInvoice, type InvoiceReply } from './mirrored-invoice.ts'
import { mirroredCreditGrant, mirroredCreditTransaction, mirroredPurchase, purchaseExpand } from './mirrored-credits.ts'
import type { SessionReply } from './mirrored-credits.ts'
import { mirroredCreditNote, mirroredCustomer, mirroredPrice, mirroredRefund, priceExpand } from './mirrored-money.ts'
import { mirroredSubscription, subscriptionExpand } from './mirrored-subscription.ts'

const pageSize = 100

/** Stripe's name of the objects of each kind. */
const objectNames: Readonly<Record<MirroredKind, string>> = {
  price: 'price',
  customer: 'customer',
  subscription: 'subscription',
  invoice: 'invoice',
  credit_note: 'credit_note',
  refund: 'refund',
  purchase: 'checkout.session',
  credit_grant: 'billing.credit_grant',
  credit_transaction: 'billing.credit_balance_transaction',
}

interface Reply {
  readonly id: string
  readonly object: string
}

export interface MirrorContext {
  /** Context whose calls use the whole rate budget. For single objects. */
  readonly context: StripeContext
  /** Context for list pages. Its calls may use only a share of the rate budget. */
  readonly listing: StripeContext
  readonly livemode: boolean
}

export function createMirrorReads({ context, listing, livemode }: MirrorContext): MirrorReads {
  const coupons = createCoupons(context)
  return {
    mirrorPage: (kind, after, signal) => readPage(listing, coupons, kind, placeOf(kind, after), livemode, signal),
    mirrorObject: async (kind, id, signal) => {
      const reply = await readOne<Reply>(
        context,
        objectRequest(context, kind, id),
        { object: objectNames[kind], id },
        signal,
      )
      return reply === null ? null : translateReplyOf(context, coupons, kind, reply, signal)
    },
    countedUsage: (query, signal) => countedUsage(listing, query, signal),
    eventsEndpoints: (signal) => listEventsEndpoints(context, signal),
    createEventsEndpoint: (endpoint, options) => createEventsEndpoint(context, endpoint, options),
    delivery: (delivered) => readDelivery(context.stripe, delivered, context.wallClock.now()),
  }
}

async function readPage<K extends MirroredKind>(
  context: StripeContext,
  coupons: FindCoupon,
  kind: K,
  place: Place,
  livemode: boolean,
  signal: AbortSignal,
): Promise<MirroredPage<K>> {
  const page = await listedPage(context, kind, place, signal)
  const objects: Mirrored[K][] = []
  const unreadable: string[] = []
  for (const reply of page.data) {
    try {
      const object = await translateReplyOf(context, coupons, kind, reply, signal)
      if (object !== null) objects.push(object)
    } catch (error) {
      if (signal.aborted || !isUnreadable(error)) throw error
      unreadable.push(reply.id)
    }
  }
  const last = page.data.at(-1)
  if (page.has_more && last !== undefined)
    return { objects, unreadable, next: cursorOf({ part: place.part, after: last.id }) }
  const part = await partAfter(context, kind, place.part, livemode, signal)
  return { objects, unreadable, next: part === null ? null : cursorOf({ part, after: '' }) }
}

/** Reads one page. If the object that the cursor names was deleted meanwhile, returns the first page of the part. */
async function listedPage(
  context: StripeContext,
  kind: MirroredKind,
  { part, after }: Place,
  signal: AbortSignal,
): Promise<Pick<Stripe.ApiList<Reply>, 'data' | 'has_more'>> {
  const request = partRequest(context, kind, part)
  const read = (cursor: string) =>
    context.caller.call({
      operation: request.operation,
      access: 'read',
      signal,
      send: () => request.page({ limit: pageSize, ...(cursor === '' ? {} : { starting_after: cursor }) }),
      flaw: (answer) => pageFlaw(answer, objectNames[kind]),
    })
  try {
    return await read(after)
  } catch (error) {
    // A test clock that was deleted meanwhile took its objects with it.
    if (isUnknownObject(error) && error.original.param === 'test_clock') return { data: [], has_more: false }
    if (after === '' || !lostItsCursor(error)) throw error
    return read('')
  }
}

/** Converts a reply for the mirror. Returns null for an object that the mirror does not keep, e.g. a one-time price. */
async function translateReplyOf<K extends MirroredKind>(
  context: StripeContext,
  coupons: FindCoupon,
  kind: K,
  reply: Reply,
  signal: AbortSignal,
): Promise<Mirrored[K] | null> {
  const readers: { readonly [Kind in MirroredKind]: () => Mirrored[Kind] | null | Promise<Mirrored[Kind] | null> } = {
    price: () => translateReply(reply as UntrustedReply<Stripe.Price>, mirroredPrice),
    customer: async () => {
      const customer = reply as UntrustedReply<Stripe.Customer | Stripe.DeletedCustomer>
      const [discount = null] = await mirroredDiscounts(ownDiscount(customer), coupons, signal)
      return translateReply(customer, (said) => mirroredCustomer(said, discount))
    },
    subscription: () => mirroredSubscription(context, coupons, reply as SubscriptionReply, signal),
    invoice: () => mirroredInvoice(context, reply as InvoiceReply, signal),
    credit_note: () => translateReply(reply as UntrustedReply<Stripe.CreditNote>, mirroredCreditNote),
    refund: () => translateReply(reply as UntrustedReply<Stripe.Refund>, mirroredRefund),
    purchase: () => mirroredPurchase(context, reply as SessionReply, signal),
    credit_grant: () => translateReply(reply as UntrustedReply<Stripe.Billing.CreditGrant>, mirroredCreditGrant),
    credit_transaction: () =>
      translateReply(reply as UntrustedReply<Stripe.Billing.CreditBalanceTransaction>, mirroredCreditTransaction),
  }
  return readers[kind]()
}

function ownDiscount(said: UntrustedReply<Stripe.Customer | Stripe.DeletedCustomer>): readonly DiscountReply[] {
  const { discount } = said as UntrustedReply<Stripe.Customer>
  return discount === null || discount === undefined ? [] : [discount]
}

function objectRequest({ stripe }: StripeContext, kind: MirroredKind, id: string) {
  type Options = Stripe.RequestOptions
  const requests: Readonly<
    Record<MirroredKind, { operation: string; send: (options: Options) => Promise<Stripe.Response<Reply>> }>
  > = {
    price: {
      operation: 'GET /v1/prices/:id',
      send: (options) => stripe.prices.retrieve(id, { expand: [...priceExpand] }, options),
    },
    customer: { operation: 'GET /v1/customers/:id', send: (options) => stripe.customers.retrieve(id, {}, options) },
    subscription: {
      operation: 'GET /v1/subscriptions/:id',
      send: (options) => stripe.subscriptions.retrieve(id, { expand: [...subscriptionExpand] }, options),
    },
    invoice: {
      operation: 'GET /v1/invoices/:id',
      send: (options) => stripe.invoices.retrieve(id, { expand: [...invoiceExpand] }, options),
    },
    credit_note: {
      operation: 'GET /v1/credit_notes/:id',
      send: (options) => stripe.creditNotes.retrieve(id, {}, options),
    },
    refund: { operation: 'GET /v1/refunds/:id', send: (options) => stripe.refunds.retrieve(id, {}, options) },
    purchase: {
      operation: 'GET /v1/checkout/sessions/:id',
      send: (options) => stripe.checkout.sessions.retrieve(id, { expand: [...purchaseExpand] }, options),
    },
    credit_grant: {
      operation: 'GET /v1/billing/credit_grants/:id',
      send: (options) => stripe.billing.creditGrants.retrieve(id, {}, options),
    },
    credit_transaction: {
      operation: 'GET /v1/billing/credit_balance_transactions/:id',
      send: (options) => stripe.billing.creditBalanceTransactions.retrieve(id, {}, options),
    },
  }
  return requests[kind]
}
