import { describe, expect, test } from 'vitest'
import { clientOf, sandboxForTest, startTestSandbox, TestClock } from '../../support/sandbox.ts'
import { payingCustomer } from '../../support/shop/paying-customer.ts'
import { customerShop, day } from '../customers/customer-shop.ts'

const year = 365 * day

interface Control {
  ask(method: string, body?: object, signal?: AbortSignal): Promise<{ status: number; body: Record<string, unknown> }>
}

function clockOf({ url, apiKey }: { readonly url: string; readonly apiKey: string }): Control {
  return {
    ask: async (method, body, signal) => {
      const response = await fetch(`${url}/_sandbox/clock`, {
        method,
        headers: { authorization: `Bearer ${apiKey}` },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal === undefined ? {} : { signal }),
      })
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    },
  }
}

/** A shop with a subscription that renews every day. */
async function daily() {
  const shop = await customerShop()
  await shop.subscribed(await shop.monthly(100, { recurring: { interval: 'day' } }))
  return shop
}

describe('the clock of a sandbox account:', () => {
  test('an advance of the clock by 31,000 years is refused', async () => {
    const { ask } = clockOf(await daily())
    const answer = await ask('POST', { advance_seconds: 999_999_999_999 })
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining('at most') } })
  })

  test.each(['2031-02-30T00:00:00Z', '2031-01-31T00:00:00', '2031-01-31', 'tomorrow'])(
    'an advance to %s, which does not exist or has no zone, is refused',
    async (to) => {
      const { ask } = clockOf(await sandboxForTest())
      expect(await ask('POST', { to })).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining('a time that exists with its zone') },
      })
    },
  )

  test('a live key has no account, and so no clock', async () => {
    const { ask } = clockOf({ ...(await sandboxForTest()), apiKey: 'sk_live_x' })
    expect(await ask('POST', { advance_seconds: day })).toMatchObject({
      status: 401,
      body: { error: expect.stringContaining('Accounts belong to test keys') },
    })
  })

  test('many advances of the clock together are limited to the same date as a single advance', async () => {
    const { ask } = clockOf(await sandboxForTest())
    expect((await ask('POST', { advance_seconds: 99 * 365 * day })).status).toBe(200)
    expect(await ask('POST', { advance_seconds: 99 * 365 * day })).toMatchObject({
      status: 400,
      body: { error: 'A clock can be at most 100 years ahead of the real time.' },
    })
  })

  test('other requests are served during a long advance of the clock, and the advance can be stopped', async () => {
    const shop = await daily()
    const { ask } = clockOf(shop)
    const before = Number((await ask('GET')).body['now'])
    const moving = ask('POST', { advance_seconds: 90 * year })
    const other = clientOf(shop, 'sk_test_other')
    expect((await other.products.list()).data).toEqual([])
    expect((await ask('POST', { advance_seconds: 1 })).status).toBe(409)
    expect((await ask('DELETE')).body).toEqual({ stopped: 1 })
    const reached = Number((await moving).body['now'])
    expect(reached).toBeLessThan(before + 90 * year)
    // All actions up to the reached time were run.
    const invoices = await shop.invoices()
    expect(invoices.length).toBe(Math.min(100, Math.floor((reached - before) / day) + 1))
    expect((await ask('GET')).body['now']).toBe(reached)
  })

  test('the clock stops when the client that advances it disconnects', async () => {
    const shop = await daily()
    const { ask } = clockOf(shop)
    const caller = new AbortController()
    const moving = ask('POST', { advance_seconds: 90 * year }, caller.signal)
    const hungUp = moving.catch((error: unknown) => error)
    await shop.stripe.products.list()
    caller.abort()
    await hungUp
    let free = await ask('POST', { advance_seconds: 0 })
    while (free.status === 409) free = await ask('POST', { advance_seconds: 0 })
    expect(free.status).toBe(200)
  })

  test.each([
    ['faults', { kind: 'latency', latency_ms: 1e12 }],
    ['faults', { kind: 'conflict', count: 1e12 }],
    ['faults', { kind: 'conflict', skip: 1e12 }],
    ['faults', { kind: 'conflict', path: '*'.repeat(501) }],
  ])('a control request for %s refuses %j', async (route, body) => {
    const { url } = await sandboxForTest()
    const answer = await fetch(`${url}/_sandbox/${route}`, { method: 'POST', body: JSON.stringify(body) })
    expect(answer.status).toBe(400)
  })

  test('a list of events filtered by a type with 60 asterisks is returned without exponential backtracking', async () => {
    const { stripe } = await sandboxForTest()
    await stripe.products.create({ name: 'An object with an event' })
    // With backtracking, the response would take longer than any test.
    expect((await stripe.events.list({ type: `${'*'.repeat(60)}!` })).data).toEqual([])
    expect((await stripe.events.list({ type: '*'.repeat(60) })).data).toHaveLength(1)
  })
})

