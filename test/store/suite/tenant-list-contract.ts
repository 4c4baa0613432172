// Tests of lists of tenants: search, filters, order, and the amounts of each tenant. They run on every engine.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { configId, processorId } from '../../../packages/ratecard/src/catalog/resource.ts'
import type { Store } from '../../../packages/ratecard/src/store/store.ts'
import { billingStatuses } from '../../../packages/ratecard/src/store/records/billing-status.ts'
import { tenantSorts, type TenantListQuery } from '../../../packages/ratecard/src/store/records/tenants.ts'
import { refreshListings } from '../../../packages/ratecard/src/store/sql/repositories/tenants/listings.ts'
import type { MakePlace } from '../../support/stores/store.ts'
import { newItem, newSubscription } from './mirror-records.ts'
import { newAudit, newLocalSubscription, newTenant } from '../../support/shop/tenant-records.ts'
import { addTenant } from './tenants-contract.ts'

const page = { limit: 100, offset: 0 }
const noMoney = { monthly: {}, owed: {}, writtenOff: {} }

async function idsOf(store: Store, query: Partial<TenantListQuery>): Promise<readonly string[]> {
  return (await store.tenants.list({ ...page, ...query })).items.map(({ id }) => id)
}

async function stand(store: Store, customer: string, sums: object): Promise<void> {
  const standing = { customer: processorId(customer), billingStatus: null, ...noMoney, ...sums }
  await store.mirror.saveStandings([{ ...standing, marked: await store.mirror.beginRead() }])
}

async function subscribe(store: Store, customer: string, ...prices: readonly string[]): Promise<void> {
  const id = `sub_${customer}`
  const items = prices.map((price, index) => newItem(`si_${customer}_${String(index)}`, price))
  const subscription = newSubscription(id, { customer: processorId(customer), items })
  await store.mirror.save('subscription', [subscription], await store.mirror.beginRead())
}

/** A tenant of a random list, with the values that the list must show for it. */
const modelTenant = fc.record({
  name: fc.array(fc.constantFrom('Zoë', 'zoe', 'ÅNGSTRÖM', 'Émile', 'gmbh', '%', '_', '\\', '"', '日本語', 'x'), {
    minLength: 1,
    maxLength: 3,
  }),
  email: fc.constantFrom(null, 'billing@zoë.example', 'ABC@x.example'),
  createdAt: fc.integer({ min: 1, max: 4 }),
  standing: fc.option(
    fc.record({
      billingStatus: fc.constantFrom('active', 'past_due', 'trialing', null),
      monthly: fc.constantFrom({}, { usd: '100' }, { usd: '100', jpy: '1' }, { eur: '833.333333333333' }),
      owed: fc.constantFrom({}, { usd: 1 }, { jpy: 5, usd: 10 }),
      prices: fc.subarray(['price_1', 'price_2', 'price_3']),
    }),
    { nil: null },
  ),
  free: fc.boolean(),
})
type ModelTenant = ReturnType<(typeof modelTenant)['generate']>['value'] & { readonly id: string }

const anyQuery = fc.record(
  {
    q: fc.constantFrom(
      'zoe',
      'ZOË ',
      'ang',
      'm',
      'É',
      'gm',
      'x.ex',
      '%',
      '_',
      '\\',
      '"',
      '日本',
      '日本語',
      'zoe gmbh',
      'a\nb',
      'T1',
    ),
    state: fc.constantFrom(...billingStatuses),
    onPrices: fc.array(fc.subarray(['price_1', 'price_2', 'free']), { maxLength: 2 }),
    owing: fc.boolean(),
    sort: fc.constantFrom(...tenantSorts),
    order: fc.constantFrom('asc' as const, 'desc' as const),
    limit: fc.integer({ min: 1, max: 40 }),
    offset: fc.integer({ min: 0, max: 10 }),
  },
  { requiredKeys: ['limit', 'offset'] },
)

