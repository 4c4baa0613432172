// The lists that together contain every object of a kind, and the cursor over these lists. One list is not enough. Without a filter, Stripe
// leaves out inactive prices, and the customers and subscriptions of test clocks.
import type { Stripe } from 'stripe'
import type { MirroredKind } from '../../mirrored.ts'
import { readAll } from '../customers/single-object.ts'
import type { StripeContext } from '../catalog/context.ts'
import { priceExpand } from './mirrored-money.ts'
import { invoiceExpand } from './mirrored-invoice.ts'
import { purchaseExpand } from './mirrored-credits.ts'
import { subscriptionExpand } from './mirrored-subscription.ts'

/**
 * Position in the lists (parts) of a kind. As text it is `<part>:<id of the last object>`, e.g. `all:sub_1`. The id is empty at the start
 * of a part.
 */
export interface Place {
  readonly part: string
  readonly after: string
}

/** Name of the part (list) with the objects that are on no test clock. The part of a test clock is named by the clock's id. */
const ordinary = 'all'

export function firstPart(kind: MirroredKind): Place {
  return { part: kind === 'price' ? 'active' : ordinary, after: '' }
}

export function placeOf(kind: MirroredKind, cursor: string | null): Place {
  if (cursor === null) return firstPart(kind)
  const colon = cursor.indexOf(':')
  return { part: cursor.slice(0, colon), after: cursor.slice(colon + 1) }
}

export function cursorOf({ part, after }: Place): string {
  return `${part}:${after}`
}

/**
 * Returns the next part after a finished part; null after the last part. In live mode there is only one part, because there are no test
 * clocks.
 */
export async function partAfter(
  context: StripeContext,
  kind: MirroredKind,
  part: string,
  livemode: boolean,
  signal: AbortSignal,
): Promise<string | null> {
  if (kind === 'price') return part === 'active' ? 'inactive' : null
  if (livemode || (kind !== 'customer' && kind !== 'subscription')) return null
  const clocks = await readAll<Stripe.TestHelpers.TestClock>(
    context,
    'test_helpers.test_clock',
    {
      operation: 'GET /v1/test_helpers/test_clocks',
      page: (paging, options) => context.stripe.testHelpers.testClocks.list(paging, options),
    },
    signal,
  )
  // Stripe lists test clocks newest first. If the finished clock was deleted meanwhile, `indexOf` returns -1, and the newest clock is next.
  // Its objects are then read again, which is harmless.
  const names = clocks.map((clock) => clock.id)
  return names[names.indexOf(part) + 1] ?? null
}

type Paging = Stripe.PaginationParams
const inLists = (members: readonly string[]) => members.map((member) => `data.${member}`)

interface PartRequest {
  readonly operation: string
  readonly page: (paging: Paging) => Promise<Stripe.Response<Stripe.ApiList<{ id: string; object: string }>>>
}

/** Returns the list request of one part. */
export function partRequest({ stripe }: StripeContext, kind: MirroredKind, part: string): PartRequest {
  const clock = part === ordinary ? {} : { test_clock: part }
  const requests: Readonly<Record<MirroredKind, PartRequest>> = {
    price: {
      operation: 'GET /v1/prices',
      page: (paging) => stripe.prices.list({ ...paging, active: part === 'active', expand: inLists(priceExpand) }),
    },
    customer: {
      operation: 'GET /v1/customers',
      page: (paging) => stripe.customers.list({ ...paging, ...clock }),
    },
    subscription: {
      operation: 'GET /v1/subscriptions',
      page: (paging) =>
        stripe.subscriptions.list({ ...paging, ...clock, status: 'all', expand: inLists(subscriptionExpand) }),
    },
    invoice: {
      operation: 'GET /v1/invoices',
      page: (paging) => stripe.invoices.list({ ...paging, expand: inLists(invoiceExpand) }),
    },
    credit_note: { operation: 'GET /v1/credit_notes', page: (paging) => stripe.creditNotes.list(paging) },
    refund: { operation: 'GET /v1/refunds', page: (paging) => stripe.refunds.list(paging) },
    purchase: {
      operation: 'GET /v1/checkout/sessions',
      page: (paging) =>
        stripe.checkout.sessions.list({ ...paging, status: 'complete', expand: inLists(purchaseExpand) }),
    },
    credit_grant: {
      operation: 'GET /v1/billing/credit_grants',
      page: (paging) => stripe.billing.creditGrants.list(paging),
    },
    credit_transaction: {
      operation: 'GET /v1/billing/credit_balance_transactions',
      page: (paging) => stripe.billing.creditBalanceTransactions.list(paging),
    },
  }
  return requests[kind]
}
