import { isLiteralRequest } from './known.ts'
import type { Operation } from './operation.ts'
import { account } from '../resources/account.ts'
import { checkoutSessions } from '../resources/checkout-sessions.ts'
import { coupons } from '../resources/coupons.ts'
import { creditNotes } from '../resources/credit-notes.ts'
import { customerSources } from '../resources/customer-sources.ts'
import { customers } from '../resources/customers.ts'
import { entitlementFeatures } from '../resources/entitlement-features.ts'
import { events } from '../resources/events.ts'
import { invoiceItems } from '../resources/invoice-items.ts'
import { invoices } from '../resources/invoices.ts'
import { lateEvents } from '../resources/late-events.ts'
import { meterEventStream } from '../resources/meter-event-stream.ts'
import { meterEvents } from '../resources/meter-events.ts'
import { meters } from '../resources/meters.ts'
import { charges, paymentIntents } from '../resources/payment-intents.ts'
import { paymentMethods } from '../resources/payment-methods.ts'
import { paymentPages } from '../resources/payment-pages.ts'
import { plans } from '../resources/plans.ts'
import { portalConfigurations } from '../resources/portal-configurations.ts'
import { portalSessions } from '../resources/portal-sessions.ts'
import { prices } from '../resources/prices.ts'
import { products } from '../resources/products.ts'
import { promotionCodes } from '../resources/promotion-codes.ts'
import { refunds } from '../resources/refunds.ts'
import { searches } from '../resources/search.ts'
import { setupIntents } from '../resources/setup-intents.ts'
import { subscriptionItems } from '../resources/subscription-items.ts'
import { subscriptionSchedules } from '../resources/subscription-schedules.ts'
import { subscriptions } from '../resources/subscriptions.ts'
import { taxRates } from '../resources/tax-rates.ts'
import { testClocks } from '../resources/test-clocks.ts'
import { webhookEndpoints } from '../resources/webhook-endpoints.ts'

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
  ...invoiceItems,
  ...creditNotes,
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
  ...setupIntents,
]

interface Routed {
  readonly operation: Operation
  /** The id in the path, or ''. */
  readonly id: string
  /** The id of what belongs to it, or ''. */
  readonly childId: string
}

const byPattern = new Map(operations.map((operation) => [`${operation.method} ${operation.path}`, operation]))
const patterns = [...new Set(operations.map((operation) => operation.path))].map((path) => ({
  path,
  parts: path.split('/'),
}))

/** Which operation a request means. A literal segment wins over `:id`. */
export function route(method: string, path: string): Routed | undefined {
  const exact = byPattern.get(`${method} ${path}`)
  if (exact !== undefined) return { operation: exact, id: '', childId: '' }
  if (isLiteralRequest(method, path)) return undefined
  const parts = path.split('/')
  for (const pattern of patterns) {
    if (pattern.parts.length !== parts.length) continue
    if (!pattern.parts.every((part, index) => (part.startsWith(':') && parts[index] !== '') || part === parts[index]))
      continue
    const operation = byPattern.get(`${method} ${pattern.path}`)
    if (operation !== undefined) {
      const at = (name: string): string => decoded(parts[pattern.parts.indexOf(name)] ?? '')
      return { operation, id: at(':id'), childId: at(':child') }
    }
  }
  return undefined
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
