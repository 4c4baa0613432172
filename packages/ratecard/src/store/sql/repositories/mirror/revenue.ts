// Revenue in the mirror: monthly recurring revenue (MRR) of items and customers, debts, and the stored sums of days.
import { processorId, type ProcessorId } from '../../../../catalog/resource.ts'
import type { MirroredPrice, MirroredRefund } from '../../../../processor/mirrored.ts'
import type { MirrorDayRow, MirrorItemSumRow, MirrorRevenueRow, Unsummed } from '../../../records/mirror.ts'
import { inBatches } from '../../database/queries.ts'
import type { Database, Write } from '../../database/database.ts'
import { refreshListingsOf } from '../tenants/listings.ts'
import { objectOf } from './rows.ts'
import { saveStandings } from './standings.ts'
import type {
  CustomerDebt,
  CustomerSums,
  ItemRevenueRecord,
  RevenueDay,
  RevenueItem,
  StoredCustomer,
  StoredRevenueChange,
} from '../../../records/revenue.ts'
import type { CustomerStanding } from '../../../records/billing-status.ts'

type NewSums = CustomerSums & Pick<Unsummed, 'marked'>

export class SqlRevenue {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Returns the mirrored objects of each of these customers. */
  async customers(ids: readonly ProcessorId[]): Promise<ReadonlyMap<ProcessorId, StoredCustomer>> {
    const found = new Map<ProcessorId, Writable<StoredCustomer>>(
      ids.map((id) => [id, { customer: null, subscriptions: [], invoices: [] }]),
    )
    await inBatches([...found.keys()], async (slice) => {
      const rows = await this.#database.read((db) =>
        db
          .selectFrom('mirrorObjects')
          .select(['kind', 'customer', 'object'])
          .where('customer', 'in', slice)
          .where('kind', 'in', ['customer', 'subscription', 'invoice'])
          .orderBy('happenedAt')
          .orderBy('id')
          .execute(),
      )
      for (const row of rows) {
        const of = row.customer === null ? undefined : found.get(processorId(row.customer))
        if (of === undefined) continue
        if (row.kind === 'customer') of.customer = objectOf<'customer'>({ object: row.object })
        if (row.kind === 'subscription') add(of.subscriptions, objectOf<'subscription'>({ object: row.object }))
        if (row.kind === 'invoice') add(of.invoices, objectOf<'invoice'>({ object: row.object }))
      }
    })
    return found
  }

  async prices(ids: readonly ProcessorId[]): Promise<ReadonlyMap<ProcessorId, MirroredPrice>> {
    const found = new Map<ProcessorId, MirroredPrice>()
    await inBatches(ids, async (slice) => {
      const rows = await this.#database.read((db) =>
        db.selectFrom('mirrorObjects').select('object').where('kind', '=', 'price').where('id', 'in', slice).execute(),
      )
      for (const row of rows) {
        const price = objectOf<'price'>(row)
        if (price !== null) found.set(price.id, price)
      }
    })
    return found
  }

  /**
   * Stores the sums of customers and of their items, and updates the lists of tenants. If a customer has a later mark than `marked`, that
   * mark stays; see MirrorStore.saveStandings.
   */
  async save(sums: readonly NewSums[]): Promise<void> {
    // The rows are sorted, so that concurrent transactions lock them in the same order and cannot deadlock.
    const sorted = [...sums].sort((a, b) => (a.customer < b.customer ? -1 : 1))
    await this.#database.write(async (db) => {
      await saveItemSums(db, sorted)
      await saveCustomerRevenue(db, sorted)
      await saveStandings(db, sorted)
      const customers = sorted.map(({ customer }) => customer)
      await refreshListingsOf(this.#database, db, customers)
    })
  }

  /** Returns items with ids above `after`, ascending by id. */
  async items(after: string | null, limit: number): Promise<readonly RevenueItem[]> {
    const rows = await this.#database.read((db) =>
      db
        .selectFrom('mirrorItemSums as item')
        .leftJoin('tenants as tenant', 'tenant.processorCustomerId', 'item.customer')
        .selectAll('item')
        .select('tenant.id as tenantId')
        .$if(after !== null, (query) => query.where('item.item', '>', after ?? ''))
        .orderBy('item.item')
        .limit(limit)
        .execute(),
    )
    return rows.map(({ tenantId, ...row }) => ({ ...itemOf(row), customer: processorId(row.customer), tenantId }))
  }

  /** Returns the exact MRR of each given item. Items without stored sums are omitted. */
  async monthlyOf(items: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>()
    await inBatches(items, async (slice) => {
      const rows = await this.#database.read((db) =>
        db.selectFrom('mirrorItemSums').select(['item', 'monthly']).where('item', 'in', slice).execute(),
      )
      for (const { item, monthly } of rows) found.set(item, monthly)
    })
    return found
  }

  /**
   * Returns the number of items for each combination of currency and exact MRR. Only items that count towards the MRR are included. So the
   * MRR of the account can be computed from a few rows.
   */
  async monthlyCounts(): Promise<
    readonly { readonly currency: string; readonly monthly: string; readonly items: number }[]
  > {
    return this.#database.read((db) =>
      db
        .selectFrom('mirrorItemSums')
        .select(['currency', 'monthly', (eb) => eb.fn.countAll<number>().as('items')])
        .where('counts', '=', 1)
        .groupBy(['currency', 'monthly'])
        .execute(),
    )
  }

  /**
   * Returns the customer of each refund. For a refund without a customer, it is the customer of the invoice or purchase with the same
   * payment. If there is none, the refund is omitted.
   */
  async refundedCustomers(refunds: readonly MirroredRefund[]): Promise<ReadonlyMap<string, ProcessorId>> {
    const found = new Map(refunds.flatMap(({ id, customer }) => (customer === null ? [] : [[id, customer] as const])))
    const unknown = refunds.filter(({ id }) => !found.has(id))
    await inBatches(unknown, async (slice) => {
      const rows = await this.#database.read((db) =>
        db
          .selectFrom('mirrorPayments as refunded')
          .innerJoin('mirrorPayments as paid', 'paid.payment', 'refunded.payment')
          .innerJoin('mirrorObjects as invoice', 'invoice.id', 'paid.id')
          .select(['refunded.id', 'invoice.customer'])
          .where('refunded.kind', '=', 'refund')
          .where(
            'refunded.id',
            'in',
            slice.map(({ id }) => id),
          )
          .where('paid.kind', '=', 'invoice')
          .where('invoice.kind', '=', 'invoice')
          .union(
            db
              .selectFrom('mirrorPayments as refunded')
              // The status of a purchase is its payment: see `factsOf` in rows.ts.
              .innerJoin('mirrorObjects as purchase', 'purchase.status', 'refunded.payment')
              .select(['refunded.id', 'purchase.customer'])
              .where('refunded.kind', '=', 'refund')
              .where(
                'refunded.id',
                'in',
                slice.map(({ id }) => id),
              )
              .where('purchase.kind', '=', 'purchase'),
          )
          .execute(),
      )
      for (const { id, customer } of rows) if (customer !== null) found.set(id, processorId(customer))
    })
    return found
  }

  /** Returns customers that owe something or had an invoice written off. */
  async debts(): Promise<readonly CustomerDebt[]> {
    const rows = await this.#database.read((db) =>
      db
        .selectFrom('mirrorStandings as standing')
        .leftJoin('tenants as tenant', 'tenant.processorCustomerId', 'standing.customer')
        .select(['standing.customer', 'standing.billingStatus', 'standing.owed', 'standing.writtenOff'])
        .select('tenant.id as tenantId')
        .where((eb) => eb.or([eb('standing.owed', '<>', '{}'), eb('standing.writtenOff', '<>', '{}')]))
        .orderBy('standing.customer')
        .execute(),
    )
    return rows.map((row) => ({
      ...row,
      customer: processorId(row.customer),
      owed: JSON.parse(row.owed) as CustomerDebt['owed'],
      writtenOff: JSON.parse(row.writtenOff) as CustomerDebt['writtenOff'],
    }))
  }

  /** Returns customers whose MRR changed since the last stored day. */
  async changes(): Promise<readonly StoredRevenueChange[]> {
    const rows = await this.#database.read((db) =>
      db
        .selectFrom('mirrorRevenue')
        .select(['currency', 'dayMonthly', 'monthly'])
        .whereRef('monthly', '<>', (eb) => eb.fn.coalesce('dayMonthly', eb.val('0')))
        .execute(),
    )
    return rows.map(({ currency, dayMonthly, monthly }) => ({
      currency,
      before: dayMonthly ?? '0',
      after: monthly,
      paidBefore: dayMonthly !== null,
    }))
  }

  /** Returns the last stored day; null before the first one. */
  async lastDay(): Promise<string | null> {
    return this.#database.read((db) => lastKeptDay(db))
  }

  /**
   * Stores the totals of a day; `rows` is empty for the day before the mirror began. From now on, changes of the MRR are computed from the
   * present MRR of the customers. If `after` is no longer the last stored day, changes nothing and returns false.
   */
  async keepDay(day: string, after: string | null, rows: readonly RevenueDay[]): Promise<boolean> {
    return this.#database.write(async (db) => {
      if ((await lastKeptDay(db)) !== after) return false
      await db.insertInto('mirrorKeptDays').values({ day }).execute()
      if (rows.length > 0) await db.insertInto('mirrorDays').values(rows.map(dayRow)).execute()
      await db
        .updateTable('mirrorRevenue')
        .set((eb) => ({ dayMonthly: eb.ref('monthly') }))
        .where((eb) => eb.or([eb('dayMonthly', 'is', null), eb('monthly', '<>', eb.ref('dayMonthly'))]))
        .execute()
      return true
    })
  }

  /** Returns the rows of these days (both included), ascending by day and currency. */
  async days(from: string, to: string): Promise<readonly RevenueDay[]> {
    const rows = await this.#database.read((db) =>
      db
        .selectFrom('mirrorDays')
        .selectAll()
        .where('day', '>=', from)
        .where('day', '<=', to)
        .orderBy('day')
        .orderBy('currency')
        .execute(),
    )
    return rows.map((row) => ({ ...row, byProduct: JSON.parse(row.byProduct) as RevenueDay['byProduct'] }))
  }
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] extends readonly (infer Item)[] ? Item[] : T[Name] }