const folded = (text: string) =>
  text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll(/\s+/g, ' ').trim()
const majors = (amounts: Readonly<Record<string, string | number>>) =>
  Object.entries(amounts).reduce((sum, [currency, amount]) => sum + Number(amount) / (currency === 'jpy' ? 1 : 100), 0)

function statusOf({ standing, free }: ModelTenant): string {
  const status = standing?.billingStatus ?? null
  return status ?? (free ? 'free' : 'none')
}

/** Computes the expected list by reading every tenant. */
function expected(tenants: readonly ModelTenant[], query: TenantListQuery): { ids: readonly string[]; total: number } {
  const { q = '', state, onPrices = [], owing = false, sort = 'id', order = 'asc' } = query
  const found = tenants.filter((tenant) => {
    const { id, name, email, standing, free } = tenant
    const fields = [id, name.join(' '), email ?? '', standing === null ? '' : `cus_${id}`]
    const prices = [...(standing?.prices ?? []), ...(free ? ['free'] : [])]
    return (
      fields.some((field) => folded(field).includes(folded(q))) &&
      (state === undefined || statusOf(tenant) === state) &&
      onPrices.every((set) => set.some((price) => prices.includes(price))) &&
      (!owing || majors(standing?.owed ?? {}) > 0)
    )
  })
  const keyOf = ({ id, name, createdAt, standing }: ModelTenant) =>
    ({
      id,
      name: Buffer.from(folded(name.join(' '))).toString('hex'),
      created_at: createdAt,
      monthly: Math.round(majors(standing?.monthly ?? {}) * 1e4),
      owed: majors(standing?.owed ?? {}),
    })[sort]
  const up = (a: string | number, b: string | number) => (a < b ? -1 : a > b ? 1 : 0)
  const sorted = found.sort((a, b) => up(keyOf(a), keyOf(b)) || up(a.id, b.id))
  if (order === 'desc') sorted.reverse()
  return { ids: sorted.slice(query.offset, query.offset + query.limit).map(({ id }) => id), total: found.length }
}

async function fill(store: Store, tenants: readonly ModelTenant[]): Promise<void> {
  for (const { id, name, email, createdAt, standing, free } of tenants) {
    const processorCustomerId = standing === null ? null : `cus_${id}`
    await addTenant(store, { id, name: name.join(' '), email, createdAt, processorCustomerId })
    if (free) await store.localSubscriptions.start(newLocalSubscription(id, { priceId: configId('free') }))
    if (processorCustomerId === null || standing === null) continue
    await subscribe(store, processorCustomerId, ...standing.prices)
    await stand(store, processorCustomerId, standing)
  }
}

