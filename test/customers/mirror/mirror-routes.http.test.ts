// Routes that read the mirror: a shop with subscribers, an earlier generation of a price, debts and a refund.
import { afterAll, beforeAll, describe, expect, it, test as check } from 'vitest'
import { admin, billing, changedConfig, sampleConfig, startTestApp, type TestApp } from '../../support/app.ts'
import { mirrored, mirrorSettings } from '../../support/mirror.ts'
import { buy, nobody, sessionOf } from '../../support/shop/selling.ts'

let test: TestApp
let off: TestApp

beforeAll(async () => {
  test = await startTestApp({ mirror: mirrorSettings })
  await test.push(sampleConfig())
  await sessionOf(test, 'early')
  await buy(test, 'early', { price_id: 'pro_monthly', quantity: 2 })
  const dearer = changedConfig('1.1.0', ({ products }) => {
    const price = products.flatMap(({ prices = [] }) => prices).find(({ id }) => id === 'pro_monthly')
    if (price !== undefined) price.amount = 1500
  })
  expect((await test.push(dearer)).statusCode).toBe(200)
  await sessionOf(test, 'late')
  await buy(test, 'late', { price_id: 'pro_monthly', quantity: 1 })
  await test.service.createTenant({ id: 'works', name: 'Łódź works' }, nobody)
  await refundPartOf('early', 400)
  await test.stripe.customers.update(await customerOf('early'), { balance: -29_480 })
  await billByHand('late', 500)
  await mirrored(test)
  off = await startTestApp()
  await off.push(sampleConfig())
  await sessionOf(off, 'alone')
})
afterAll(async () => {
  await test.close()
  await off.close()
})

const customerOf = async (tenant: string) => (await test.service.findTenant(tenant)).processorCustomerId ?? ''

/** Refunds a part of the tenant's only payment at the processor. */
async function refundPartOf(tenant: string, amount: number): Promise<void> {
  const { data } = await test.stripe.charges.list({ customer: await customerOf(tenant) })
  await test.stripe.refunds.create({ charge: data[0]?.id ?? '', amount })
}

/** Creates a manual invoice that stays open. */
async function billByHand(tenant: string, amount: number): Promise<void> {
  const { stripe } = test
  const customer = await customerOf(tenant)
  const { id } = await stripe.invoices.create({ customer, collection_method: 'send_invoice', days_until_due: 30 })
  await stripe.invoiceItems.create({ customer, invoice: id, amount, currency: 'usd', description: 'Training' })
  await stripe.invoices.finalizeInvoice(id)
}

const get = async (path: string, of = test) => {
  const response = await of.asAdmin({ url: `${admin}/${path}` })
  return { status: response.statusCode, body: response.json<Record<string, unknown>>(), headers: response.headers }
}
const ids = ({ body }: Awaited<ReturnType<typeof get>>) =>
  (body['tenants'] as readonly { readonly id: string }[]).map(({ id }) => id)

describe('the list of tenants', () => {
  it('contains the state, products, amounts and items on replaced prices of each tenant', async () => {
    const { body } = await get('tenants?q=early')
    expect(body).toMatchObject({
      as_of: expect.any(String) as string,
      tenants: [
        {
          id: 'early',
          billing_status: 'active',
          products: ['pro'],
          monthly: [{ currency: 'usd', amount: '2400', formatted: '$24.00' }],
          owed: [],
          legacy_items: 1,
        },
      ],
    })
    expect(body).not.toHaveProperty('stale')
  })

  it('can be filtered by state, price, product and replaced prices', async () => {
    expect(ids(await get('tenants?state=active'))).toEqual(['early', 'late'])
    expect(ids(await get('tenants?state=none'))).toEqual(['works'])
    expect(ids(await get('tenants?price_id=pro_monthly'))).toEqual(['early', 'late'])
    expect(ids(await get('tenants?product_id=pro&legacy=true'))).toEqual(['early'])
    expect(ids(await get('tenants?product_id=free'))).toEqual([])
    expect(ids(await get('tenants?owing=true'))).toEqual(['late'])
  })

  it('can be searched for a part of a name in any case, with or without accents', async () => {
    expect(ids(await get(`tenants?q=${encodeURIComponent('ŁÓdz')}`))).toEqual(['works'])
  })

  it('can be sorted by amounts in ascending and descending order', async () => {
    expect(ids(await get('tenants?sort=monthly&order=desc'))).toEqual(['early', 'late', 'works'])
    expect(ids(await get('tenants?sort=monthly'))).toEqual(['works', 'late', 'early'])
  })

  it('is refused with the list of valid values if the request has an unknown state, order or member', async () => {
    const { status, body } = await get('tenants?state=broke')
    expect([status, body['code']]).toEqual([400, 'request_invalid'])
    expect(JSON.stringify(body['errors'])).toContain('past_due')
    expect((await get('tenants?sort=money')).status).toBe(400)
    expect((await get('tenants?search=early')).status).toBe(400)
  })
})

