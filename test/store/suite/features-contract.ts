// Grants and reported usage, written by several replicas on one store.
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { KyselyStore } from '../../../packages/ratecard/src/store/sql/kysely-store.ts'
import { decimalFromInteger, compareDecimals, parseDecimal } from '../../../packages/ratecard/src/base/money/decimal.ts'
import { configId, processorId } from '../../../packages/ratecard/src/catalog/resource.ts'
import type { MakePlace } from '../../support/stores/store.ts'
import { newAudit, newLocalSubscription, newTenant } from '../../support/shop/tenant-records.ts'
import { newInvoice, newSubscription } from './mirror-records.ts'
import { addTenant } from './tenants-contract.ts'
import type { UsageFormula } from '../../../packages/ratecard/src/store/records/features.ts'

const day = 86_400_000
const start = Date.UTC(2031, 4, 10)

export function featuresContract(engine: string, makePlace: MakePlace): void {
  describe(`reported usage on ${engine}`, () => {
    const world = async () => {
      const place = await makePlace()
      const stores = [await place.open(), await place.open()] as const
      const report = (identifier: string, value: string, usedAt = start) => ({
        ...{ tenantId: 'acme', meter: 'api_call', identifier, value, usedAt, createdAt: usedAt, event: '{}' },
        rangeStart: Math.floor(usedAt / day) * day,
      })
      const used = (formula: UsageFormula = 'sum', from = start, to: number | null = null) =>
        stores[1].usage.used('acme', 'api_call', formula, { from, to })
      return { stores, report, used }
    }
    const atMost = (limit: number) => ({
      window: { from: start, to: null },
      allows: (total: string) => compareDecimals(parseDecimal(total), decimalFromInteger(limit)) <= 0,
    })

    test('never exceeds a limit, even with concurrent reports on several replicas', async () => {
      const { stores, report, used } = await world()
      const outcomes = await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          stores[index % 2 === 0 ? 0 : 1].usage.hold(report(`r${String(index)}`, '2.5'), 'sum', [atMost(50)]),
        ),
      )
      expect(outcomes.filter(({ outcome }) => outcome === 'held')).toHaveLength(20)
      expect(await used()).toBe('50')
    })

    test('is counted for each of several concurrent reports; a report that cannot be stored is not counted and does not affect the others', async () => {
      const { stores, report, used } = await world()
      const { usage } = stores[0]
      const reports = Array.from({ length: 30 }, (_, index) => report(`r${String(index)}`, '2'))
      const broken = { ...report('broken', '5'), identifier: null as unknown as string }
      const outcomes = await Promise.allSettled(
        [...reports.slice(0, 15), broken, ...reports.slice(15)].map((one) => usage.hold(one, 'sum', [])),
      )
      expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1)
      expect(outcomes[15]?.status).toBe('rejected')
      expect(await used()).toBe('60')
      await Promise.all(reports.map((one) => usage.sent(one, 'sent')))
      expect(await usage.countHeld({ from: 0, to: null })).toBe(0)
    })

    test('counts once per identifier, and no longer counts after its report was withdrawn', async () => {
      const { stores, report, used } = await world()
      const { usage } = stores[0]
      expect(await usage.hold(report('one', '7'), 'sum', [])).toEqual({ outcome: 'held' })
      expect(await usage.hold(report('one', '9'), 'sum', [])).toEqual({
        outcome: 'known',
        report: { ...report('one', '7'), state: 'held' },
      })
      expect(await used()).toBe('7')
      await usage.release(report('one', '7'), 'sum')
      expect(await used()).toBe('0')
      await usage.hold(report('one', '7'), 'sum', [])
      await usage.sent(report('one', '7'), 'sent')
      await usage.release(report('one', '7'), 'sum')
      expect(await used()).toBe('7')
    })

    test('is aggregated as the sum, the count or the last value of a window', async () => {
      for (const [formula, total] of [
        ['sum', '6'],
        ['count', '2'],
        ['last', '4'],
      ] as const) {
        const { stores, report, used } = await world()
        await stores[0].usage.hold(report('before', '9', start - day), formula, [])
        await stores[0].usage.hold(report('second', '4', start + day), formula, [])
        await stores[0].usage.hold(report('first', '2', start), formula, [])
        await stores[0].usage.hold(report('after', '9', start + 5 * day), formula, [])
        expect(await used(formula, start, start + 5 * day)).toBe(total)
      }
    })

    test('is the last report of each time range, or the number of ranges, for meters whose later reports replace earlier reports', async () => {
      for (const [formula, values] of [
        ['last_of_each', ['9', '4', '5', '9', '5']],
        ['one_of_each', ['2', '1', '2', '2', '2']],
      ] as const) {
        const { stores, report, used } = await world()
        const { usage } = stores[0]
        const hold = (identifier: string, value: string, at: number, limit = 99) =>
          usage.hold({ ...report(identifier, value, at), createdAt: at }, formula, [atMost(limit)])
        await hold('one', '3', start)
        await hold('two', '1', start + 1)
        const [both, one, replaced, again, released] = values
        // The first range is replaced, and does not count toward the limit twice.
        await hold('next day', '4', start + day)
        expect(await hold('three', '5', start + 2, Number(both))).toEqual({ outcome: 'held' })
        expect(await used(formula)).toBe(both)
        expect(await used(formula, start + day)).toBe(one)
        await usage.release(report('next day', '4', start + day), formula)
        expect(await used(formula)).toBe(formula === 'last_of_each' ? replaced : '1')
        await hold('next day', '4', start + day)
        expect(await used(formula)).toBe(again)
        await usage.release(report('three', '5', start + 2), formula)
        expect(await used(formula)).toBe(released)
      }
    })

    const formulas = ['sum', 'count', 'last', 'last_of_each', 'one_of_each'] as const
    /** Number of rows that a read of all usage adds up. */
    const rangesIn = async ({ database }: KyselyStore) => {
      const query = sql<{ n: number }>`select count(*) as n from usage_totals where range_start >= 0`
      return Number((await database.read((db) => query.execute(db))).rows[0]?.n)
    }

    test.each(formulas)('of a year is read from few rows, and exact in every window (%s)', async (formula) => {
      const { stores, report, used } = await world()
      const reports = Array.from({ length: 120 }, (_, index) => ({
        at: start + index * 3 * day,
        value: (index % 9) + 1,
      }))
      for (const [index, { at, value }] of reports.entries())
        await stores[index % 2 === 0 ? 0 : 1].usage.hold(report(`r${String(index)}`, String(value), at), formula, [])
      const expected = (from: number, to: number) => {
        const within = reports.filter(({ at }) => at >= from && at < to)
        if (formula === 'last') return within.at(-1)?.value ?? 0
        const counts = formula === 'count' || formula === 'one_of_each'
        return within.reduce((sum, { value }) => sum + (counts ? 1 : value), 0)
      }
      const times = [0, 1, 30.5, 150, 297, 330.5, 358].map((days) => start + days * day)
      for (const from of [0, ...times])
        for (const to of [...times.filter((time) => time > from), Infinity]) {
          const sum = await used(formula, from, to === Infinity ? null : to)
          expect([from, to, sum]).toEqual([from, to, String(expected(from, to))])
        }
      expect(await rangesIn(stores[0])).toBeLessThanOrEqual(14)
    })

    test('stays exact if there are more old ranges than one report compacts, also with concurrent and late reports on several replicas', async () => {
      const { stores, report, used } = await world()
      const hour = day / 24
      const hourly = Array.from({ length: 230 }, (_, index) => start + index * hour)
      const hold = (identifier: string, usedAt: number, createdAt: number, replica: 0 | 1) =>
        stores[replica].usage.hold({ ...report(identifier, '0.5', usedAt), rangeStart: usedAt, createdAt }, 'sum', [])
      for (const at of hourly) await hold(String(at), at, at, 0)
      const later = start + 90 * day
      const counts = []
      for (const [identifier, usedAt, replica] of [
        ['later', later, 0],
        ['an hour later', later + hour, 1],
        ['in the same hour', later + hour, 1],
      ] as const) {
        await hold(identifier, usedAt, usedAt, replica)
        counts.push([await rangesIn(stores[0]), await used('sum', 0), await used('sum', start + 100 * hour, later)])
      }
      expect(counts).toEqual([
        [131, '115.5', '65'],
        [32, '116', '65'],
        [2, '116.5', '65'],
      ])
      const many = Array.from({ length: 20 }, (_, index) => index)
      await Promise.all(
        many.map((index) =>
          hold(`much later ${String(index)}`, later + 80 * day, later + 80 * day, index % 2 === 0 ? 0 : 1),
        ),
      )
      await hold('too late', start + 5 * hour, later + 80 * day, 1)
      expect(await used('sum', 0)).toBe('127')
      expect([await used('sum', start, start + 5 * hour), await used('sum', start, start + 6 * hour)]).toEqual([
        '2.5',
        '3.5',
      ])
    })

    test('is stored individually until the processor has confirmed the report, and afterwards only as part of the sum', async () => {
      const { stores, report } = await world()
      const { usage } = stores[0]
      for (const [identifier, at] of [
        ['two', 2],
        ['one', 1],
        ['old', -1],
      ] as const)
        await usage.hold(report(identifier, '7', start + at), 'sum', [])
      const soon = { from: start, to: start + 5 }
      const named = async (limit: number) => (await usage.held(soon, limit)).map(({ identifier }) => identifier)
      expect([await named(9), await named(1), await usage.countHeld(soon)]).toEqual([['one', 'two'], ['one'], 2])
      await usage.sent(report('one', '7'), 'resent')
      // A report is marked once: the first response counts.
      await usage.sent(report('one', '7'), 'sent')
      expect([await named(9), await usage.countHeld(soon)]).toEqual([['two'], 1])
      const known = await usage.hold(report('one', '7'), 'sum', [])
      expect(known).toMatchObject({ outcome: 'known', report: { state: 'resent', event: null } })
    })

    test('is listed page by page, even if many unconfirmed reports were stored in the same millisecond', async () => {
      const { stores, report } = await world()
      const { usage } = stores[0]
      // Two tenants may use the same identifier.
      for (const tenantId of ['beta', 'acme'])
        for (const identifier of ['two', 'three', 'one'])
          await usage.hold({ ...report(identifier, '1'), tenantId }, 'sum', [])
      const met: string[] = []
      for (let page = await usage.held({ from: start, to: null }, 2); page.length > 0;) {
        met.push(...page.map(({ tenantId, identifier }) => `${tenantId} ${identifier}`))
        page = await usage.held({ from: start, to: null }, 2, page.at(-1))
      }
      expect(met).toEqual(['acme', 'beta'].flatMap((one) => [`${one} one`, `${one} three`, `${one} two`]))
    })

    test('is deleted after its retention, 1,000 reports at a time, with each of the next reports', async () => {
      const { stores, report } = await world()
      const { usage } = stores[0]
      const old = Array.from({ length: 1001 }, (_, index) => report(`old ${String(index)}`, '1', start + index))
      await Promise.all(old.map((one) => usage.hold(one, 'sum', [])))
      const later = start + 40 * day
      const outcomes = []
      for (const identifier of ['new', 'old 1000', 'next', 'old 1000'])
        outcomes.push((await usage.hold(report(identifier, '1', later), 'sum', [])).outcome)
      expect(outcomes).toEqual(['held', 'known', 'held', 'held'])
    })

    test('returns to its previous value if the last report is withdrawn, for meters that count the last value', async () => {
      const { stores, report, used } = await world()
      await stores[0].usage.hold(report('one', '3', start + 1), 'last', [])
      await stores[0].usage.hold(report('two', '8', start + 2), 'last', [])
      expect(await used('last')).toBe('8')
      await stores[0].usage.release(report('two', '8', start + 2), 'last')
      expect(await used('last')).toBe('3')
    })
  })

  describe(`the nightly comparison of usage on ${engine}`, () => {
    const from = start
    const to = start + 10 * day
    const world = async () => {
      const store = await (await makePlace()).open()
      const key = (identifier: string, tenantId = 'acme', meter = 'api_call') => ({ tenantId, meter, identifier })
      let number = 0
      const stored = async (
        values: { usedAt: number; createdAt?: number; value?: string; state?: 'held' | 'sent' | 'resent' },
        of: { tenantId?: string; meter?: string } = {},
      ) => {
        const { usedAt, createdAt = usedAt, value = '1', state = 'sent' } = values
        const report = { ...key(`r${String(++number)}`, of.tenantId, of.meter), value, usedAt, createdAt, event: '{}' }
        await store.usage.hold({ ...report, rangeStart: Math.floor(usedAt / day) * day }, 'sum', [])
        if (state !== 'held') await store.usage.sent(report, state)
      }
      return { store, stored }
    }

    test('visits each tenant and meter with usage within the compared days exactly once', async () => {
      const { store, stored } = await world()
      for (const of of [
        { tenantId: 'b' },
        { tenantId: 'a', meter: 'z' },
        { tenantId: 'a', meter: 'y' },
        { tenantId: 'A' },
        { tenantId: 'a', meter: 'other' },
        { tenantId: 'only other', meter: 'other' },
      ])
        for (const usedAt of [from, from + day]) await stored({ usedAt }, of)
      await stored({ usedAt: from - day }, { tenantId: 'before' })
      await stored({ usedAt: to }, { tenantId: 'after' })
      const met: string[] = []
      for (let after = null, next; ; after = next) {
        next = await store.usageComparison.next(after, { from, to }, ['z', 'api_call', 'y'])
        if (next === null) break
        met.push(`${next.tenantId} ${next.meter}`)
      }
      expect(met).toEqual(['A api_call', 'a y', 'a z', 'b api_call'])
      expect(await store.usageComparison.next(null, { from, to }, [])).toBeNull()
      const before = { tenantId: 'before', meter: 'api_call' }
      expect(await store.usageComparison.firstRange(before)).toBe(from - day)
      expect(await store.usageComparison.firstRange({ ...before, meter: 'none' })).toBeNull()
      await stored({ usedAt: from + 90 * day }, { tenantId: 'before' })
      expect(await store.usageComparison.firstRange(before)).toBe(from - day)
    })

    test('reads from the audit log since when a tenant has its current customer', async () => {
      const { store } = await world()
      const { tenants, usageComparison } = store
      expect(await usageComparison.customerSince('acme')).toBeNull()
      await tenants.add(newTenant({ id: 'acme' }), newAudit('acme', { action: 'tenant_created', createdAt: start }))
      expect(await usageComparison.customerSince('acme')).toBe(start)
      const changes = [
        ['customer', { processorCustomerId: 'cus_2' }, '{"processor_customer_id":"cus_2"}'],
        ['name', { name: '"processor_customer_id":' }, JSON.stringify({ name: '"processor_customer_id":' })],
      ] as const
      for (const [index, [id, change, after]] of changes.entries())
        await tenants.update('acme', change, newAudit('acme', { id, after, createdAt: start + day * (index + 1) }))
      expect(await usageComparison.customerSince('acme')).toBe(start + day)
    })

    test('treats reports near midnight, new reports, and reports that were sent twice as uncertain', async () => {
      const { store, stored } = await world()
      const limits = { marginMs: 1000, recentFrom: to + day }
      const of = { tenantId: 'acme', meter: 'api_call' }
      const uncertain = () => store.usageComparison.uncertain(of, { from, to }, limits)
      expect(await uncertain()).toEqual({ reports: 0, sum: 0 })
      const certain = [
        { usedAt: from + 2000 },
        { usedAt: to - 2000 },
        // Used after the compared days, however new it is.
        { usedAt: to + day, createdAt: to + 2 * day },
        { usedAt: from + 5 * day, state: 'resent' as const },
      ]
      for (const values of certain) await stored(values)
      expect(await uncertain()).toEqual({ reports: 0, sum: 0 })
      const uncertainOnes = [
        { usedAt: from - 500 },
        { usedAt: to + 500, value: '-2' },
        { usedAt: from + day, createdAt: to + day, value: '0.5' },
        { usedAt: from + 5 * day, state: 'held' as const },
        { usedAt: to - day / 2, state: 'resent' as const },
      ]
      for (const values of uncertainOnes) await stored(values)
      await stored({ usedAt: from, value: '100' }, { tenantId: 'other' })
      expect(await uncertain()).toEqual({ reports: 5, sum: 5.5 })
    })

    test('stores one difference per tenant and meter, until both counts agree or there is no usage left to compare', async () => {
      const { store } = await world()
      const comparison = store.usageComparison
      const difference = (tenantId: string, comparedAt: number) => ({
        ...{ tenantId, meter: 'api_call', since: from, until: to, counted: '3', recorded: '4.5', comparedAt },
      })
      for (const [id, at] of [
        ['b', 1],
        ['a', 1],
        ['c', 1],
        ['a', 2],
      ] as const)
        await comparison.save({ tenantId: id, meter: 'api_call' }, difference(id, at))
      expect(await comparison.differences(2)).toEqual({ items: [difference('a', 2), difference('b', 1)], total: 3 })
      await comparison.save({ tenantId: 'b', meter: 'api_call' }, null)
      await comparison.removeBefore(2)
      expect(await comparison.differences(2)).toEqual({ items: [difference('a', 2)], total: 1 })
    })
  })

  describe(`the entitlement data of a tenant on ${engine}`, () => {
    test('is read in one call: customer, subscriptions, running free subscriptions, grants, and the age of the mirror', async () => {
      const store = await (await makePlace()).open()
      await addTenant(store, { id: 'acme', processorCustomerId: 'cus_acme' })
      await addTenant(store, { id: 'other', processorCustomerId: 'cus_other' })
      await store.mirror.setState({
        ...{ account: 'acct_1', filling: null, eventCursor: 'evt_1', corrections: 0 },
        ...{ readUntil: 20, beganAt: 10, comparedAt: null },
      })
      const of = (customer: string) => ({ customer: processorId(customer) })
      const subscriptions = [
        newSubscription('sub_2', { ...of('cus_acme'), createdAt: 5 }),
        newSubscription('sub_3', { ...of('cus_acme'), createdAt: 4 }),
        newSubscription('sub_1', { ...of('cus_acme'), createdAt: 5, status: 'canceled' }),
        newSubscription('sub_9', of('cus_other')),
      ]
      await store.mirror.save('subscription', subscriptions, await store.mirror.beginRead())
      await store.mirror.save('invoice', [newInvoice('in_1', of('cus_acme'))], await store.mirror.beginRead())
      await store.mirror.save(
        'subscription',
        [newSubscription('sub_4', of('cus_acme'))],
        await store.mirror.beginRead(),
      )
      await store.mirror.remove('subscription', ['sub_4'], await store.mirror.beginRead())
      const free = await store.localSubscriptions.start(newLocalSubscription('acme'))
      const ended = await store.localSubscriptions.start(newLocalSubscription('acme', { priceId: configId('old') }))
      await store.localSubscriptions.end(ended.id, 7)
      await store.localSubscriptions.start(newLocalSubscription('other'))
      const grant = { feature: 'projects', granted: '5', switched: null, mode: 'add', endsAt: 99 } as const
      await store.grants.put({ ...grant, tenantId: 'acme', note: 'sorry', createdAt: 1 }, newAudit('acme'))
      expect(await store.holdings.of('acme')).toEqual({
        ...{ tenantId: 'acme', customer: 'cus_acme', sequence: await store.changeSequence() },
        mirror: { beganAt: 10, readUntil: 20, oldestStale: null },
        subscriptions: await store.mirror.subscriptionsOf(processorId('cus_acme')),
        free: [free],
        grants: [grant],
      })
      const held = await store.holdings.of('acme')
      expect(held?.subscriptions.map(({ id }) => id)).toEqual(['sub_3', 'sub_1', 'sub_2'])
      await store.mirror.markStale([{ kind: 'subscription', id: 'sub_2', since: 15 }])
      expect((await store.holdings.of('acme'))?.mirror.oldestStale).toBe(15)
    })

    test('is missing for an unknown tenant, and empty for a tenant without a customer', async () => {
      const store = await (await makePlace()).open()
      await addTenant(store, { id: 'acme' })
      expect(await store.holdings.of('nobody')).toBeNull()
      expect(await store.holdings.of('a\0b')).toBeNull()
      expect(await store.holdings.of('acme')).toEqual({
        ...{ tenantId: 'acme', customer: null, sequence: await store.changeSequence() },
        mirror: { beganAt: null, readUntil: null, oldestStale: null },
        ...{ subscriptions: [], free: [], grants: [] },
      })
    })
  })
}
