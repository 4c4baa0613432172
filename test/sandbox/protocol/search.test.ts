// The search query language as the real API documents it.
import { describe, expect, test } from 'vitest'
import { refusal } from '../../support/shop/stripe-refusal.ts'
import { sandboxForTest } from '../../support/sandbox.ts'

async function world() {
  const sandbox = await sandboxForTest()
  const { stripe, clock } = sandbox
  const made = async (name: string, own: object) => {
    clock.advance(1000)
    return (await stripe.customers.create({ name, ...own })).id
  }
  const ada = await made('Ada Lovelace', { email: 'ada@example.com', metadata: { plan: 'Gold', seats: '7' } })
  const bob = await made('Bob', { email: 'bob@example.org', metadata: { plan: 'silver' } })
  const eve = await made("Eve 'the' O\"Hara", { phone: '+15550001' })
  const names = new Map([
    [ada, 'ada'],
    [bob, 'bob'],
    [eve, 'eve'],
  ])
  const found = async (query: string) =>
    (await stripe.customers.search({ query })).data.map(({ id }) => names.get(id) ?? id).sort()
  return { ...sandbox, found, ada }
}

describe('a search in the sandbox', () => {
  test('matches exact text regardless of case, substrings, metadata, null fields and numbers', async () => {
    const { found, clock } = await world()
    const now = Math.floor(clock.now() / 1000)
    for (const [query, names] of [
      ['name:"ada lovelace"', ['ada']],
      ["name:'Bob'", ['bob']],
      ['name:"Ada"', []],
      ['name~"love"', ['ada']],
      ['email~"example"', ['ada', 'bob']],
      ['metadata["plan"]:"gold"', ['ada']],
      ["metadata['plan']:'silver'", ['bob']],
      ['metadata["plan"]:null', ['eve']],
      ['-metadata["plan"]:null', ['ada', 'bob']],
      ['email:null', ['eve']],
      ['-email:"ada@example.com"', ['bob', 'eve']],
      ['email:"ada@example.com" OR email:"bob@example.org"', ['ada', 'bob']],
      ['email~"example" AND -metadata["plan"]:"gold"', ['bob']],
      ['email~"example" metadata["plan"]:"gold"', ['ada']],
      [`created>=${String(now)}`, ['eve']],
      [`created<${String(now)}`, ['ada', 'bob']],
      ['name~"O\\"Hara"', ['eve']],
    ] as const)
      expect([query, await found(query)]).toEqual([query, names])
  })

  test('is refused if it cannot be parsed, mixes AND with OR, or names an unsupported field', async () => {
    const { stripe } = await world()
    for (const query of [
      'name',
      'name:Ada',
      'name:"a" AND',
      'AND name:"a"',
      'name:"a" AND name:"b" OR name:"c"',
      '(name:"a")',
      'balance:1',
      'name>"a"',
      'name~"ad"',
      'created~"1"',
      Array.from({ length: 11 }, () => 'name:"a"').join(' OR '),
    ])
      expect([query, await refusal(stripe.customers.search({ query }))]).toMatchObject([
        query,
        { status: 400, param: 'query' },
      ])
  })

  test('returns pages, newest first, and finds new objects at once unless a search delay is configured', async () => {
    const { stripe, control, url, clock } = await sandboxForTest()
    const ids: string[] = []
    for (let index = 0; index < 5; index++) {
      const { id } = await stripe.products.create({ name: `Thing ${String(index)}`, metadata: { lot: 'one' } })
      ids.unshift(id)
    }
    const query = 'active:"true" AND metadata["lot"]:"one"'
    const first = await stripe.products.search({ query, limit: 2 })
    expect([first.data.map(({ id }) => id), first.has_more]).toEqual([ids.slice(0, 2), true])
    const all = await stripe.products.search({ query, limit: 2 }).autoPagingToArray({ limit: 100 })
    expect(all.map(({ id }) => id)).toEqual(ids)
    expect(await refusal(stripe.products.search({ query, page: 'nonsense' }))).toMatchObject({ param: 'page' })

    const body = JSON.stringify({ delay_seconds: 60 })
    await fetch(`${url}/_sandbox/search`, { method: 'PUT', body })
    expect(control.status().search_delay_seconds).toBe(60)
    expect((await stripe.products.search({ query })).data).toEqual([])
    clock.advance(61_000)
    expect((await stripe.products.search({ query })).data).toHaveLength(5)
  })

  test('finds prices and subscriptions by the search fields of each kind', async () => {
    const { stripe } = await sandboxForTest()
    const product = await stripe.products.create({ name: 'Pro' })
    const price = await stripe.prices.create({
      ...{ product: product.id, currency: 'usd', unit_amount: 0, recurring: { interval: 'month' } },
      lookup_key: 'pro_monthly',
    })
    const customer = await stripe.customers.create()
    const made = await stripe.subscriptions.create({ customer: customer.id, items: [{ price: price.id }] })
    const prices = async (query: string) => (await stripe.prices.search({ query })).data.length
    expect(await prices('lookup_key:"pro_monthly"')).toBe(1)
    expect(await prices(`product:"${product.id}" AND type:"recurring" AND currency:"usd" AND active:"true"`)).toBe(1)
    expect(await prices('active:"false"')).toBe(0)
    const { data } = await stripe.subscriptions.search({ query: 'status:"active"', expand: ['data.customer'] })
    expect(data).toMatchObject([{ id: made.id, customer: { id: customer.id } }])
  })
})