check('the balance of a tenant is with its subscriptions and with its next invoice', async () => {
  const { body } = await get('tenants/early/subscriptions')
  expect(body['balance']).toEqual([{ currency: 'usd', amount: '29480', formatted: '$294.80' }])
  const upcoming = await get('tenants/early/upcoming-invoice')
  expect(upcoming.body).toMatchObject({ total: 2400, amount_due: 0, balance: 29_480, balance_applied: 2400 })
  expect((await get('tenants/late/subscriptions')).body['balance']).toEqual([])
  expect((await get('tenants/alone/subscriptions', off)).body).not.toHaveProperty('balance')
})

describe('the list of the subscribers of a price', () => {
  const subscribers = async (query = '') =>
    (await get(`prices/pro_monthly/subscribers${query}`)).body['subscribers'] as readonly Record<string, unknown>[]

  it('contains for each subscriber whether the price is current or replaced (legacy)', async () => {
    expect(await subscribers()).toMatchObject([
      { tenant_id: 'early', legacy: true, amount: '1200', formatted: '$12.00', quantity: 2, status: 'active' },
      { tenant_id: 'late', legacy: false, amount: '1500', quantity: 1, monthly: [{ amount: '1500' }] },
    ])
    expect((await subscribers('?generation=legacy')).map((one) => one['tenant_id'])).toEqual(['early'])
    expect((await subscribers('?generation=current')).map((one) => one['tenant_id'])).toEqual(['late'])
  })

  it('gets a 404 for a price that never existed', async () => {
    expect(await get('prices/nothing/subscribers')).toMatchObject({ status: 404, body: { code: 'price_not_found' } })
  })
})

describe('GET money', () => {
  it('returns the monthly revenue, and the share of subscribers on replaced prices', async () => {
    const { body } = await get('money')
    expect(body).toMatchObject({
      currencies: [
        {
          currency: 'usd',
          mrr: '3900',
          formatted: '$39.00',
          subscriptions: 2,
          tenants: 2,
          by_product: [{ product_id: 'pro', mrr: '3900', subscriptions: 2 }],
          by_price: [{ price_id: 'pro_monthly', mrr: '3900', legacy: { mrr: '2400', subscriptions: 1 } }],
        },
      ],
    })
  })

  it('lists the pushes of a period together with the recorded days', async () => {
    const { body } = await get('money/days')
    expect(body).toMatchObject({ days: [], pushes: [{ version: '1.0.0' }, { version: '1.1.0' }] })
    expect((await get('money/days?from=2020-01-01&to=2020-01-31')).body).toMatchObject({ days: [], pushes: [] })
  })

  it('is refused if the days are invalid, in the wrong order, or too many', async () => {
    for (const [query, pointer] of [
      ['from=2026-02-30', '#/query/from'],
      ['to=yesterday', '#/query/to'],
      ['from=2026-02-02&to=2026-02-01', '#/query/from'],
      ['from=1999-01-01&to=2026-01-01', '#/query/from'],
    ] as const) {
      const { status, body } = await get(`money/days?${query}`)
      expect([query, status, body['code']]).toEqual([query, 400, 'request_invalid'])
      expect(body['errors']).toMatchObject([{ code: 'value_invalid', pointer }])
    }
  })
})

