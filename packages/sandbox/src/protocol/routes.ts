import { isFormerRequest, isLiteralRequest } from './parameters/known-parameters.ts'
import type { Operation } from './operation.ts'
import { account } from '../endpoints/account.ts'
import { checkoutSessions } from '../endpoints/checkout/checkout-sessions.ts'
import { coupons } from '../endpoints/catalog/coupons.ts'
import { creditBalances } from '../endpoints/credits/credit-balances.ts'
import { creditGrants } from '../endpoints/credits/credit-grants.ts'
import { creditNotes } from '../endpoints/invoices/credit-notes.ts'
import { customerSources } from '../endpoints/customers/customer-sources.ts'
import { customers } from '../endpoints/customers/customers.ts'
import { entitlementFeatures } from '../endpoints/catalog/entitlement-features.ts'
import { events } from '../endpoints/webhooks/events.ts'
import { invoiceItems } from '../endpoints/invoices/invoice-items.ts'
import { invoicePayments } from '../endpoints/invoices/invoice-payments.ts'
import { invoices } from '../endpoints/invoices/invoices.ts'
import { lateEvents } from '../endpoints/meters/late-meter-events.ts'
import { meterEventStream } from '../endpoints/meters/meter-event-stream.ts'
import { meterEvents } from '../endpoints/meters/meter-events.ts'
import { meters } from '../endpoints/meters/meters.ts'
import { charges, paymentIntents } from '../endpoints/payments/payment-intents.ts'
import { paymentMethods } from '../endpoints/payments/payment-methods.ts'
import { paymentPages } from '../endpoints/checkout/payment-pages.ts'
import { plans } from '../endpoints/catalog/plans.ts'
import { portalConfigurations } from '../endpoints/portal/portal-configurations.ts'
import { portalSessions } from '../endpoints/portal/portal-sessions.ts'
import { prices } from '../endpoints/catalog/prices.ts'
import { products } from '../endpoints/catalog/products.ts'
import { promotionCodes } from '../endpoints/catalog/promotion-codes.ts'
import { balanceTransactions } from '../endpoints/payments/balance-transactions.ts'
import { refunds } from '../endpoints/payments/refunds.ts'
import { searches } from '../endpoints/search/search.ts'
import { setupIntents } from '../endpoints/payments/setup-intents.ts'
import { subscriptionItems } from '../endpoints/subscriptions/subscription-items.ts'
import { subscriptionSchedules } from '../endpoints/schedules/subscription-schedules.ts'
import { subscriptions } from '../endpoints/subscriptions/subscriptions.ts'
import { taxRates } from '../endpoints/catalog/tax-rates.ts'
import { testClocks } from '../endpoints/test-clocks.ts'
import { webhookEndpoints } from '../endpoints/webhooks/webhook-endpoints.ts'

const operations: readonly Operation[] = [
  ...account,
  ...searches,
  ...products,
  ...prices,
  ...plans,
  ...meters,
  ...coupons,
  ...promotionCodes,
  ...webhookEndpoints,
  ...entitlementFeatures,
  ...customers,
  ...customerSources,
  ...events,
  ...paymentMethods,
  ...subscriptions,
  ...subscriptionItems,
  ...subscriptionSchedules,
  ...invoices,
  ...invoicePayments,
  ...invoiceItems,
  ...creditNotes,
  ...creditGrants,
  ...creditBalances,
  ...meterEvents,
  ...meterEventStream,
  ...lateEvents,
  ...taxRates,
  ...testClocks,
  ...checkoutSessions,
  ...paymentPages,
  ...portalSessions,
  ...portalConfigurations,
  ...paymentIntents,
  ...charges,
  ...refunds,
  ...balanceTransactions,
  ...setupIntents,
]

export interface Route {
  readonly operation: Operation
  /** The id in the path, or '' if the path has none. */
  readonly id: string
  /** The second id in the path, or '' if the path has none. */
  readonly childId: string
}

const byPattern = new Map(operations.map((operation) => [`${operation.method} ${operation.path}`, operation]))
const patterns = [...new Set(operations.map((operation) => operation.path))].map((path) => ({
  path,
  parts: path.split('/'),
}))

/** Returns the operation of a request; undefined if there is none. A literal part of a path takes precedence over `:id`. */
export function route(method: string, path: string): Route | undefined {
  const exact = byPattern.get(`${method} ${path}`)
  if (exact !== undefined) return { operation: exact, id: '', childId: '' }
  if (isLiteralRequest(method, path) || isFormerRequest(method, path)) return undefined
  const parts = path.split('/')
  for (const pattern of patterns) {
    if (pattern.parts.length !== parts.length) continue
    if (!pattern.parts.every((part, index) => (part.startsWith(':') && parts[index] !== '') || part === parts[index]))
      continue
    const operation = byPattern.get(`${method} ${pattern.path}`)
    if (operation !== undefined) {
      const at = (name: string): string => decodeSegment(parts[pattern.parts.indexOf(name)] ?? '')
      return { operation, id: at(':id'), childId: at(':child') }
    }
  }
  return undefined
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
