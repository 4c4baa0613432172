import { acted, call, type ActOptions, type WriteOptions } from '../call.ts'
import type { CallOptions, Transport } from '../transport.ts'
import type * as result from '../wire.generated.ts'

interface TenantChoice {
  /** Only with a service key: a session has a tenant already. */
  readonly tenantId?: string | undefined
}

/** Calls with which a tenant reads and changes its subscription. With a service key, pass `tenantId`. */
export interface SubscriptionClient {
  /** Returns the tenant's subscriptions, oldest first. */
  list(query?: TenantChoice, options?: CallOptions): Promise<result.TenantSubscriptions>
  /** Returns a page of the tenant's finalized invoices, newest first. */
  invoices(
    query?: TenantChoice & { readonly limit?: number | undefined; readonly offset?: number | undefined },
    options?: CallOptions,
  ): Promise<result.TenantInvoices>
  /** Returns what a change would cost. Show it, then pass its `preview` to {@link SubscriptionClient.change}. */
  preview(change: result.NewPreview, options?: CallOptions): Promise<result.ChangePreview>
  /**
   * Changes plan, seats or interval. If the result has the status `payment_required`, send the customer to `url`: nothing changes before
   * the payment.
   */
  change(change: result.NewChange, options?: ActOptions & WriteOptions): Promise<result.ChangeOutcome>
  /** Cancels at the end of the period, or with a service key also now. */
  cancel(cancellation?: result.NewCancellation, options?: ActOptions & WriteOptions): Promise<result.Subscription>
  /** Undoes a cancellation, a pause or a scheduled change. */
  resume(resumption?: result.NewResumption, options?: ActOptions & WriteOptions): Promise<result.Subscription>
  /** Pauses the collection of invoices. Needs a service key. */
  pause(pause: result.NewPause, options?: ActOptions & WriteOptions): Promise<result.Subscription>
}

export const subscriptionClient = (transport: Transport): SubscriptionClient => ({
  list: (query = {}, options) => call(transport, 'listSessionSubscriptions', { query }, options),
  invoices: (query = {}, options) => call(transport, 'listSessionInvoices', { query }, options),
  preview: (body, options) => call(transport, 'previewChange', { body }, options),
  change: (body, options = {}) => call(transport, 'changeSubscription', { body, keyed: true }, acted(options)),
  cancel: (body = {}, options = {}) => call(transport, 'cancelOwnSubscription', { body, keyed: true }, acted(options)),
  resume: (body = {}, options = {}) => call(transport, 'resumeSubscription', { body, keyed: true }, acted(options)),
  pause: (body, options = {}) => call(transport, 'pauseSubscription', { body, keyed: true }, acted(options)),
})
