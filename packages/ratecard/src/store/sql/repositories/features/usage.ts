import { sql } from 'kysely'
import { addDecimals, decimalText, multiplyByInteger, parseDecimal, zero } from '../../../../base/money/decimal.ts'
import type { Database, ReadConnection, Write } from '../../database/database.ts'
import { numberParameter, preparedRead, textParameter } from '../../database/prepared-read.ts'
import type {
  HoldOutcome,
  HeldPosition,
  UsageFormula,
  UsageReportKey,
  UsageReportRecord,
  UsageWindow,
} from '../../../records/features.ts'

/** Retention (ms) of a usage report: 36 days. The processor accepts events that are up to 35 days old. */
const keptMs = 36 * 24 * 60 * 60_000
/** Maximum number of old reports that are removed together with one new report, because other writes wait meanwhile. */
const oldSlice = 1000
/**
 * Age (ms) at which a range has its final total: 40 days. Reports are up to 35 days old, a range lasts up to a day, and a report is withdrawn
 * within a day. The rest is for clocks of replicas that differ.
 */
const finalAfterMs = 40 * 24 * 60 * 60_000
/** Maximum number of ranges that get their running totals together with one new report. */
const rangeSlice = 100
/** Range start of a row that contains no usage and serves as a lock: only one report per tenant and meter is stored at a time. */
const lockRow = -1

export function sqlUsage(database: Database) {
  const totals = preparedRead(database, totalsIn())
  /** Tenants and meters that may have further old reports or ranges. Each of their next reports handles a slice. */
  const behind = new Set<string>()
  return {
    /**
     * Stores a report in state `held` before it is sent to the processor, so that it counts from now on. Two outcomes change nothing.
     * `known`: a report with this identifier is stored already. `refused`: with this report the usage in one of the windows would be too
     * high, i.e. `allows` returned false. Two calls for one tenant and meter run one after the other, on all replicas.
     */
    hold: (
      report: Omit<UsageReportRecord, 'state'>,
      formula: UsageFormula,
      limits: readonly { readonly window: UsageWindow; readonly allows: (total: string) => boolean }[],
    ): Promise<HoldOutcome> =>
      database.writeTogether(laneOf(report), async (db) => {
        await lockReports(database, db, report)
        const known = await reportOf(db, report)
        if (known !== undefined) return { outcome: 'known', report: known }
        for (const { window, allows } of limits) {
          if (!isWithin(report.rangeStart, window)) continue
          const used = await usedIn(db, report, formula, window)
          if (!allows(await totalWith(db, report, formula, used))) return { outcome: 'refused' }
        }
        const isNewRange = await addToTotal(db, report, formula)
        const lane = laneOf(report)
        if (isNewRange || behind.has(lane)) {
          const done = [await removeOld(db, report), await addRunningTotals(db, report, formula)]
          if (done.every(Boolean)) behind.delete(lane)
          else behind.add(lane)
        }
        await db
          .insertInto('usageReports')
          .values({ ...report, state: 'held' })
          .execute()
        return { outcome: 'held' }
      }),

    /** Marks a held report as `sent` or `resent`, because the processor has it. */
    sent: async ({ tenantId, meter, identifier }: UsageReportKey, state: 'sent' | 'resent'): Promise<void> => {
      await database.writeTogether(laneOf({ tenantId, meter }), (db) =>
        db
          .updateTable('usageReports')
          .set({ state, event: null })
          .where('tenantId', '=', tenantId)
          .where('meter', '=', meter)
          .where('identifier', '=', identifier)
          .where('state', '=', 'held')
          .execute(),
      )
    },

    /** Removes a report that the processor refused, so that it no longer counts. */
    release: (key: UsageReportKey, formula: UsageFormula): Promise<void> =>
      database.write(async (db) => {
        await lockReports(database, db, key)
        const report = await reportOf(db, key)
        if (report?.state !== 'held') return
        await db
          .deleteFrom('usageReports')
          .where('tenantId', '=', key.tenantId)
          .where('meter', '=', key.meter)
          .where('identifier', '=', key.identifier)
          .execute()
        await subtractFromTotal(db, report, formula)
      }),

    /** Returns held reports that were stored within a window, oldest first: those after the report `after`, if it is given. */
    held: (
      stored: UsageWindow,
      limit: number,
      after: HeldPosition | null = null,
    ): Promise<readonly UsageReportRecord[]> =>
      database.read((db) =>
        heldReports(db, stored)
          .selectAll()
          .$if(after !== null, (query) =>
            query.where(
              sql<boolean>`(created_at, tenant_id, meter, identifier) > (${after?.createdAt}, ${after?.tenantId}, ${after?.meter}, ${after?.identifier})`,
            ),
          )
          .orderBy('createdAt')
          .orderBy('tenantId')
          .orderBy('meter')
          .orderBy('identifier')
          .limit(limit)
          .execute(),
      ),

    /** Returns the number of held reports that were stored within a window. */
    countHeld: async (stored: UsageWindow): Promise<number> => {
      const { count } = await database.read((db) =>
        heldReports(db, stored)
          .select((eb) => eb.fn.countAll<number>().as('count'))
          .executeTakeFirstOrThrow(),
      )
      return count
    },

    /** Returns the usage within a window as a canonical decimal. */
    used: async (tenantId: string, meter: string, formula: UsageFormula, window: UsageWindow): Promise<string> =>
      totalOf(await totals(...usageParameters({ tenantId, meter }, window)), formula, window),
  }
}

