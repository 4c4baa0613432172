import { acted, call } from './call.ts'
import type { WriteOptions } from './call.ts'
import type { CallOptions, Transport } from './transport.ts'
import type * as result from './wire.generated.ts'

export interface CheckoutClient {
  /** Send the customer to the `url` of the answer. */
  create(checkout: result.NewCheckout, options?: WriteOptions): Promise<result.Checkout>
}

/** The prices that the tenant of the session negotiated, each in place of a public one. A service key says which tenant. */
export type SessionPricesCall = (
  query?: { readonly tenantId?: string | undefined },
  options?: CallOptions,
) => Promise<result.SessionPrices>

/** The features that the tenant of the session may use. A service key says which tenant. */
export type EntitlementsCall = (
  query?: { readonly tenantId?: string | undefined },
  options?: CallOptions,
) => Promise<result.Entitlements>

export interface PortalClient {
  /** The processor's portal, where customers look after what they bought. */
  create(
    portal: { readonly returnUrl: string; readonly tenantId?: string | undefined },
    options?: CallOptions,
  ): Promise<{ url: string }>
}

export interface UsageClient {
  record(usage: result.NewUsage, options?: WriteOptions): Promise<result.Usage>
  /** What was taken and then dropped in the last 30 days, newest first; with a service key. It is not billed. */
  dropped(
    query?: { readonly meter?: string | undefined; readonly tenantId?: string | undefined } & CallOptions,
  ): Promise<result.DroppedUsage[]>
}

export const checkoutClient = (transport: Transport): CheckoutClient => ({
  create: (body, options = {}) => call(transport, 'createCheckout', { body, keyed: true }, acted(options)),
})

export const sessionPricesCall =
  (transport: Transport): SessionPricesCall =>
  (query = {}, options) =>
    call(transport, 'listSessionPrices', { query }, options)

export const entitlementsCall =
  (transport: Transport): EntitlementsCall =>
  (query = {}, options) =>
    call(transport, 'getEntitlements', { query }, options)

export const portalClient = (transport: Transport): PortalClient => ({
  create: (body, options) => call(transport, 'createPortal', { body }, options),
})

export const usageClient = (transport: Transport): UsageClient => ({
  record: (body, options = {}) => call(transport, 'recordUsage', { body, keyed: true }, acted(options)),
  dropped: async ({ meter, tenantId, ...options } = {}) =>
    (await call(transport, 'listDroppedUsage', { query: { meter, tenantId } }, options)).dropped,
})