export function tenantListContract(engine: string, makePlace: MakePlace): void {
  const open = async () => (await makePlace()).open()

  describe(`lists of tenants on ${engine}`, () => {
    test('equal the result of reading each tenant individually, for any search, filters, order and page', async () => {
      const store = await open()
      const [drawn = []] = fc.sample(fc.array(modelTenant, { minLength: 40, maxLength: 40 }), { numRuns: 1, seed: 7 })
      const tenants = drawn.map((tenant, index) => ({ ...tenant, id: `t${String(index)}` }))
      await fill(store, tenants)
      await fc.assert(
        fc.asyncProperty(anyQuery, async (query) => {
          const { items, total } = await store.tenants.list(query)
          expect({ ids: items.map(({ id }) => id), total }).toEqual(expected(tenants, query))
        }),
        { numRuns: 250 },
      )
    })

    test('match letters with a stroke and ligatures if the search has the plain letters, and the reverse', async () => {
      const store = await open()
      const names = ['Łódź', 'København', 'Đorđe', 'Cæsar', 'Œuvre', 'Þór', 'Groß', 'Ħal', 'Ŧ']
      for (const [index, name] of names.entries()) await addTenant(store, { id: `t${String(index)}`, name })
      const found = async (q: string) => (await store.tenants.list({ ...page, q })).items.map(({ name }) => name)
      const plain = ['lodz', 'kobenhavn', 'dorde', 'caesar', 'oeuvre', 'thor', 'gross', 'hal']
      for (const [index, q] of plain.entries()) {
        expect(await found(q)).toEqual([names[index]])
        expect(await found(names[index] ?? '')).toEqual([names[index]])
      }
      expect(await found('ØB')).toEqual(['København'])
    })

    test('match a part of an id, name, email or customer id in any case, with or without accents, but never across two fields', async () => {
      const store = await open()
      await addTenant(store, { id: 'acme', name: 'Société  Générale', email: 'Facturation@ACME.example' })
      await addTenant(store, {
        id: 'weiss',
        name: 'Weißstraße',
        email: null,
        processorCustomerId: 'cus_NffrFeUfNV2Hib',
      })
      await addTenant(store, { id: 'odos', name: 'ΟΔΟΣ ΑΘΗΝΑ', email: null })
      for (const q of ['SOCIETE', 'generale', 'été', 'tion@acme', 'e g', 'Société Gén', ' acme '])
        expect([q, await idsOf(store, { q })]).toEqual([q, ['acme']])
      for (const q of ['STRASSE', 'weiß', 'nffrfeufnv2hib', 'hib'])
        expect([q, await idsOf(store, { q })]).toEqual([q, ['weiss']])
      for (const q of ['οδος', 'δο', 'αθηνα']) expect([q, await idsOf(store, { q })]).toEqual([q, ['odos']])
      for (const q of ['acmeso', 'acme so', 'acme\nso', 'generalef', '* OR', 'acme*', '"'])
        expect([q, await idsOf(store, { q })]).toEqual([q, []])
    })

    test('contain a changed name, a new customer id and a deletion immediately', async () => {
      const store = await open()
      const { id } = await addTenant(store, { id: 'acme', name: 'Acme' })
      await stand(store, 'cus_1', { billingStatus: 'past_due', monthly: { usd: '100' }, owed: { usd: 100 } })
      expect(await idsOf(store, { owing: true })).toEqual([])
      await store.tenants.bindCustomer(id, 'cus_1', 5)
      expect((await store.tenants.list({ ...page, owing: true })).items).toMatchObject([
        { id, billingStatus: 'past_due', monthly: { usd: '100' }, owed: { usd: 100 }, prices: [] },
      ])
      await store.tenants.update(id, { name: 'Zenith' }, newAudit(id))
      expect(await idsOf(store, { q: 'acme ' })).toEqual([id])
      expect(await idsOf(store, { q: 'zen' })).toEqual([id])
      await store.tenants.update(id, { processorCustomerId: null }, newAudit(id))
      expect((await store.tenants.list({ ...page, q: 'cus_1' })).total).toBe(0)
      expect(await idsOf(store, { state: 'none' })).toEqual([id])
      await store.tenants.remove(id, newAudit(id, { action: 'tenant_deleted' }))
      expect(await store.tenants.list({ ...page, q: 'zenith' })).toEqual({ items: [], total: 0 })
      await addTenant(store, { id: 'acme', name: 'Other' })
      expect(await idsOf(store, { q: 'zenith' })).toEqual([])
      expect(await idsOf(store, { q: 'oth' })).toEqual([id])
    })

    test('contain free subscriptions while they run, and the most urgent status of each tenant', async () => {
      const store = await open()
      await addTenant(store, { id: 'acme', processorCustomerId: 'cus_1' })
      const free = await store.localSubscriptions.start(newLocalSubscription('acme', { priceId: configId('hobby') }))
      expect((await store.tenants.list({ ...page, state: 'free' })).items).toMatchObject([
        { prices: [{ price: 'hobby', product: null, items: 1 }] },
      ])
      expect(await idsOf(store, { onPrices: [['hobby', 'price_1']] })).toEqual(['acme'])
      await stand(store, 'cus_1', { billingStatus: 'incomplete' })
      expect(await idsOf(store, { state: 'free' })).toEqual(['acme'])
      await stand(store, 'cus_1', { billingStatus: 'trialing' })
      expect(await idsOf(store, { state: 'trialing' })).toEqual(['acme'])
      await stand(store, 'cus_1', { billingStatus: null })
      await store.localSubscriptions.end(free.id, 5)
      expect((await store.tenants.list({ ...page, state: 'none' })).items).toMatchObject([{ prices: [] }])
    })

    test('contain each tenant’s number of items per price, and omit prices of ended subscriptions', async () => {
      const store = await open()
      await addTenant(store, { id: 'acme', processorCustomerId: 'cus_1' })
      await subscribe(store, 'cus_1', 'price_2', 'price_1', 'price_1')
      expect((await store.tenants.list(page)).items).toMatchObject([
        {
          prices: [
            { price: 'price_1', product: 'prod_of_price_1', items: 2 },
            { price: 'price_2', product: 'prod_of_price_2', items: 1 },
          ],
        },
      ])
      await store.localSubscriptions.start(newLocalSubscription('acme', { priceId: configId('hobby') }))
      expect(await store.mirror.pricesInUse()).toEqual(['price_1', 'price_2'])
      expect(await store.localSubscriptions.pricesInUse()).toEqual(['hobby'])
      await subscribe(store, 'cus_1')
      expect(await store.mirror.pricesInUse()).toEqual([])
      expect(await idsOf(store, { onPrices: [['price_1']] })).toEqual([])
    })

    test('have a customer’s sums recomputed when a tenant is linked to that customer', async () => {
      const store = await open()
      const due = async () => (await store.mirror.unsummed(10)).map(({ customer }) => customer)
      await addTenant(store, { id: 'a', processorCustomerId: 'cus_1' })
      await addTenant(store, { id: 'b' })
      expect(await due()).toEqual(['cus_1'])
      await store.tenants.bindCustomer('b', 'cus_2', 5)
      await store.tenants.update('a', { processorCustomerId: 'cus_3' }, newAudit('a'))
      expect(await due()).toEqual(['cus_1', 'cus_2', 'cus_3'])
    })

    test('are correct if free subscriptions and sums change at the same time', async () => {
      const place = await makePlace()
      const first = await place.open()
      const second = place.file === ':memory:' ? first : await place.open()
      for (let round = 0; round < 10; round++) {
        const customer = `cus_${String(round)}`
        const { id } = await addTenant(first, { processorCustomerId: customer })
        await Promise.all([
          first.localSubscriptions.start(newLocalSubscription(id)),
          stand(second, customer, { billingStatus: 'past_due' }),
        ])
        expect(await idsOf(first, { state: 'past_due', processorCustomerId: customer })).toEqual([id])
      }
    })

    test('are sorted and counted correctly even with more matches than fit into one statement', async () => {
      const store = await open()
      const count = 1_100
      const tenants = Array.from({ length: count }, (_, index) =>
        newTenant({ id: `t${String(10_000 + index)}`, name: index % 2 === 0 ? 'Even Steven' : 'Odd Steven' }),
      )
      // Inserts in one transaction, because a thousand transactions take seconds.
      await store.database.write(async (db) => {
        for (let start = 0; start < count; start += 500)
          await db
            .insertInto('tenants')
            .values(tenants.slice(start, start + 500))
            .execute()
        await refreshListings(
          store.database,
          db,
          tenants.map(({ id }) => id),
        )
      })
      const { items, total } = await store.tenants.list({
        limit: 2,
        offset: 3,
        q: 'steven',
        sort: 'name',
        order: 'desc',
      })
      expect(total).toBe(count)
      expect(items.map(({ id }) => id)).toEqual(['t11093', 't11091'])
      expect(await store.tenants.list({ limit: 1, offset: 0, q: 'odd' })).toMatchObject({
        total: count / 2,
        items: [{ id: 't10001' }],
      })
    })
  })
}