/** Reports of one tenant and meter wait for each other: each locks the same row. */
const laneOf = ({ tenantId, meter }: Omit<UsageReportKey, 'identifier'>) => JSON.stringify(['usage', tenantId, meter])

/**
 * Removes one slice of the reports that are older than their retention. Begins with each new range of a tenant and meter, i.e. about once a
 * day. Returns true if there are no more.
 */
async function removeOld(
  db: Write,
  { tenantId, meter, createdAt }: Pick<UsageReportRecord, 'tenantId' | 'meter' | 'createdAt'>,
): Promise<boolean> {
  const { numDeletedRows: removed } = await db
    .deleteFrom('usageReports')
    .where('tenantId', '=', tenantId)
    .where('meter', '=', meter)
    .where('identifier', 'in', (eb) =>
      eb
        .selectFrom('usageReports')
        .select('identifier')
        .where('tenantId', '=', tenantId)
        .where('meter', '=', meter)
        .where('createdAt', '<', createdAt - keptMs)
        .orderBy('createdAt')
        .limit(oldSlice),
    )
    .executeTakeFirst()
  return removed < oldSlice
}

/**
 * Moves one slice of the ranges with final totals to the running totals, so that the usage of a year costs no more to read than that of 40
 * days. Called with {@link removeOld}. Returns true if there are no more.
 */
async function addRunningTotals(
  db: Write,
  { tenantId, meter, createdAt }: Pick<UsageReportRecord, 'tenantId' | 'meter' | 'createdAt'>,
  formula: UsageFormula,
): Promise<boolean> {
  const newest = await db
    .selectFrom('usageRunningTotals')
    .select(['rangeStart', 'total'])
    .where('tenantId', '=', tenantId)
    .where('meter', '=', meter)
    .orderBy('rangeStart', 'desc')
    .limit(1)
    .executeTakeFirst()
  // A range that is older than the newest running total stays where it is, and counts there.
  const ranges = await db
    .selectFrom('usageTotals')
    .select(['rangeStart', 'total'])
    .where('tenantId', '=', tenantId)
    .where('meter', '=', meter)
    .where('rangeStart', '>', newest?.rangeStart ?? lockRow)
    .where('rangeStart', '<', createdAt - finalAfterMs)
    .orderBy('rangeStart')
    .limit(rangeSlice)
    .execute()
  if (ranges.length === 0) return true
  let before = newest?.total ?? '0'
  const rows = ranges.map(({ rangeStart, total }) => {
    before = formula === 'last' ? total : sum(before, total)
    return { tenantId, meter, rangeStart, total: before }
  })
  await db.insertInto('usageRunningTotals').values(rows).execute()
  const moved = ranges.map(({ rangeStart }) => rangeStart)
  await db
    .deleteFrom('usageTotals')
    .where('tenantId', '=', tenantId)
    .where('meter', '=', meter)
    .where('rangeStart', 'in', moved)
    .execute()
  return ranges.length < rangeSlice
}

