// The client of a Ratecard service: one typed function per route. It holds no state, retries only what may be repeated,
// and uses nothing but `fetch`, so that it runs in browsers, Node and workers alike.
import { adminClient } from './admin.ts'
import type { AdminClient } from './admin.ts'
import { billingClient } from './billing.ts'
import type { BillingClient } from './billing.ts'
import { createTransport } from './transport.ts'
import type { ClientOptions } from './transport.ts'

export interface Client {
  /** Public calls. */
  readonly billing: BillingClient
  /** Calls that need a service key. */
  readonly admin: AdminClient
}

/**
 * A client of the service at `baseUrl`. Calls fail with {@link RatecardError}.
 *
 * @example
 * const ratecard = createClient({ baseUrl: 'http://127.0.0.1:4242' })
 * const { price } = await ratecard.billing.price('pro_monthly')
 */
export function createClient(options: ClientOptions): Client {
  const transport = createTransport(options)
  return { billing: billingClient(transport), admin: adminClient(transport) }
}

export { RatecardError, errorFromProblem } from './error.ts'
export type { Issue, ProcessorWords } from './error.ts'
export type { AdminClient, Page, PushOptions } from './admin.ts'
export type { BillingClient } from './billing.ts'
export type { CallOptions, ClientOptions } from './transport.ts'
export type * from './documents.ts'
export type * from './results.ts'
