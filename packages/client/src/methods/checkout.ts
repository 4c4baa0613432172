import { acted, call, type WriteOptions } from '../call.ts'
import type { MeterId } from '../ids.ts'
import type { CallOptions, Transport } from '../transport.ts'
import type * as result from '../wire.generated.ts'

export interface CheckoutClient {
  /** Creates a checkout page. Redirect the customer to its `url`. */
  create(checkout: result.NewCheckout, options?: WriteOptions): Promise<result.Checkout>
}

/**
 * Returns the prices negotiated for the tenant of the session, each with the public price that it replaces. With a service key, pass
 * `tenantId`.
 */
export type SessionPricesCall = (
  query?: { readonly tenantId?: string | undefined },
  options?: CallOptions,
) => Promise<result.SessionPrices>

export interface PortalClient {
  /** Creates a link to the processor's customer portal, where customers manage their subscriptions. */
  create(portal: result.NewPortal, options?: CallOptions): Promise<{ url: string }>
}

export interface UsageClient {
  record(usage: result.NewUsage, options?: WriteOptions): Promise<result.Usage>
  /**
   * Returns the usage of the last 30 days that was accepted but later dropped, newest first. Dropped usage is not billed. Needs a service
   * key.
   */
  dropped(
    query?: { readonly meter?: MeterId | undefined; readonly tenantId?: string | undefined } & CallOptions,
  ): Promise<result.DroppedUsage[]>
}

export const checkoutClient = (transport: Transport): CheckoutClient => ({
  create: (body, options = {}) => call(transport, 'createCheckout', { body, keyed: true }, acted(options)),
})

export const sessionPricesCall =
  (transport: Transport): SessionPricesCall =>
  (query = {}, options) =>
    call(transport, 'listSessionPrices', { query }, options)

export const portalClient = (transport: Transport): PortalClient => ({
  create: (body, options) => call(transport, 'createPortal', { body }, options),
})

export const usageClient = (transport: Transport): UsageClient => ({
  record: (body, options = {}) => call(transport, 'recordUsage', { body, keyed: true }, acted(options)),
  dropped: async ({ meter, tenantId, ...options } = {}) =>
    (await call(transport, 'listDroppedUsage', { query: { meter, tenantId } }, options)).dropped,
})
