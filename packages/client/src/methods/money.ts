import { call } from '../call.ts'
import type { PriceId } from '../ids.ts'
import type { CallOptions, Transport } from '../transport.ts'
import { operations } from '../wire.generated.ts'
import type * as result from '../wire.generated.ts'

/** Range of days (`YYYY-MM-DD`, UTC), both included. */
export interface Days extends CallOptions {
  /** First day. Default: 90 days before `to`. */
  readonly from?: string | undefined
  /** Last day. Default: today. */
  readonly to?: string | undefined
}

export interface ExportQuery extends Pick<CallOptions, 'signal'> {
  /** First day (`YYYY-MM-DD`, UTC). Default: the day of the oldest row. */
  readonly from?: string | undefined
  /** Last day (`YYYY-MM-DD`, UTC), included. Default: today. */
  readonly to?: string | undefined
  /** Format of the export. Default: `csv`. */
  readonly format?: 'csv' | 'json' | undefined
}

export interface SubscriberQuery extends CallOptions {
  /**
   * Filter of subscribers. `current`: only those who pay the present amount of the price. `legacy`: only those who still pay a former
   * amount. Default: `all`.
   */
  readonly generation?: 'all' | 'current' | 'legacy' | undefined
  readonly limit?: number | undefined
  readonly offset?: number | undefined
}

/**
 * Calls that read the service's mirror, i.e. its copy of the processor's data. They fail with `mirror_off` if the mirror is off, and with
 * `mirror_filling` until it is complete.
 */
export interface MoneyClient {
  /** Returns the monthly recurring revenue now, by currency, product and price. */
  now(options?: CallOptions): Promise<result.Money>
  /** Returns the monthly recurring revenue and its movements day by day, with the pushes in that period. */
  days(days?: Days): Promise<result.MoneyDays>
  /** Returns the subscribers of a price, by tenant id. */
  subscribers(priceId: PriceId, query?: SubscriberQuery): Promise<result.Subscribers>
  /** Returns finalized invoices, credit notes and refunds as a stream of text, oldest first. The call has no retries and no timeout. */
  exportInvoices(query?: ExportQuery): Promise<ReadableStream<Uint8Array>>
}

export const moneyClient = (transport: Transport): MoneyClient => ({
  now: (options) => call(transport, 'getMoney', {}, options),
  days: ({ from, to, ...options } = {}) => call(transport, 'listMoneyDays', { query: { from, to } }, options),
  subscribers: (id, { generation, limit, offset, ...options } = {}) =>
    call(transport, 'listSubscribers', { params: { id }, query: { generation, limit, offset } }, options),
  exportInvoices: ({ from, to, format, signal } = {}) =>
    transport.stream(operations.exportInvoices[1], { query: { from, to, format }, signal }),
})
