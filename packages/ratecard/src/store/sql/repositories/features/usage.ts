import { addDecimals, decimalText, multiplyByInteger, parseDecimal } from '../../../../money/decimal.ts'
import type { UsageFormula, UsageReportRecord, UsageStore, UsageWindow } from '../../../feature-store.ts'
import type { Database, ReadConnection, Write } from '../../database/database.ts'

/** Retention (ms) of a report: 36 days. The processor takes events that are up to 35 days old. */
const keptMs = 36 * 24 * 60 * 60_000
/** Range start of a row that contains no usage. The row is locked, so that two reports of one tenant and meter are not stored at once. */
const lockRow = -1

type Key = Pick<UsageReportRecord, 'tenantId' | 'meter' | 'identifier'>

export function sqlUsage(database: Database): UsageStore {
  return {
    hold: (report, formula, limits) =>
      database.write(async (db) => {
        await lock(database, db, report)
        const known = await reportOf(db, report)
        if (known !== undefined) return { outcome: 'known', state: known.state }
        for (const { window, allows } of limits) {
          if (!isWithin(report.rangeStart, window)) continue
          const used = await usedIn(db, report, formula, window)
          const total = formula === 'last' ? report.value : sum(used, formula === 'count' ? '1' : report.value)
          if (!allows(total)) return { outcome: 'refused', state: 'held' }
        }
        await addToTotal(db, report, formula)
        await db
          .deleteFrom('usageReports')
          .where('tenantId', '=', report.tenantId)
          .where('meter', '=', report.meter)
          .where('createdAt', '<', report.createdAt - keptMs)
          .execute()
        await db
          .insertInto('usageReports')
          .values({ ...report, state: 'held' })
          .execute()
        return { outcome: 'held', state: 'held' }
      }),

    sent: async ({ tenantId, meter, identifier }) => {
      await database.write((db) =>
        db
          .updateTable('usageReports')
          .set({ state: 'sent' })
          .where('tenantId', '=', tenantId)
          .where('meter', '=', meter)
          .where('identifier', '=', identifier)
          .execute(),
      )
    },

    release: (key, formula) =>
      database.write(async (db) => {
        await lock(database, db, key)
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

    used: (tenantId, meter, formula, window) => database.read((db) => usedIn(db, { tenantId, meter }, formula, window)),
  }
}

async function lock(database: Database, db: Write, { tenantId, meter }: Omit<Key, 'identifier'>): Promise<void> {
  await db
    .insertInto('usageTotals')
    .values({ tenantId, meter, rangeStart: lockRow, total: '0', lastAt: 0 })
    .onConflict((conflict) => conflict.columns(['tenantId', 'meter', 'rangeStart']).doNothing())
    .execute()
  const row = db
    .selectFrom('usageTotals')
    .select('rangeStart')
    .where('tenantId', '=', tenantId)
    .where('meter', '=', meter)
    .where('rangeStart', '=', lockRow)
  await database.locked(row).execute()
}

const reportOf = (db: ReadConnection, { tenantId, meter, identifier }: Key) =>
  db
    .selectFrom('usageReports')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('meter', '=', meter)
    .where('identifier', '=', identifier)
    .executeTakeFirst()

type Counted = Pick<UsageReportRecord, 'tenantId' | 'meter' | 'identifier' | 'rangeStart' | 'usedAt' | 'value'>

const totalRow = (db: ReadConnection, { tenantId, meter, rangeStart }: Counted) =>
  db
    .selectFrom('usageTotals')
    .select(['total', 'lastAt'])
    .where('tenantId', '=', tenantId)
    .where('meter', '=', meter)
    .where('rangeStart', '=', rangeStart)
    .executeTakeFirst()

async function addToTotal(db: Write, report: Counted, formula: UsageFormula): Promise<void> {
  const { tenantId, meter, rangeStart, usedAt, value } = report
  const row = await totalRow(db, report)
  if (formula === 'last' && row !== undefined && row.lastAt > usedAt) return
  const added = formula === 'count' ? '1' : value
  const total = formula === 'last' || row === undefined ? added : sum(row.total, added)
  const lastAt = Math.max(usedAt, row?.lastAt ?? 0)
  await db
    .insertInto('usageTotals')
    .values({ tenantId, meter, rangeStart, total, lastAt })
    .onConflict((conflict) => conflict.columns(['tenantId', 'meter', 'rangeStart']).doUpdateSet({ total, lastAt }))
    .execute()
}

/** Undoes {@link addToTotal}. With the formula `last`, the total becomes the value of the newest remaining report. */
async function subtractFromTotal(db: Write, report: Counted, formula: UsageFormula): Promise<void> {
  const { tenantId, meter, rangeStart, identifier, value } = report
  const at = db
    .updateTable('usageTotals')
    .where('tenantId', '=', tenantId)
    .where('meter', '=', meter)
    .where('rangeStart', '=', rangeStart)
  if (formula !== 'last') {
    const row = await totalRow(db, report)
    const subtracted = formula === 'count' ? '1' : value
    await at.set({ total: sum(row?.total ?? '0', negative(subtracted)) }).execute()
    return
  }
  const newest = await db
    .selectFrom('usageReports')
    .select(['value', 'usedAt'])
    .where('tenantId', '=', tenantId)
    .where('meter', '=', meter)
    .where('rangeStart', '=', rangeStart)
    .where('identifier', '!=', identifier)
    .orderBy('usedAt', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (newest !== undefined) await at.set({ total: newest.value, lastAt: newest.usedAt }).execute()
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
  { tenantId, meter }: Omit<Key, 'identifier'>,
  formula: UsageFormula,
  { from, to }: UsageWindow,
): Promise<string> {
  const since = db
    .selectFrom('usageTotals')
    .select('total')
    .where('tenantId', '=', tenantId)
    .where('meter', '=', meter)
    .where('rangeStart', '>=', from)
    .orderBy('rangeStart', 'desc')
  const ranges = await (to === null ? since : since.where('rangeStart', '<', to)).execute()
  if (formula === 'last') return ranges[0]?.total ?? '0'
  return ranges.reduce((total, range) => sum(total, range.total), '0')
}

const isWithin = (time: number, { from, to }: UsageWindow) => time >= from && (to === null || time < to)
const sum = (one: string, other: string) => decimalText(addDecimals(parseDecimal(one), parseDecimal(other)))
const negative = (value: string) => decimalText(multiplyByInteger(parseDecimal(value), -1))
