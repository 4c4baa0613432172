// Export for bookkeeping: all finalized invoices, one-time payments, credit notes and refunds of a range of days, oldest first.
import { majorUnits } from '../../../base/money/format.ts'
import type {
  MirroredCreditNote,
  MirroredInvoice,
  MirroredPurchase,
  MirroredRefund,
} from '../../../processor/mirrored.ts'
import { bookedInvoice, bookedPurchase, paymentsOf, type Booked } from './booked.ts'
import { addDays, dayOf, startOfDay } from '../sums/days.ts'
import type { MirrorReadDeps } from './deps.ts'
import type { ExportRow } from '../../../api/customers/invoices.ts'
import type { Recency } from '../../../api/notation/mirrored.ts'
import type { Store } from '../../../store/store.ts'

/** Range of calendar days (UTC), from `from` to `to`, both included. If `from` is null, the export begins with the oldest row. */
export interface ExportRange {
  readonly from: string | null
  readonly to: string
}

export async function readExport(
  { store, mirror }: MirrorReadDeps,
  { from, to }: ExportRange,
): Promise<Recency & { readonly rows: AsyncIterable<ExportRow> }> {
  const age = await mirror.requireWhole()
  return { ...age, rows: rowsOf(store, { from: from === null ? 0 : startOfDay(from), to: startOfDay(addDays(to, 1)) }) }
}

interface Time {
  readonly from: number
  readonly to: number
}

/** A row of the export, and the time by which it is sorted. */
interface TimedRow {
  readonly at: number
  readonly row: ExportRow
}

type ExportStore = Pick<MirrorReadDeps['store'], 'mirror' | 'revenue' | 'tenants'>

/**
 * Merges invoices, payments, credit notes and refunds by time. Each list is read in pages, so that the export of several years needs no more memory
 * than that of one day.
 */
async function* rowsOf(store: ExportStore, time: Time): AsyncGenerator<ExportRow> {
  const lists = [invoiceRows, paymentRows, creditNoteRows, refundRows].map((rows) => rows(store, time))
  const heads = await Promise.all(lists.map(async (list) => list.next()))
  for (;;) {
    let first = -1
    for (const [index, head] of heads.entries()) {
      const least = heads[first]
      if (head.done !== true && (least === undefined || least.done === true || head.value.at < least.value.at))
        first = index
    }
    const [head, list] = [heads[first], lists[first]]
    if (head === undefined || head.done === true || list === undefined) return
    yield head.value.row
    heads[first] = await list.next()
  }
}

const pageSize = 500

type Listed = 'invoice' | 'purchase' | 'credit_note' | 'refund'
type Found<K extends Listed> = Awaited<ReturnType<Store['mirror']['happened']>>[number] & {
  readonly object: {
    invoice: MirroredInvoice
    purchase: MirroredPurchase
    credit_note: MirroredCreditNote
    refund: MirroredRefund
  }[K]
}

async function* pagesOf<K extends Listed>(
  store: ExportStore,
  kind: K,
  time: Time,
): AsyncGenerator<readonly Found<K>[]> {
  for (let after: { readonly at: number; readonly id: string } | null = null; ;) {
    const page = (await store.mirror.happened(kind, time, { after, limit: pageSize })) as readonly Found<K>[]
    if (page.length > 0) yield page
    const last = page.at(-1)
    if (last === undefined || page.length < pageSize) return
    after = { at: last.at, id: last.object.id }
  }
}

interface OfCustomer {
  readonly customer: string | null
}

/** Returns a function that finds the tenant id of an object of the page. The function returns null if there is no tenant. */
async function tenantsOf(store: ExportStore, page: readonly { readonly object: OfCustomer }[]) {
  const tenants = await store.tenants.idsByCustomer(page.flatMap(({ object }) => object.customer ?? []))
  return ({ customer }: OfCustomer) => (customer === null ? null : (tenants.get(customer) ?? null))
}