function add<T>(list: T[], object: T | null): void {
  if (object !== null) list.push(object)
}

async function lastKeptDay(db: Pick<Write, 'selectFrom'>): Promise<string | null> {
  const row = await db.selectFrom('mirrorKeptDays').select('day').orderBy('day', 'desc').limit(1).executeTakeFirst()
  return row?.day ?? null
}

async function saveItemSums(db: Write, sums: readonly NewSums[]): Promise<void> {
  await inBatches(sums, (slice) =>
    db
      .deleteFrom('mirrorItemSums')
      .where(
        'customer',
        'in',
        slice.map(({ customer }) => customer),
      )
      .execute(),
  )
  const rows = sums.flatMap(({ customer, items }) => items.map((item) => itemRow(customer, item)))
  await inBatches(rows, (slice) =>
    db
      .insertInto('mirrorItemSums')
      .values(slice)
      // The item may have a row of another customer, e.g. if its subscription was moved at the processor and that customer's sums are not
      // computed again yet. The new row replaces it.
      .onConflict((conflict) =>
        conflict.column('item').doUpdateSet((eb) => ({
          customer: eb.ref('excluded.customer'),
          subscription: eb.ref('excluded.subscription'),
          price: eb.ref('excluded.price'),
          product: eb.ref('excluded.product'),
          currency: eb.ref('excluded.currency'),
          status: eb.ref('excluded.status'),
          counts: eb.ref('excluded.counts'),
          monthly: eb.ref('excluded.monthly'),
          usageLastPeriod: eb.ref('excluded.usageLastPeriod'),
        })),
      )
      .execute(),
  )
}

