// After a restore, a tenant that is made again finds its customer; and a customer that was deleted at the processor.
import { describe, expect, it, onTestFinished } from 'vitest'
import { admin, billing, sampleConfig, startTestApp, type TestApp } from '../../support/app.ts'
import { mirrored, mirrorSettings } from '../../support/mirror.ts'
import { buy, nobody, urls } from '../../support/shop/selling.ts'

async function world() {
  const app = await startTestApp({ mirror: mirrorSettings })
  onTestFinished(() => app.close())
  await app.push(sampleConfig())
  return app
}

const post = async (app: TestApp, url: string, payload: object) => {
  const answer = await app.asAdmin({ method: 'POST', url, payload })
  const body = answer.json<{ detail?: string; processor_customer_id?: string | null }>()
  return { http: answer.statusCode, ...body }
}
const make = (app: TestApp, id: string) => post(app, `${admin}/tenants`, { id, name: id })
const sell = (app: TestApp, tenant_id: string) =>
  post(app, `${billing}/checkout`, { ...urls, tenant_id, price_id: 'pro_monthly' })
const finding = async (app: TestApp, check: string) => {
  const { findings } = (await app.asAdmin({ url: `${admin}/doctor` })).json<{
    findings: { check: string; status: string; detail: string }[]
  }>()
  return findings.find((one) => one.check === check)
}
const marked = (app: TestApp, tenant: string) =>
  app.stripe.customers.create({ name: tenant, metadata: { ratecard_tenant_id: tenant } })

describe('a tenant that a restored backup does not know', () => {
  it('takes the customer that names it, so that it is not billed twice', async () => {
    const app = await world()
    const customer = await marked(app, 'y1')
    await mirrored(app)
    expect(await finding(app, 'customers')).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining(`${customer.id} ("y1")`) as string,
    })
    expect(await make(app, 'y1')).toMatchObject({ http: 201, processor_customer_id: customer.id })
    await buy(app, 'y1', { price_id: 'pro_monthly' })
    expect(await sell(app, 'y1')).toMatchObject({ http: 409, code: 'already_subscribed' })
    expect(await finding(app, 'customers')).toMatchObject({ status: 'ok' })
  })

  it('is not guessed: two customers that name it are both named', async () => {
    const app = await world()
    const [one, two] = [await marked(app, 'y2'), await marked(app, 'y2')]
    await mirrored(app)
    const refused = await make(app, 'y2')
    expect(refused).toMatchObject({ http: 409, code: 'customer_ambiguous' })
    for (const { id } of [one, two]) expect(refused.detail).toContain(id)
    expect(await post(app, `${admin}/tenants`, { id: 'y2', name: 'y2', processor_customer_id: one.id })).toMatchObject({
      http: 201,
    })
  })

  it('takes no customer that another tenant has, and none that its own store has let go of', async () => {
    const app = await world()
    const customer = await marked(app, 'y3')
    await mirrored(app)
    await app.service.createTenant({ id: 'other', name: 'other', processorCustomerId: customer.id }, nobody)
    expect(await make(app, 'y3')).toMatchObject({ http: 201, processor_customer_id: null })
    await make(app, 'gone')
    expect(await sell(app, 'gone')).toMatchObject({ http: 200 })
    const { processorCustomerId: former } = await app.service.findTenant('gone')
    await mirrored(app)
    await app.service.removeTenant('gone', nobody)
    expect(await make(app, 'gone')).toMatchObject({ http: 201, processor_customer_id: null })
    await sell(app, 'gone')
    expect((await app.service.findTenant('gone')).processorCustomerId).not.toBe(former)
    expect(await finding(app, 'customers')).toMatchObject({ status: 'ok' })
  })

  it('is found at its first need of a customer while the mirror has not read the customers', async () => {
    const app = await startTestApp()
    onTestFinished(() => app.close())
    await app.push(sampleConfig())
    const customer = await marked(app, 'y4')
    await app.store.mirror.setState({
      ...{ account: 'acct', filling: { kind: 'invoice', after: null, objects: 0 }, eventCursor: '', corrections: 0 },
      ...{ readUntil: null, beganAt: null, comparedAt: null, comparing: null },
    })
    expect(await make(app, 'y4')).toMatchObject({ http: 201, processor_customer_id: null })
    await sell(app, 'y4')
    expect((await app.service.findTenant('y4')).processorCustomerId).toBe(customer.id)
  })

  it('and pays with two customers is named by the checks of the service', async () => {
    const app = await world()
    await make(app, 'y5')
    await buy(app, 'y5', { price_id: 'pro_monthly' })
    const second = await marked(app, 'y5')
    const card = await app.stripe.paymentMethods.attach('pm_card_visa', { customer: second.id })
    const { id: price = '' } = (await app.stripe.prices.list({ lookup_keys: ['pro_monthly'] })).data[0] ?? {}
    await app.stripe.subscriptions.create({ customer: second.id, default_payment_method: card.id, items: [{ price }] })
    await mirrored(app)
    expect(await finding(app, 'customers')).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining('may pay twice') as string,
    })
  })
})

