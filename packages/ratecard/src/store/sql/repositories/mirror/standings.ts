// Sums of customers, stored so that the database can filter and sort lists of tenants by them.
import { processorId, type ProcessorId } from '../../../../catalog/resource.ts'
import type { MirrorStandingRow, Unsummed } from '../../../records/mirror.ts'
import { inBatches } from '../../database/queries.ts'
import type { ReadConnection, Write } from '../../database/database.ts'
import type { CustomerStanding } from '../../../records/billing-status.ts'

type NewStanding = CustomerStanding & Pick<Unsummed, 'marked'>

export async function saveStandings(db: Write, standings: readonly NewStanding[]): Promise<void> {
  // The rows are sorted, so that concurrent transactions lock them in the same order and cannot deadlock.
  const sorted = [...standings].sort((a, b) => (a.customer < b.customer ? -1 : 1))
  await inBatches(sorted, (slice) =>
    db
      .insertInto('mirrorStandings')
      .values(slice.map(rowOf))
      .onConflict((conflict) =>
        conflict.column('customer').doUpdateSet((eb) => ({
          billingStatus: eb.ref('excluded.billingStatus'),
          monthly: eb.ref('excluded.monthly'),
          owed: eb.ref('excluded.owed'),
          writtenOff: eb.ref('excluded.writtenOff'),
        })),
      )
      .execute(),
  )
  await inBatches(sorted, (slice) =>
    db
      .deleteFrom('mirrorUnsummed')
      .where((eb) =>
        eb.or(slice.map(({ customer, marked }) => eb('customer', '=', customer).and('marked', '<=', marked))),
      )
      .execute(),
  )
}

export async function findStanding(db: ReadConnection, customer: ProcessorId): Promise<CustomerStanding | null> {
  const row = await db.selectFrom('mirrorStandings').selectAll().where('customer', '=', customer).executeTakeFirst()
  return row === undefined ? null : standingOf(row)
}

export async function standingsOf(
  db: ReadConnection,
  customers: readonly string[],
): Promise<ReadonlyMap<string, CustomerStanding>> {
  const standings = new Map<string, CustomerStanding>()
  await inBatches(customers, async (slice) => {
    const rows = await db.selectFrom('mirrorStandings').selectAll().where('customer', 'in', slice).execute()
    for (const row of rows) standings.set(row.customer, standingOf(row))
  })
  return standings
}

export async function standingPage(
  db: ReadConnection,
  after: ProcessorId | null,
  limit: number,
): Promise<readonly CustomerStanding[]> {
  const rows = await db
    .selectFrom('mirrorStandings')
    .selectAll()
    .$if(after !== null, (query) => query.where('customer', '>', after ?? ''))
    .orderBy('customer')
    .limit(limit)
    .execute()
  return rows.map(standingOf)
}

export async function readUnsummed(db: ReadConnection, limit: number): Promise<readonly Unsummed[]> {
  const rows = await db
    .selectFrom('mirrorUnsummed')
    .selectAll()
    .orderBy('marked')
    .orderBy('customer')
    .limit(limit)
    .execute()
  return rows.map(({ customer, marked }) => ({ customer: processorId(customer), marked }))
}

function rowOf({ customer, billingStatus, monthly, owed, writtenOff }: CustomerStanding): MirrorStandingRow {
  return {
    customer,
    billingStatus,
    monthly: JSON.stringify(monthly),
    owed: JSON.stringify(owed),
    writtenOff: JSON.stringify(writtenOff),
  }
}

function standingOf(row: MirrorStandingRow): CustomerStanding {
  return {
    customer: processorId(row.customer),
    billingStatus: row.billingStatus,
    monthly: JSON.parse(row.monthly) as CustomerStanding['monthly'],
    owed: JSON.parse(row.owed) as CustomerStanding['owed'],
    writtenOff: JSON.parse(row.writtenOff) as CustomerStanding['writtenOff'],
  }
}
