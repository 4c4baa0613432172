// Operations that need the mirror (the local copy of the processor's customers), and the receiver of the processor's events. Types only.
// While the mirror is off, all of them except `billingGauges` throw `mirror_off`. Until its first fill is complete, operations that read
// the mirror throw `mirror_filling` with `retryAfter`.
import type * as invoices from '../customers/invoices.ts'
import type * as money from '../customers/money.ts'
import type { Inside } from '../notation/schema.ts'
import type { PageQuery } from '../../store/records/page.ts'

/** Age of a result that was read from the mirror. */
export interface Recency {
  /** Time (epoch milliseconds) up to which the result contains every change at the processor. */
  readonly asOf: number
  readonly stale: boolean
}

/** Age of a result that was read from the mirror. Both members are absent if the result was read from the processor. */
export interface PerhapsMirrored {
  readonly asOf?: number
  /** Present only if the result is stale. */
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

/** Calendar days (UTC) from `from` to `to`, both included, e.g. `2026-01-31`. */
export interface DayRange {
  readonly from: string
  readonly to: string
}

/** Numbers for `GET /metrics`; null while the mirror is off or incomplete. */
export interface BillingGauges {
  /** Monthly recurring revenue in minor units, by currency. */
  readonly mrr: Readonly<Record<string, number>>
  readonly owed: Readonly<Record<string, number>>
  /** Number of subscriptions that have not ended, by the processor's status. */
  readonly subscriptions: Readonly<Record<string, number>>
}

export interface MirrorOperations {
  /** Returns a page of the tenant's invoices, newest first; empty for a tenant without a customer. Throws `tenant_not_found`. */
  tenantInvoices(id: string, page: PageQuery): Promise<MirroredItems<TenantInvoice>>
  /**
   * Returns a page of a price's subscribers, sorted by tenant id; customers without a tenant come last. `id` may be a former id of the
   * price. Throws `price_not_found` or `config_not_found`.
   */
  priceSubscribers(
    id: string,
    query: PageQuery & { readonly generation: Generation },
  ): Promise<MirroredItems<Subscriber>>
  money(): Promise<Money>
  /** Returns the stored revenue sums of the days in the range, and the pushes of that time. The sums of a day are stored after its end. */
  moneyDays(range: DayRange): Promise<MoneyDays>
  /**
   * Returns the rows of the export, oldest first. Reads nothing before `rows` is iterated. If `from` is null, the export begins with the
   * oldest row.
   */
  exportInvoices(range: {
    readonly from: string | null
    readonly to: string
  }): Promise<Recency & { readonly rows: AsyncIterable<ExportRow> }>
  billingGauges(): Promise<BillingGauges | null>
  /**
   * Receives an event that the processor sent. `body` is the unchanged text of the request. Resolves when the store has marked the changed
   * objects as stale. Throws `delivery_invalid`.
   */
  receiveProcessorEvent(body: string, signature: string | null): Promise<void>
}