describe('a customer that was deleted at the processor', () => {
  it.each(['before the mirror knows it', 'after the mirror has read it'])(
    'is replaced by the next checkout, %s',
    async (when) => {
      const app = await world()
      await make(app, 'acme')
      await sell(app, 'acme')
      const { processorCustomerId: former } = await app.service.findTenant('acme')
      await app.stripe.customers.del(former ?? '')
      if (when.startsWith('after')) await mirrored(app)
      expect(await sell(app, 'acme')).toMatchObject({ http: 200 })
      const { processorCustomerId: present } = await app.service.findTenant('acme')
      expect(present).not.toBe(former)
      const { items } = await app.service.tenantAudit('acme', { limit: 5, offset: 0 })
      const updated = items.find(({ action }) => action === 'tenant_updated')
      expect(JSON.stringify(updated?.before)).toContain(String(former))
      await buy(app, 'acme', { price_id: 'pro_monthly' })
      const { subscriptions } = await app.service.tenantSubscriptions('acme')
      expect(subscriptions).toHaveLength(1)
    },
  )

  it('is said by portal, usage, deals, the tenant and the checks, and another one can be linked', async () => {
    const app = await world()
    await make(app, 'acme')
    await sell(app, 'acme')
    const { processorCustomerId: former } = await app.service.findTenant('acme')
    await app.stripe.customers.del(former ?? '')
    const refused = { http: 409, code: 'customer_deleted', hint: expect.stringContaining('next checkout') as string }
    const portal = { tenant_id: 'acme', return_url: 'https://shop.example/account' }
    expect(await post(app, `${billing}/portal`, portal)).toMatchObject(refused)
    await mirrored(app)
    expect(await post(app, `${billing}/portal`, portal)).toMatchObject(refused)
    const usage = { tenant_id: 'acme', meter: 'api_calls', value: 1 }
    expect(await post(app, `${billing}/usage`, usage)).toMatchObject(refused)
    expect(
      await post(app, `${admin}/enterprise/apply-template`, { tenant_id: 'acme', enterprise_template: 'gold' }),
    ).toMatchObject({
      code: 'customer_deleted',
    })
    const shown = (await app.asAdmin({ url: `${admin}/tenants/acme/subscriptions` })).json()
    expect(shown).toMatchObject({ customer_deleted: true, subscriptions: [] })
    expect(await finding(app, 'customers')).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining('acme') as string,
    })
    const other = await app.stripe.customers.create({ name: 'Acme' })
    const linked = await app.service.updateTenant('acme', { processorCustomerId: other.id }, nobody)
    expect(linked.processorCustomerId).toBe(other.id)
  })
})

describe('a subscription beside the deal of its tenant', () => {
  it('is named: off the prices of the deal, and on those of a deal that the tenant does not have', async () => {
    const app = await world()
    const mappings = await app.store.mappings.all()
    const prices = new Map(mappings.map(({ configId, processorId }): [string, string] => [configId, processorId]))
    for (const id of ['with', 'without']) {
      await make(app, id)
      await buy(app, id, { price_id: 'pro_monthly' })
    }
    await post(app, `${admin}/enterprise/apply-template`, { tenant_id: 'with', enterprise_template: 'gold' })
    await mirrored(app)
    expect(await finding(app, 'customers')).toMatchObject({ status: 'ok' })
    expect(await finding(app, 'owed')).toMatchObject({ status: 'ok', detail: 'no tenant owes anything' })
    // Somebody moves both at the processor.
    const move = async (tenant: string, price: string) => {
      const { processorCustomerId: customer } = await app.service.findTenant(tenant)
      const [subscription] = (await app.stripe.subscriptions.list({ customer: customer ?? '' })).data
      const { id = '', items } = subscription ?? {}
      await app.stripe.subscriptions.update(id, {
        items: [{ id: items?.data[0]?.id ?? '', price: prices.get(price) ?? '' }],
      })
      return id
    }
    const [off, foreign] = [await move('with', 'pro_monthly'), await move('without', 'pro_monthly_gold')]
    await mirrored(app)
    const { detail = '' } = (await finding(app, 'customers')) ?? {}
    expect(detail).toContain(`not on the prices of their tenant’s deal: with ("pro_monthly_gold", ${off}).`)
    expect(detail).toContain(`a deal that their tenant does not have: without ("pro_monthly_gold", ${foreign}).`)
  })
})
