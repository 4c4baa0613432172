import { beforeAll, describe, expect, it } from 'vitest'
import { admin, billing, startPushedApp } from '../../support/app.ts'
import { buy, cookieOf, sessionOf, urls } from '../../support/shop/selling.ts'
import { payPage } from '../../support/shop/pay-page.ts'
import { idOf } from '../../support/sandbox.ts'
import { startedForAll } from '../../support/started.ts'

const test = startedForAll(() => startPushedApp({ allowedRedirects: ['https://shop.example.test'] }))
let cookie: string

beforeAll(async () => {
  cookie = cookieOf(await sessionOf(test, 'acme'))
})

const checkout = `${billing}/checkout`
const post = (url: string, payload: object, headers: Record<string, string>) =>
  test.inject({ method: 'POST', url, payload, headers })
const pro = { price_id: 'pro_monthly', ...urls }

/**
 * Sends a request with a tenant's session and removes the tenant. Then a new tenant with its id sends the same request with the same key.
 */
async function repeatedAfterRemoval(id: string, url: string, payload: object) {
  const ask = async () =>
    post(url, payload, { cookie: cookieOf(await sessionOf(test, id)), 'idempotency-key': 'before-and-after' })
  const first = await ask()
  const again = await ask()
  expect([again.statusCode, again.json(), again.headers['idempotent-replayed']]).toEqual([200, first.json(), 'true'])
  expect((await test.asAdmin({ method: 'DELETE', url: `${admin}/tenants/${id}` })).statusCode).toBe(204)
  return ask()
}

