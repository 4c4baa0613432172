// Export for bookkeeping: all finalized invoices, credit notes and refunds of a range of days, oldest first.
import { majorUnits } from '../../../base/money/format.ts'
import type { MirroredCreditNote, MirroredInvoice, MirroredRefund } from '../../../processor/mirrored.ts'
import type { ExportRow, Recency } from '../../../api/service/mirror.ts'
import type { MirrorStore } from '../../../store/mirror-store.ts'
import { addDays, dayOf, startOfDay } from '../sums/days.ts'
import type { MirrorReadDeps } from './deps.ts'

/** Range of calendar days (UTC), from `from` to `to`, both included. If `from` is null, the export begins with the oldest row. */
interface ExportRange {
  readonly from: string | null
  readonly to: string
}

export async function readExport(
  { store, mirror }: MirrorReadDeps,
  { from, to }: ExportRange,
): Promise<Recency & { readonly rows: AsyncIterable<ExportRow> }> {
  const age = await mirror.require()
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
 * Merges invoices, credit notes and refunds by time. Each list is read in pages, so that the export of several years needs no more memory
 * than that of one day.
 */
async function* rowsOf(store: ExportStore, time: Time): AsyncGenerator<ExportRow> {
  const lists = [invoiceRows(store, time), creditNoteRows(store, time), refundRows(store, time)]
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

type Listed = 'invoice' | 'credit_note' | 'refund'
type Found<K extends Listed> = Awaited<ReturnType<MirrorStore['happened']>>[number] & {
  readonly object: { invoice: MirroredInvoice; credit_note: MirroredCreditNote; refund: MirroredRefund }[K]
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
    const refunded = await store.mirror.refundedOf(page.map(({ object }) => object.id))
    const tenantOf = await tenantsOf(store, page)
    for (const { at, object } of page)
      yield { at, row: invoiceRow(object, at, tenantOf(object), refunded.get(object.id) ?? 0) }
  }
  return undefined
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

function invoiceRow(invoice: MirroredInvoice, at: number, tenantId: string | null, refunded: number): ExportRow {
  const { id, number, customer, currency, status } = invoice
  const major = (amount: number) => majorUnits(amount, currency)
  return {
    ...{ date: dayOf(at), type: 'invoice', id, number, tenantId, customer, currency },
    subtotal: major(invoice.subtotal),
    discount: major(invoice.discount),
    tax: major(invoice.tax),
    total: major(invoice.total),
    amountPaid: major(invoice.amountPaid),
    amountRefunded: major(refunded),
    status,
  }
}

function creditNoteRow(note: MirroredCreditNote, at: number, tenantId: string | null): ExportRow {
  const { id, number, customer, currency, status } = note
  const major = (amount: number) => majorUnits(amount, currency)
  return {
    ...{ date: dayOf(at), type: 'credit_note', id, number, tenantId, customer, currency },
    subtotal: major(note.subtotal),
    discount: major(note.discount),
    tax: major(note.tax),
    total: major(note.total),
    ...{ amountPaid: null, amountRefunded: null },
    status,
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
    ...{ subtotal: null, discount: null, tax: null },
    total: majorUnits(amount, currency),
    ...{ amountPaid: null, amountRefunded: null },
    status,
  }
}
