// Operations that only the mirror can answer, and its deliveries. Types only. While the mirror is off all of them throw `mirror_off`, and
// until its first fill is complete `mirror_filling` with `retryAfter`.
import type * as invoices from '../api/invoices.ts'
import type * as money from '../api/money.ts'
import type { Inside } from '../api/notation/schema.ts'
import type { PageQuery } from '../store/page.ts'

/** How recent an answer from the mirror is. */
export interface Recency {
  /** Everything until then (epoch milliseconds) is in the answer. */
  readonly asOf: number
  readonly stale: boolean
}

/** Recency of an answer that may also be read live: then it has neither member. */
export interface PerhapsMirrored {
  readonly asOf?: number
  /** Only if it is. */
  readonly stale?: true
}

export interface MirroredItems<Item> extends Recency {
  readonly items: readonly Item[]
  readonly total: number
}

export type Money = Inside<typeof money.Money>
export type CurrencyMoney = Inside<typeof money.CurrencyMoney>
export type MoneyDays = Inside<typeof money.MoneyDays>
export type MoneyDay = Inside<typeof money.MoneyDay>
export type Subscriber = Inside<typeof money.Subscriber>
export type Generation = Inside<typeof money.Generation>
export type TenantInvoice = Inside<typeof invoices.TenantInvoice>
export type ExportRow = Inside<typeof invoices.ExportRow>

/** Days of the calendar (UTC), both included, e.g. `2026-01-31`. */
export interface DayRange {
  readonly from: string
  readonly to: string
}

/** Numbers for `GET /metrics`; null while the mirror is off or not complete. */
export interface BillingGauges {
  /** Minor units by currency. */
  readonly mrr: Readonly<Record<string, number>>
  readonly owed: Readonly<Record<string, number>>
  /** Subscriptions that have not ended, by the processor's status. */
  readonly subscriptions: Readonly<Record<string, number>>
}

export interface MirrorOperations {
  /** Throws `tenant_not_found`. Newest first; none for a tenant that is no customer yet. */
  tenantInvoices(id: string, page: PageQuery): Promise<MirroredItems<TenantInvoice>>
  /** By tenant id, customers without a tenant last. `id` may be a former id. Throws `price_not_found`, `config_not_found`. */
  priceSubscribers(
    id: string,
    query: PageQuery & { readonly generation: Generation },
  ): Promise<MirroredItems<Subscriber>>
  money(): Promise<Money>
  /** Ended days of the range that were kept, and pushes of that time. */
  moneyDays(range: DayRange): Promise<MoneyDays>
  /** Rows oldest first. Nothing is read before `rows` is iterated. `from` null: from the oldest row on. */
  exportInvoices(range: {
    readonly from: string | null
    readonly to: string
  }): Promise<Recency & { readonly rows: AsyncIterable<ExportRow> }>
  billingGauges(): Promise<BillingGauges | null>
  /**
   * Takes an event that the processor delivered: `body` is its text as it came. Resolves when the change is noted in the store. Throws
   * `delivery_invalid`.
   */
  receiveProcessorEvent(body: string, signature: string | null): Promise<void>
}