/**
 * Stores the MRR of each customer by currency. If a customer no longer has MRR in a currency, the row is kept with an MRR of zero, because
 * no stored day contains the churn yet.
 */
async function saveCustomerRevenue(db: Write, sums: readonly NewSums[]): Promise<void> {
  await inBatches(sums, (slice) =>
    db
      .updateTable('mirrorRevenue')
      .set({ monthly: '0' })
      .where(
        'customer',
        'in',
        slice.map(({ customer }) => customer),
      )
      .execute(),
  )
  const rows = sums.flatMap(({ customer, revenue }) => revenue.map((one) => revenueRow(customer, one)))
  await inBatches(rows, (slice) =>
    db
      .insertInto('mirrorRevenue')
      .values(slice)
      .onConflict((conflict) =>
        conflict.columns(['customer', 'currency']).doUpdateSet((eb) => ({ monthly: eb.ref('excluded.monthly') })),
      )
      .execute(),
  )
}

function revenueRow(customer: string, { currency, monthly }: CustomerSums['revenue'][number]): MirrorRevenueRow {
  return { customer, currency, monthly, dayMonthly: null }
}

function itemRow(customer: CustomerStanding['customer'], { counts, ...item }: ItemRevenueRecord): MirrorItemSumRow {
  return { ...item, customer, counts: counts ? 1 : 0 }
}

function itemOf({ customer: _customer, counts, price, product, ...row }: MirrorItemSumRow): ItemRevenueRecord {
  return {
    ...row,
    price: processorId(price),
    product: product === null ? null : processorId(product),
    counts: counts === 1,
  }
}

function dayRow({ byProduct, ...row }: RevenueDay): MirrorDayRow {
  return { ...row, byProduct: JSON.stringify(byProduct) }
}