/** Waits until no other transaction stores a report of the tenant and meter (PostgreSQL). SQLite has a single writer, and needs no lock. */
async function lockReports(
  { engine }: Database,
  db: Write,
  { tenantId, meter }: Omit<UsageReportKey, 'identifier'>,
): Promise<void> {
  if (engine === 'sqlite') return
  const row = db
    .selectFrom('usageTotals')
    .select('rangeStart')
    .where('tenantId', '=', tenantId)
    .where('meter', '=', meter)
    .where('rangeStart', '=', lockRow)
    .forUpdate()
  if ((await row.executeTakeFirst()) !== undefined) return
  await db
    .insertInto('usageTotals')
    .values({ tenantId, meter, rangeStart: lockRow, total: '0', lastAt: 0 })
    .onConflict((conflict) => conflict.columns(['tenantId', 'meter', 'rangeStart']).doNothing())
    .execute()
  await row.execute()
}

const reportOf = (db: ReadConnection, { tenantId, meter, identifier }: UsageReportKey) =>
  db
    .selectFrom('usageReports')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('meter', '=', meter)
    .where('identifier', '=', identifier)
    .executeTakeFirst()

const heldReports = (db: ReadConnection, { from, to }: UsageWindow) =>
  db
    .selectFrom('usageReports')
    .where('state', '=', 'held')
    // The condition of the index `usage_reports_not_sent`.
    .where(sql<boolean>`state <> 'sent'`)
    .where('createdAt', '>=', from)
    .where('createdAt', '<', to ?? endOfTime)

type Counted = Pick<UsageReportRecord, 'tenantId' | 'meter' | 'identifier' | 'rangeStart' | 'usedAt' | 'value'>

const totalRow = (db: ReadConnection, { tenantId, meter, rangeStart }: Counted) =>
  db
    .selectFrom('usageTotals')
    .select(['total', 'lastAt'])
    .where('tenantId', '=', tenantId)
    .where('meter', '=', meter)
    .where('rangeStart', '=', rangeStart)
    .executeTakeFirst()

/** True for formulas with which a report replaces the total of its range instead of adding to it. */
const replacesTotal = (formula: UsageFormula) => formula !== 'sum' && formula !== 'count'
const countedValue = (formula: UsageFormula, value: string) =>
  formula === 'count' || formula === 'one_of_each' ? '1' : value

/** Returns the usage of a window with a further report. */
async function totalWith(db: ReadConnection, report: Counted, formula: UsageFormula, used: string): Promise<string> {
  if (formula === 'last') return report.value
  const replaced = replacesTotal(formula) ? ((await totalRow(db, report))?.total ?? '0') : '0'
  return sum(sum(used, negate(replaced)), countedValue(formula, report.value))
}

/** Adds a report to the total of its range. Returns true if it is the first report of the range. */
async function addToTotal(db: Write, report: Counted, formula: UsageFormula): Promise<boolean> {
  const { tenantId, meter, rangeStart, usedAt, value } = report
  const row = await totalRow(db, report)
  if (formula === 'last' && row !== undefined && row.lastAt > usedAt) return false
  const added = countedValue(formula, value)
  const total = replacesTotal(formula) || row === undefined ? added : sum(row.total, added)
  const lastAt = Math.max(usedAt, row?.lastAt ?? 0)
  await db
    .insertInto('usageTotals')
    .values({ tenantId, meter, rangeStart, total, lastAt })
    .onConflict((conflict) => conflict.columns(['tenantId', 'meter', 'rangeStart']).doUpdateSet({ total, lastAt }))
    .execute()
  return row === undefined
}