describe('whoever follows the clock of an account', () => {
  test('is waited for at each of its stops, when all is done that is due by then and nothing else', async () => {
    const clock = new TestClock()
    const begin = Math.floor(clock.now() / 1000)
    const seen: { ahead: number; invoices: number }[] = []
    let invoices = () => Promise.resolve(0)
    const onMoved = async (ahead: number) => {
      seen.push({ ahead, invoices: await invoices() })
      return begin + ([40 * day, 70 * day].find((stop) => stop > ahead) ?? 10 * year)
    }
    const sandbox = await sandboxForTest({ clock, follower: { apiKey: 'sk_test_sandbox', onMoved } })
    const { stripe } = sandbox
    const customer = await payingCustomer(stripe)
    const product = (await stripe.products.create({ name: 'Plan' })).id
    const recurring = { interval: 'month' } as const
    const { id: price } = await stripe.prices.create({ product, currency: 'usd', unit_amount: 100, recurring })
    await stripe.subscriptions.create({ customer, items: [{ price }] })
    invoices = async () => (await stripe.invoices.list()).data.length

    await clockOf(sandbox).ask('POST', { advance_seconds: 100 * day })
    await clockOf({ ...sandbox, apiKey: 'sk_test_another' }).ask('POST', { advance_seconds: day })
    expect(seen).toEqual([
      { ahead: 0, invoices: 0 },
      { ahead: 0, invoices: 1 },
      { ahead: 40 * day, invoices: 2 },
      { ahead: 70 * day, invoices: 3 },
      { ahead: 100 * day, invoices: 4 },
    ])
  })

  test('is told when the clock goes back, by a reset or a snapshot', async () => {
    const seen: number[] = []
    const onMoved = (ahead: number) => {
      seen.push(ahead)
      return Promise.resolve(null)
    }
    const { control, apiKey } = await sandboxForTest({ follower: { apiKey: 'sk_test_sandbox', onMoved } })
    control.advance(100, apiKey)
    control.snapshot('later', apiKey)
    control.reset()
    control.restore('later')
    expect(seen).toEqual([0, 100, 0, 100])
  })

  test('does not keep the clock from being stopped, and not the sandbox from closing', async () => {
    const waiting = [Promise.withResolvers<null>(), Promise.withResolvers<null>()] as const
    let moves = 0
    const onMoved = () => {
      moves += 1
      if (moves === 1) return Promise.resolve(null)
      waiting[moves === 2 ? 0 : 1].resolve(null)
      return new Promise<null>(() => undefined)
    }
    const sandbox = await startTestSandbox({ follower: { apiKey: 'sk_test_sandbox', onMoved } })
    const { ask } = clockOf(sandbox)
    const before = (await ask('GET')).body['now']
    const moving = ask('POST', { advance_seconds: day })
    await waiting[0].promise
    expect(await ask('DELETE')).toMatchObject({ body: { stopped: 1 } })
    expect(await moving).toMatchObject({ status: 200, body: { now: before } })
    const interrupted = ask('POST', { advance_seconds: day })
    await waiting[1].promise
    await sandbox.close()
    expect(await interrupted).toMatchObject({ status: 503 })
  })
})
