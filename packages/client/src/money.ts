import { call } from './call.ts'
import type { CallOptions, Transport } from './transport.ts'
import { operations } from './wire.generated.ts'
import type * as result from './wire.generated.ts'

/** Days (`YYYY-MM-DD`, UTC), both included. */
export interface Days extends CallOptions {
  /** Default: 90 days before `to`. */
  readonly from?: string | undefined
  /** Default: today. */
  readonly to?: string | undefined
}

export interface ExportQuery extends Pick<CallOptions, 'signal'> {
  /** First day (`YYYY-MM-DD`, UTC). Default: that of the oldest row. */
  readonly from?: string | undefined
  /** Last day, included. Default: today. */
  readonly to?: string | undefined
  /** Default: `csv`. */
  readonly format?: 'csv' | 'json' | undefined
}

export interface SubscriberQuery extends CallOptions {
  /** `current`: on the price as it is sold now; `legacy`: on an earlier generation of it. Default: `all`. */
  readonly generation?: 'all' | 'current' | 'legacy' | undefined
  readonly limit?: number | undefined
  readonly offset?: number | undefined
}

/** Calls that the service answers from the mirror: without it they fail with `mirror_off`, before it is complete with `mirror_filling`. */
export interface MoneyClient {
  /** Monthly recurring revenue now, by currency, product and price. */
  now(options?: CallOptions): Promise<result.Money>
  /** Monthly recurring revenue and its movements day by day, and the pushes of that time. */
  days(days?: Days): Promise<result.MoneyDays>
  /** Subscribers of a price, by tenant id. */
  subscribers(priceId: string, query?: SubscriberQuery): Promise<result.Subscribers>
  /** Finalized invoices, credit notes and refunds as a stream of text, oldest first. Without retries or timeout. */
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