describe('POST checkout', () => {
  it('redirects a session’s tenant to a checkout page of the processor', async () => {
    const response = await post(checkout, { ...pro, quantity: 3, trial_period_days: 14 }, { cookie })
    expect([response.statusCode, response.headers['cache-control']]).toEqual([200, 'no-store'])
    const { url, session_id } = response.json()
    expect(session_id).toMatch(/^cs_/)
    expect(new URL(url).origin).toBe(test.sandbox.url)
    expect(await (await fetch(url)).text()).toContain('14 days free')
  })

  it('accepts a service key with a tenant', async () => {
    const response = await test.asAdmin({ method: 'POST', url: checkout, payload: { ...pro, tenant_id: 'acme' } })
    expect(response.json()).toEqual({ url: expect.stringMatching(/^http/), session_id: expect.stringMatching(/^cs_/) })
    const unknown = await test.asAdmin({ method: 'POST', url: checkout, payload: { ...pro, tenant_id: 'nobody' } })
    expect([unknown.statusCode, unknown.json().code]).toEqual([404, 'tenant_not_found'])
  })

  it('sells with a service key and no tenant to a customer that the processor creates, whom a new tenant takes over', async () => {
    const page = await test.asAdmin({ method: 'POST', url: checkout, payload: { ...pro, quantity: 2 } })
    expect(page.statusCode).toBe(200)
    await payPage(page.json().url)
    const session = await test.stripe.checkout.sessions.retrieve(page.json().session_id)
    const customer = idOf(session.customer)
    expect(session.metadata).not.toHaveProperty('ratecard_tenant_id')

    const tenant = { id: 'found_later', name: 'Found later', processor_customer_id: customer }
    expect((await test.asAdmin({ method: 'POST', url: `${admin}/tenants`, payload: tenant })).statusCode).toBe(201)
    expect((await test.asAdmin({ url: `${admin}/tenants/found_later/subscriptions` })).json()).toMatchObject({
      billing_status: 'active',
      subscriptions: [{ items: [{ price_id: 'pro_monthly', quantity: 2 }] }],
    })
  })

  it('sells a hidden and a negotiated price with a service key and no tenant, and refuses a free price, which needs a tenant', async () => {
    for (const price_id of ['pro_secret', 'pro_monthly_gold']) {
      const { statusCode } = await test.asAdmin({ method: 'POST', url: checkout, payload: { ...urls, price_id } })
      expect([price_id, statusCode]).toEqual([price_id, 200])
    }
    const free = await test.asAdmin({ method: 'POST', url: checkout, payload: { ...urls, price_id: 'free' } })
    expect([free.statusCode, free.json()]).toMatchObject([
      422,
      { code: 'checkout_invalid', errors: [{ pointer: '#/tenant_id' }] },
    ])
  })

  it('accepts any https URL with a service key, and with a session only those of the setting', async () => {
    const elsewhere = { success_url: 'https://elsewhere.example/done', cancel_url: 'https://elsewhere.example/back' }
    const payload = { price_id: 'pro_monthly', ...elsewhere }
    const seller = await test.asAdmin({ method: 'POST', url: checkout, payload: { ...payload, tenant_id: 'acme' } })
    expect(seller.statusCode).toBe(200)
    const buyer = await post(checkout, payload, { cookie })
    expect([buyer.statusCode, buyer.json().errors[0].pointer]).toEqual([422, '#/success_url'])
  })

  it('lets a session check out for its own tenant only', async () => {
    expect((await post(checkout, { ...pro, tenant_id: 'acme' }, { cookie })).statusCode).toBe(200)
    await sessionOf(test, 'other')
    for (const tenant_id of ['other', 'nobody']) {
      const response = await post(checkout, { ...pro, tenant_id }, { cookie })
      expect([response.statusCode, response.json().code]).toEqual([403, 'not_allowed'])
    }
  })

  it('refuses hidden prices if the request has a session, and sells them with a service key', async () => {
    for (const price_id of ['pro_secret', 'pro_monthly_gold', 'no_such_price']) {
      const response = await post(checkout, { ...urls, price_id }, { cookie })
      expect([price_id, response.statusCode, response.json().detail]).toEqual([
        price_id,
        404,
        `There is no price "${price_id}".`,
      ])
    }
    const payload = { ...urls, price_id: 'pro_secret', tenant_id: 'acme' }
    expect((await test.asAdmin({ method: 'POST', url: checkout, payload })).statusCode).toBe(200)
  })

  it('starts a subscription to a free price immediately and returns the success URL', async () => {
    const free = cookieOf(await sessionOf(test, 'thrifty'))
    const response = await post(checkout, { ...urls, price_id: 'free' }, { cookie: free })
    expect(response.json()).toEqual({ url: urls.success_url, session_id: null })
    const { billing_status, subscriptions } = (
      await test.asAdmin({ url: `${admin}/tenants/thrifty/subscriptions` })
    ).json()
    expect([billing_status, subscriptions]).toMatchObject(['free', [{ home: 'local', items: [{ price_id: 'free' }] }]])
  })

  it('reports every invalid member of the body', async () => {
    const wrong = {
      success_url: 5,
      cancel_url: '',
      quantity: 0,
      trial_period_days: 731,
      allow_promotion_codes: 'yes',
      price: 'x',
      items: [],
    }
    const response = await post(checkout, wrong, { cookie })
    const pointers = response.json<{ errors: { pointer: string }[] }>().errors.map(({ pointer }) => pointer)
    expect([response.statusCode, pointers.sort()]).toEqual([
      400,
      [
        '#/allow_promotion_codes',
        '#/cancel_url',
        '#/items',
        '#/price',
        '#/quantity',
        '#/success_url',
        '#/trial_period_days',
      ],
    ])
    for (const [payload, code] of [
      [{ ...pro, success_url: 'https://elsewhere.test/' }, 'checkout_invalid'],
      [{ ...pro, cancel_url: 'javascript:alert(1)' }, 'checkout_invalid'],
      [{ ...pro, promotion_code: 'hello', allow_promotion_codes: true }, 'checkout_invalid'],
      [{ ...pro, promotion_code: 'no_such_code' }, 'checkout_invalid'],
      [{ ...urls, price_id: 'usage_graduated', quantity: 2 }, 'checkout_invalid'],
      [{ ...urls, price_id: 'pro_monthly', items: [{ price_id: 'usage_graduated' }] }, 'checkout_invalid'],
      [{ ...urls, quantity: 2, items: [{ price_id: 'usage_graduated' }] }, 'checkout_invalid'],
      [{ ...urls, items: [{ price_id: 'usage_graduated', quantity: 2 }] }, 'checkout_invalid'],
    ] as const)
      expect([payload, (await post(checkout, payload, { cookie })).json().code]).toEqual([payload, code])
    expect((await post(checkout, { ...pro, success_url: 'https://shop.example.test/x' }, { cookie })).statusCode).toBe(
      200,
    )
  })

  it('requires a price or items', async () => {
    const response = await post(checkout, urls, { cookie })
    expect([response.statusCode, response.json()]).toMatchObject([
      400,
      { code: 'request_invalid', errors: [{ code: 'field_missing', pointer: '#/price_id' }] },
    ])
  })

  it('sells several prices on one page, and names every invalid item', async () => {
    const items = [{ price_id: 'pro_monthly', quantity: 3 }, { price_id: 'usage_graduated' }]
    const page = (await post(checkout, { ...urls, items }, { cookie })).json()
    const sold = await test.stripe.checkout.sessions.listLineItems(page.session_id)
    expect(sold.data.map(({ quantity }) => quantity)).toEqual([3, null])
    const twice = [items[0], items[1], { price_id: 'pro_monthly' }, { price_id: 'usage_graduated', quantity: 2 }]
    const refused = (await post(checkout, { ...urls, items: twice }, { cookie })).json()
    expect(refused).toMatchObject({
      code: 'checkout_invalid',
      detail: 'The price "pro_monthly" is listed twice.',
      errors: [{ pointer: '#/items/2/price_id' }, { pointer: '#/items/3/price_id' }, { pointer: '#/items/3/quantity' }],
    })
  })

  it('opens one checkout per Idempotency-Key and tenant', async () => {
    const headers = { cookie, 'idempotency-key': 'order-1' }
    const first = (await post(checkout, pro, headers)).json()
    const again = await post(checkout, pro, headers)
    expect([again.json(), again.headers['idempotent-replayed']]).toEqual([first, 'true'])
    expect((await post(checkout, { ...pro, quantity: 2 }, headers)).json().code).toBe('idempotency_key_reused')
    const other = cookieOf(await sessionOf(test, 'other'))
    const stranger = await post(checkout, pro, { cookie: other, 'idempotency-key': 'order-1' })
    expect([stranger.statusCode, stranger.headers['idempotent-replayed']]).toEqual([200, undefined])
    expect(stranger.json().session_id).not.toBe(first.session_id)
    const key = await test.asAdmin({
      method: 'POST',
      url: checkout,
      payload: pro,
      headers: { 'idempotency-key': 'tenant:acme:order-1' },
    })
    expect(key.json()).not.toHaveProperty('session_id')
    const forged = await test.asAdmin({
      method: 'POST',
      url: checkout,
      payload: { ...pro, tenant_id: 'acme' },
      headers: { 'idempotency-key': 'tenant:acme:order-1' },
    })
    expect(forged.json().code).toBe('idempotency_key_reused')
  })

  it('never returns a removed tenant’s checkout to a new tenant with the same id, for a retry with a service key', async () => {
    const tenants = '/api/v1/billing/admin/tenants'
    const make = () => test.asAdmin({ method: 'POST', url: tenants, payload: { id: 'fleeting', name: 'Fleeting' } })
    const buy = () =>
      test.asAdmin({
        method: 'POST',
        url: checkout,
        payload: { ...pro, tenant_id: 'fleeting' },
        headers: { 'idempotency-key': 'order-9' },
      })
    expect((await make()).statusCode).toBe(201)
    const first = await buy()
    expect((await buy()).json()).toEqual(first.json())
    expect((await test.asAdmin({ method: 'DELETE', url: `${tenants}/fleeting` })).statusCode).toBe(204)
    expect((await make()).statusCode).toBe(201)
    expect((await buy()).json()).toMatchObject({ code: 'idempotency_key_reused' })
  })

  it('never returns a removed tenant’s checkout to a session of a new tenant with the same id', async () => {
    const again = await repeatedAfterRemoval('brief', checkout, pro)
    expect([again.statusCode, again.json().code]).toEqual([409, 'idempotency_key_reused'])
  })

  it('opens one page per Idempotency-Key even if the processor’s response is lost', async () => {
    const lost = cookieOf(await sessionOf(test, 'unlucky'))
    const order = () => post(checkout, pro, { cookie: lost, 'idempotency-key': 'order-lost' })
    test.sandbox.control.clearRequests()
    test.sandbox.control.fail({ kind: 'close_after', method: 'POST', path: '/v1/checkout/sessions', count: 2 })
    expect((await order()).json().code).toBe('processor_timeout')
    test.sandbox.control.clearFaults()
    const { session_id } = (await order()).json()
    expect(session_id).toMatch(/^cs_/)
    const creating = ({ method, path }: { method: string; path: string }) =>
      method === 'POST' && path === '/v1/checkout/sessions'
    const sent = test.sandbox.control.requests({}).filter(creating)
    expect(sent.map(({ replayed }) => replayed)).toEqual([false, true, true])
    expect(new Set(sent.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1)
  })
})

describe('a subscription that was bought in a checkout', () => {
  it('has the price id of the configuration, and its upcoming invoice', async () => {
    await sessionOf(test, 'buyer')
    await buy(test, 'buyer', { price_id: 'pro_monthly', quantity: 2 })
    const found = (await test.asAdmin({ url: `${admin}/tenants/buyer/subscriptions` })).json()
    expect(found).toMatchObject({
      billing_status: 'active',
      subscriptions: [
        {
          home: 'processor',
          status: 'active',
          currency: 'usd',
          items: [{ price_id: 'pro_monthly', quantity: 2, legacy: false, usage_type: 'licensed' }],
        },
      ],
    })
    const { invoices, tenant_id, dropped_usage, ...first } = (
      await test.asAdmin({ url: `${admin}/tenants/buyer/upcoming-invoice` })
    ).json()
    expect([tenant_id, invoices.length, dropped_usage]).toEqual(['buyer', 1, []])
    const { subscription, ...same } = invoices[0]
    expect([subscription, same]).toEqual([found.subscriptions[0].id, first])
    expect(first).toMatchObject({
      currency: 'usd',
      total: 2400,
      amount_due: 2400,
      formatted: '$24.00',
      lines: [{ price_id: 'pro_monthly', quantity: 2, amount: 2400 }],
    })
    const gone = await test.asAdmin({ method: 'DELETE', url: `${admin}/tenants/buyer` })
    expect([gone.statusCode, gone.json().code]).toEqual([409, 'conflict'])
  })
})

describe('POST portal', () => {
  it('returns a link to the processor’s portal, which leads back only to an allowed page', async () => {
    const portal = `${billing}/portal`
    const response = await post(portal, { return_url: 'http://localhost:3000/account' }, { cookie })
    expect([response.statusCode, Object.keys(response.json())]).toEqual([200, ['url']])
    expect((await fetch(response.json().url)).status).toBe(200)
    for (const return_url of ['https://elsewhere.test/', '/account', 'https://shop.example.test@evil.test/']) {
      const refused = await post(portal, { return_url }, { cookie })
      expect([return_url, refused.json().code]).toEqual([return_url, 'checkout_invalid'])
    }
    expect((await post(portal, {}, { cookie })).json().errors).toMatchObject([{ pointer: '#/return_url' }])
  })
})

describe('POST usage', () => {
  const usage = `${billing}/usage`

  it('records whole numbers and decimals, once per identifier', async () => {
    const given = { meter: 'api_calls', value: 12, identifier: 'batch-1', timestamp: new Date().toISOString() }
    const response = await post(usage, given, { cookie })
    const counted = { ...given, tenant_id: 'acme', already_counted: false, billed: null }
    expect([response.statusCode, response.json()]).toEqual([200, counted])
    const again = { ...counted, already_counted: true, value: null, timestamp: null }
    expect((await post(usage, given, { cookie })).json()).toEqual(again)
    const decimal = (await post(usage, { meter: 'api_calls', value: '0.125' }, { cookie })).json()
    expect(decimal).toMatchObject({ value: '0.125', timestamp: null, identifier: expect.any(String) })
    const byKey = await test.asAdmin({
      method: 'POST',
      url: usage,
      payload: { meter: 'api_calls', value: 1, tenant_id: 'acme' },
    })
    expect(byKey.json()).toMatchObject({ tenant_id: 'acme', value: 1 })
  })

  it('reports already_counted if another value is sent with the same identifier', async () => {
    const report = (value: number) =>
      post(usage, { meter: 'api_calls', value, identifier: 'batch-2' }, { cookie }).then((response) => response.json())
    expect(await report(5)).toMatchObject({ value: 5, already_counted: false })
    expect(await report(50)).toMatchObject({
      identifier: 'batch-2',
      value: null,
      timestamp: null,
      already_counted: true,
    })
  })

  it('records usage once for each Idempotency-Key', async () => {
    const headers = { cookie, 'idempotency-key': 'usage-1' }
    const first = (await post(usage, { meter: 'api_calls', value: 3 }, headers)).json()
    const again = await post(usage, { meter: 'api_calls', value: 3 }, headers)
    expect([again.json(), again.headers['idempotent-replayed']]).toEqual([first, 'true'])
  })

  it('records usage once per Idempotency-Key even if the processor’s response is lost', async () => {
    const report = () =>
      post(usage, { meter: 'api_calls', value: 5 }, { cookie, 'idempotency-key': 'usage-lost'.repeat(25) })
    test.sandbox.control.clearRequests()
    test.sandbox.control.fail({ kind: 'close_after', method: 'POST', path: '/v1/billing/meter_events', count: 2 })
    expect((await report()).json().code).toBe('processor_timeout')
    test.sandbox.control.clearFaults()
    const again = await report()
    expect(again.statusCode).toBe(200)
    const sent = test.sandbox.control.requests({}).filter(({ path }) => path === '/v1/billing/meter_events')
    const identifiers = sent.map(({ params }) =>
      JSON.stringify(Object.entries(params).filter(([n]) => n === 'identifier')),
    )
    expect([sent.length, new Set(identifiers).size]).toEqual([3, 1])
    expect(identifiers[0]).toContain('acme:api_calls:key_')
  })

  it('keeps usage of a removed tenant separate from usage of a new tenant with the same id', async () => {
    const again = await repeatedAfterRemoval('passing', usage, { meter: 'api_calls', value: 7 })
    expect([again.statusCode, again.json().code]).toEqual([409, 'idempotency_key_reused'])
  })

  it('returns the allowed amounts in the error about an invalid amount', async () => {
    const { errors } = (await post(usage, { meter: 'api_calls', value: 1.5 }, { cookie })).json()
    expect(errors).toMatchObject([{ code: 'type_wrong', detail: '"value" must be integer or string.' }])
    const detail = async (more: object) =>
      (await post(usage, { meter: 'api_calls', value: 1, ...more }, { cookie })).json().detail
    expect(await detail({ value: -5 })).toBe('"value" must be >= 0.')
    expect(await detail({ value: 1.5 })).toBe('"value" must be integer or string.')
    expect(await detail({ value: -5, more: 1 })).toMatch(
      /"value" must be >= 0\. And 1 more problem\.|And 1 more problem\.$/,
    )
    expect(await detail({ more: 1 })).toBe(
      'The request has members that the route does not take. There is no "more" here.',
    )
  })

  it('refuses an invalid amount, time or meter', async () => {
    for (const value of [-1, 1.5, '1e3', '-1', '', ' 1', null, 1e15, true])
      expect([value, (await post(usage, { meter: 'api_calls', value }, { cookie })).json().errors]).toMatchObject([
        value,
        [{ pointer: '#/value' }],
      ])
    for (const timestamp of ['yesterday', '2026-02-30T00:00:00Z', '2026-01-01', 1_700_000_000])
      expect((await post(usage, { meter: 'api_calls', value: 1, timestamp }, { cookie })).json().errors).toMatchObject([
        { pointer: '#/timestamp' },
      ])
    const unknown = await post(usage, { meter: 'no_such_meter', value: 1 }, { cookie })
    expect([unknown.statusCode, unknown.json().code]).toEqual([404, 'meter_not_found'])
  })
})