describe('the invoices of tenants', () => {
  it('are listed by tenant, and their lines have the price ids of the configuration', async () => {
    const { body } = await get('tenants/early/invoices')
    expect(body).toMatchObject({
      invoices: [
        {
          status: 'paid',
          total: '2400',
          formatted: '$24.00',
          amount_paid: '2400',
          amount_remaining: '0',
          amount_refunded: '400',
          amount_refunded_formatted: '$4.00',
          lines: [{ price_id: 'pro_monthly', quantity: 2, amount: '2400' }],
        },
      ],
      pagination: { total: 1 },
    })
    expect((await get('tenants/nobody/invoices')).status).toBe(404)
  })

  it('can be exported as CSV, one line per invoice or refund, in major units of the currency', async () => {
    const response = await test.asAdmin({ url: `${admin}/invoices/export?format=csv` })
    expect(response.headers['content-type']).toBe('text/csv; charset=utf-8')
    expect(response.headers['x-ratecard-as-of']).toEqual(expect.any(String))
    const [head, ...rows] = response.body.trimEnd().split('\n')
    expect(head).toBe(
      'date,type,id,number,tenant_id,customer,currency,subtotal,discount,tax,total,amount_paid,amount_refunded,status,tax_included,credit_applied,balance_applied,amount_due',
    )
    expect(rows.map((row) => row.split(',').at(1))).toEqual(expect.arrayContaining(['invoice', 'refund']))
    expect(rows).toHaveLength(4)
    expect(rows.find((row) => row.includes(',early,') && row.includes(',invoice,'))).toMatch(
      /^\d{4}-\d\d-\d\d,invoice,in_\w+,[\w-]+,early,cus_\w+,usd,24\.00,0\.00,0\.00,24\.00,24\.00,4\.00,paid,0\.00,0\.00,0\.00,24\.00$/,
    )
  })

  it('can be exported as JSON with the same rows as the CSV, and the export of a period without invoices is empty', async () => {
    const { body } = await get('invoices/export?format=json')
    expect(body).toMatchObject({
      as_of: expect.any(String) as string,
    })
    const rows = body['rows'] as readonly Record<string, unknown>[]
    const shown = rows.map(({ type, tenant_id: tenant, total, status }) => [type, tenant, total, status].join(' '))
    expect(shown.sort()).toEqual([
      'invoice early 24.00 paid',
      'invoice late 15.00 paid',
      'invoice late 5.00 open',
      'refund early 4.00 succeeded',
    ])
    expect((await get('invoices/export?format=json&to=2020-01-01')).body['rows']).toEqual([])
    expect((await get('invoices/export?from=soon')).status).toBe(400)
  })
})

describe('an open problem of the billing data', () => {
  it('is reported by the doctor, with a count and the command that shows more', async () => {
    const { findings } = (await get('doctor')).body as { findings: readonly Record<string, string>[] }
    const of = (check: string) => findings.find((finding) => finding['check'] === check)
    expect(of('owed')).toMatchObject({ status: 'ok', detail: '$5.00 of open invoices is owed by 1 tenant.' })
    expect(of('owed')?.['hint']).toContain('ratecard tenants list --owing')
    expect(of('past due')).toMatchObject({ status: 'ok', detail: '0 tenants are past due' })
    expect(of('drift')).toMatchObject({ status: 'ok', detail: '0 fields were edited at the processor' })
    expect(of('schedules')).toMatchObject({ status: 'ok' })
  })

  it('is not reported for an open invoice before its due date, which counts as owed but not as past due', async () => {
    expect((await get('money')).body).toMatchObject({
      currencies: [{ past_due: { amount: '0', formatted: '$0.00', tenants: 0 } }],
    })
    expect((await get('tenants?q=late')).body).toMatchObject({ tenants: [{ owed: [{ amount: '500' }] }] })
    const { invoices } = (await get('tenants/late/invoices')).body as { invoices: readonly Record<string, unknown>[] }
    expect(invoices.find(({ status }) => status === 'open')).toMatchObject({
      amount_remaining: '500',
      subscription: null,
      attempt_count: 0,
    })
  })
})