/** Undoes {@link addToTotal}. If reports replace each other, the total becomes the value of the newest remaining report. */
async function subtractFromTotal(db: Write, report: Counted, formula: UsageFormula): Promise<void> {
  const { tenantId, meter, rangeStart, identifier, value } = report
  const at = db
    .updateTable('usageTotals')
    .where('tenantId', '=', tenantId)
    .where('meter', '=', meter)
    .where('rangeStart', '=', rangeStart)
  if (!replacesTotal(formula)) {
    const row = await totalRow(db, report)
    await at.set({ total: sum(row?.total ?? '0', negate(countedValue(formula, value))) }).execute()
    return
  }
  const newest = await db
    .selectFrom('usageReports')
    .select(['value', 'usedAt'])
    .where('tenantId', '=', tenantId)
    .where('meter', '=', meter)
    .where('rangeStart', '=', rangeStart)
    .where('identifier', '!=', identifier)
    .orderBy(formula === 'last' ? 'usedAt' : 'createdAt', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (newest !== undefined)
    await at.set({ total: countedValue(formula, newest.value), lastAt: newest.usedAt }).execute()
  else
    await db
      .deleteFrom('usageTotals')
      .where('tenantId', '=', tenantId)
      .where('meter', '=', meter)
      .where('rangeStart', '=', rangeStart)
      .execute()
}

async function usedIn(
  db: ReadConnection,
  of: Omit<UsageReportKey, 'identifier'>,
  formula: UsageFormula,
  window: UsageWindow,
): Promise<string> {
  const { rows } = await totalsIn(...usageParameters(of, window)).execute(db)
  return totalOf(rows, formula, window)
}

/** Later than every range, for a window without end. */
const endOfTime = Number.MAX_SAFE_INTEGER

interface TotalRow {
  /** `range`: total of a range in the window. `end` and `start`: newest running total before the end and the start of the window. */
  readonly part: 'range' | 'end' | 'start'
  readonly rangeStart: number
  readonly total: string
}

/** Returns the parameters of {@link totalsIn}, in the order of their places. */
function usageParameters({ tenantId, meter }: Omit<UsageReportKey, 'identifier'>, { from, to }: UsageWindow) {
  const end = to ?? endOfTime
  return [tenantId, meter, from, end, tenantId, meter, end, tenantId, meter, from] as const
}

/** Selects the totals that the usage of a window is computed from. */
const totalsIn = (...[tenantId, meter, from, to]: Partial<ReturnType<typeof usageParameters>>) => {
  const newestBefore = (time: number | undefined) => sql`
select range_start, total from usage_running_totals
where tenant_id = ${textParameter(tenantId)} and meter = ${textParameter(meter)} and range_start < ${numberParameter(time)}
order by range_start desc limit 1`
  return sql<TotalRow>`
select 'range' as part, range_start as "rangeStart", total from usage_totals
where tenant_id = ${textParameter(tenantId)} and meter = ${textParameter(meter)}
  and range_start >= ${numberParameter(from)} and range_start < ${numberParameter(to)}
union all
select 'end', range_start, total from (${newestBefore(to)}) as newest
union all
select 'start', range_start, total from (${newestBefore(from)}) as newest`
}

function totalOf(rows: readonly TotalRow[], formula: UsageFormula, { from }: UsageWindow): string {
  if (formula === 'last') {
    const [newest] = rows
      .filter(({ part, rangeStart }) => part !== 'start' && rangeStart >= from)
      .sort((a, b) => b.rangeStart - a.rangeStart)
    return newest?.total ?? '0'
  }
  return decimalText(
    rows.reduce((whole, { part, total }) => {
      const value = parseDecimal(total)
      return addDecimals(whole, part === 'start' ? multiplyByInteger(value, -1) : value)
    }, zero),
  )
}

const isWithin = (time: number, { from, to }: UsageWindow) => time >= from && (to === null || time < to)
const sum = (one: string, other: string) => decimalText(addDecimals(parseDecimal(one), parseDecimal(other)))
const negate = (value: string) => decimalText(multiplyByInteger(parseDecimal(value), -1))