async function* invoiceRows(store: ExportStore, time: Time): AsyncGenerator<TimedRow, undefined> {
  for await (const page of pagesOf(store, 'invoice', time)) {
    const refunded = await store.mirror.refundedOf(page.map(({ object }) => object))
    const tenantOf = await tenantsOf(store, page)
    for (const { at, object } of page) {
      const { id, number, customer, currency, status } = object
      const heading = { date: dayOf(at), type: 'invoice', id, number, tenantId: tenantOf(object), customer } as const
      const amounts = majorAmounts(bookedInvoice(object), refunded.get(id) ?? 0, currency)
      yield { at, row: { ...heading, ...amounts, currency, status } }
    }
  }
  return undefined
}

async function* paymentRows(store: ExportStore, time: Time): AsyncGenerator<TimedRow, undefined> {
  for await (const page of pagesOf(store, 'purchase', time)) {
    const refunded = await store.mirror.refundedOf(
      page.map(({ object: { id }, object }) => ({ id, payments: paymentsOf(object) })),
    )
    const tenantOf = await tenantsOf(store, page)
    for (const { at, object } of page) {
      const { customer, currency, payment } = object
      const id = payment ?? object.id
      const heading = {
        date: dayOf(at),
        type: 'payment',
        id,
        number: null,
        tenantId: tenantOf(object),
        customer,
      } as const
      const amounts = majorAmounts(bookedPurchase(object), refunded.get(object.id) ?? 0, currency)
      yield { at, row: { ...heading, ...amounts, currency, status: 'paid' } }
    }
  }
  return undefined
}

/** Converts the amounts to units of the currency, e.g. 1999 to `19.99`. */
function majorAmounts(booked: Booked, refunded: number, currency: string) {
  const major = (amount: number) => majorUnits(amount, currency)
  return {
    subtotal: major(booked.subtotal),
    discount: major(booked.discount),
    tax: major(booked.tax),
    total: major(booked.total),
    amountPaid: major(booked.amountPaid),
    amountRefunded: major(refunded),
    taxIncluded: major(booked.taxIncluded),
    creditApplied: major(booked.creditApplied),
    balanceApplied: major(booked.balanceApplied),
    amountDue: major(booked.amountDue),
  }
}

async function* creditNoteRows(store: ExportStore, time: Time): AsyncGenerator<TimedRow, undefined> {
  for await (const page of pagesOf(store, 'credit_note', time)) {
    const tenantOf = await tenantsOf(store, page)
    for (const { at, object } of page) yield { at, row: creditNoteRow(object, at, tenantOf(object)) }
  }
  return undefined
}

async function* refundRows(store: ExportStore, time: Time): AsyncGenerator<TimedRow, undefined> {
  for await (const page of pagesOf(store, 'refund', time)) {
    const customers = await store.revenue.refundedCustomers(page.map(({ object }) => object))
    const tenants = await store.tenants.idsByCustomer(customers.values())
    for (const { at, object } of page) {
      const customer = customers.get(object.id) ?? null
      yield { at, row: refundRow(object, at, customer, customer === null ? null : (tenants.get(customer) ?? null)) }
    }
  }
  return undefined
}

/** Columns that have no value in a row of a credit note or refund. */
const notAsked = {
  ...{ amountPaid: null, amountRefunded: null },
  ...{ creditApplied: null, balanceApplied: null, amountDue: null },
}

function creditNoteRow(note: MirroredCreditNote, at: number, tenantId: string | null): ExportRow {
  const { id, number, customer, currency, status, discount, taxIncluded = 0, total } = note
  const major = (amount: number) => majorUnits(amount, currency)
  const tax = note.tax - taxIncluded
  return {
    ...{ date: dayOf(at), type: 'credit_note', id, number, tenantId, customer, currency },
    subtotal: major(total - tax + discount),
    discount: major(discount),
    tax: major(tax),
    total: major(total),
    ...notAsked,
    status,
    taxIncluded: major(taxIncluded),
  }
}

function refundRow(
  { id, currency, amount, status }: MirroredRefund,
  at: number,
  customer: string | null,
  tenantId: string | null,
): ExportRow {
  return {
    ...{ date: dayOf(at), type: 'refund', id, number: null, tenantId, customer, currency },
    ...{ subtotal: null, discount: null, tax: null, taxIncluded: null },
    total: majorUnits(amount, currency),
    ...notAsked,
    status,
  }
}