describe('without the mirror of the processor’s data,', () => {
  it('routes that need the mirror return 409', async () => {
    for (const path of [
      'money',
      'money/days',
      'prices/pro_monthly/subscribers',
      'tenants/alone/invoices',
      'invoices/export',
      'tenants?owing=true',
      'tenants?state=active',
      'tenants?sort=owed',
    ])
      expect([path, await get(path, off)]).toMatchObject([path, { status: 409, body: { code: 'mirror_off' } }])
  })

  it('the list of tenants can be searched by name and id, and omits all members that are read from the mirror', async () => {
    const { body } = await get('tenants?q=ALONE&sort=name', off)
    expect(ids({ status: 200, body, headers: {} })).toEqual(['alone'])
    expect(Object.keys((body['tenants'] as object[])[0] ?? {})).not.toContain('billing_status')
    expect(body).not.toHaveProperty('as_of')
  })

  it('a check of a feature says when the processor was asked', async () => {
    const withFeature = changedConfig('1.1.0', (config) => (config.features = [{ id: 'sso', name: 'SSO' }]))
    expect((await off.push(withFeature)).statusCode).toBe(200)
    const answer = await off.asAdmin({
      method: 'POST',
      url: `${billing}/entitlements/check`,
      payload: { tenant_id: 'alone', feature: 'sso' },
    })
    expect([answer.statusCode, answer.json<object>()]).toEqual([
      200,
      expect.objectContaining({ as_of: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string }),
    ])
  })

  it('webhook deliveries get a 409, so that the processor retries them later', async () => {
    const response = await off.inject({ method: 'POST', url: '/api/v1/processor/events', payload: { id: 'evt_1' } })
    expect([response.statusCode, response.json().code]).toEqual([409, 'mirror_off'])
  })
})

describe('a webhook delivery from the processor', () => {
  it('gets a 400 without a valid signature, whatever its body is', async () => {
    for (const signature of [undefined, '', 't=1,v1=00', 'nonsense']) {
      const response = await test.inject({
        method: 'POST',
        url: '/api/v1/processor/events',
        payload: { id: 'evt_1', type: 'customer.subscription.updated' },
        ...(signature === undefined ? {} : { headers: { 'stripe-signature': signature } }),
      })
      expect([signature, response.statusCode, response.json().code]).toEqual([signature, 400, 'delivery_invalid'])
    }
  })

  function signed(of: TestApp) {
    const payload = JSON.stringify({
      id: 'evt_test',
      object: 'event',
      type: 'customer.updated',
      created: Math.floor(Date.now() / 1000),
      data: { object: { id: 'cus_none', object: 'customer' } },
    })
    const signature = of.stripe.webhooks.generateTestHeaderString({ payload, secret: mirrorSettings.eventsSecret })
    return { payload, headers: { 'stripe-signature': signature, 'content-type': 'application/json' } }
  }
  const delivery = { method: 'POST', url: '/api/v1/processor/events' } as const

  it('is accepted with a valid signature', async () => {
    const response = await test.inject({ ...delivery, ...signed(test) })
    expect([response.statusCode, response.json()]).toEqual([200, { received: true }])
  })

  it('is rate limited by address if its signature is invalid, and is not limited if its signature is valid', async () => {
    const limited = await startTestApp({ mirror: mirrorSettings, rateLimit: 2 })
    try {
      const statuses = async (remoteAddress: string, signature?: string) => {
        const headers = signature === undefined ? {} : { 'stripe-signature': signature }
        const seen = []
        for (let index = 0; index < 3; index++)
          seen.push(
            (await limited.inject({ ...delivery, payload: { id: 'evt_1' }, headers, remoteAddress })).statusCode,
          )
        return seen
      }
      expect(await statuses('203.0.113.7')).toEqual([400, 400, 429])
      expect(await statuses('203.0.113.8', 't=1,v1=00')).toEqual([400, 400, 429])
      for (let index = 0; index < 5; index++) {
        const response = await limited.inject({ ...delivery, ...signed(limited), remoteAddress: '203.0.113.8' })
        expect(response.statusCode).toBe(200)
      }
    } finally {
      await limited.close()
    }
  })
})
