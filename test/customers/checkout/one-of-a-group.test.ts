import { describe, expect, test } from 'vitest'
import type { BillingConfig, Product } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { nobody } from '../../support/stack.ts'
import { startedForEach } from '../../support/started.ts'
import { caller, forTenant, startWorld } from '../tenants/world.ts'
import type { Checkout, NewCheckout } from '../../../packages/ratecard/src/api/customers/checkout.ts'

const usd = { currency: 'usd' } as const
const monthly = (id: string, amount: number) => ({ id, amount, interval: 'month' as const, ...usd })

/**
 * Returns a document with three plans that exclude each other, one of them free, and storage with a base fee, usage and a one-time setup.
 */
function plans(version = '1.0.0', change: (config: BillingConfig) => void = () => undefined): BillingConfig {
  const config: BillingConfig = {
    version,
    meters: [
      { id: 'reads', display_name: 'Reads', event_name: 'read' },
      { id: 'writes', display_name: 'Writes', event_name: 'write' },
    ],
    products: [
      { id: 'hobby', name: 'Hobby', subscription_group: 'plan', prices: [monthly('hobby', 0)] },
      { id: 'student', name: 'Student', subscription_group: 'plan', prices: [monthly('student', 0)] },
      {
        ...{ id: 'team', name: 'Team', subscription_group: 'plan' },
        prices: [
          monthly('team_monthly', 900),
          { ...monthly('team_yearly', 9000), interval: 'year' },
          { ...monthly('team_gold', 700), enterprise_template: 'gold', base_price: 'team_monthly' },
        ],
      },
      { id: 'business', name: 'Business', subscription_group: 'plan', prices: [monthly('business_monthly', 1900)] },
      {
        ...{ id: 'storage', name: 'Storage' },
        prices: [
          monthly('storage_base', 500),
          { ...monthly('storage_reads', 5), usage_type: 'metered', meter: 'reads' },
          { ...monthly('storage_writes', 7), usage_type: 'metered', meter: 'writes' },
          { ...monthly('storage_reads_yearly', 4), interval: 'year', usage_type: 'metered', meter: 'reads' },
          { id: 'storage_setup', amount: 2500, ...usd },
        ],
      },
    ],
  }
  change(config)
  return config
}

const productIn = ({ products }: BillingConfig, id: string): Product => {
  const found = products.find((product) => product.id === id)
  if (found === undefined) throw new Error(`no product ${id}`)
  return found
}

const tenant = { id: 'acme', name: 'Acme', email: 'a@acme.example' }
const world = startedForEach(() => startWorld({ document: plans(), tenant }))

const push = (document: BillingConfig) => world.service.push(document, { ...nobody, approveImpact: true })
const listed = async () => (await world.service.tenantSubscriptions('acme')).subscriptions
const names = async () => (await listed()).flatMap(({ items }) => items.map(({ priceId }) => priceId)).sort()
const bought = async (priceId: string, more: Partial<NewCheckout> = {}) => {
  const { url } = await world.buy('acme', priceId, more)
  expect((await world.pay(url)).status).toBe(303)
  return (await listed()).at(-1)?.id ?? ''
}
const refused = (priceId: string, more: Partial<NewCheckout> = {}) =>
  world.buy('acme', priceId, more).then(
    (sold: Checkout) => Promise.reject(new Error(`"${priceId}" was sold: ${JSON.stringify(sold)}`)),
    (error: unknown) => error as Error & { code: string; hint: string; extra: object },
  )
const finding = async () => (await world.service.doctor()).find(({ check }) => check === 'subscriptions')

describe('a tenant with a subscription to a product', () => {
  test('is refused another price of that product, and the error names the subscription, its price and the next step', async () => {
    const first = await bought('team_monthly')
    const refusal = await refused('team_yearly')
    expect(refusal).toMatchObject({
      code: 'already_subscribed',
      message: `The tenant has the subscription ${first} to "team_monthly" already; one to "team_yearly", of the product "team" as well, would be billed beside it.`,
      extra: { subscription: first, price_id: 'team_monthly' },
    })
    expect(refusal.hint).toBe(
      'Change the existing subscription (POST /api/v1/billing/subscription/preview, then …/change), or cancel it (…/cancel). To bill both, pass "allow_duplicate": true.',
    )
    await bought('team_yearly', { allowDuplicate: true })
    expect(await finding()).toMatchObject({ status: 'ok' })
  })

  test('is refused another price, and the error names the end date if the subscription ends with the period', async () => {
    const id = await bought('team_monthly')
    await world.stripe.subscriptions.update(id, { cancel_at_period_end: true })
    const end = (await listed())[0]?.items[0]?.currentPeriodEnd ?? NaN
    const refusal = await refused('team_yearly')
    expect(refusal.message).toContain(`until ${new Date(end).toISOString()}`)
    expect(refusal.hint).toContain('buy the new one after it has ended')
    await world.stripe.subscriptions.cancel(id)
    await bought('team_yearly')
  })

  test('is refused another price even if the tenant’s price is a former, negotiated, renamed or removed price of the product', async () => {
    await bought('team_monthly')
    await push(plans('1.1.0', (config) => Object.assign(productIn(config, 'team').prices?.[0] ?? {}, { amount: 1000 })))
    expect(await refused('team_yearly')).toMatchObject({ code: 'already_subscribed' })
    await world.service.applyEnterprise('acme', { kind: 'template', template: 'gold' }, { ...caller, dryRun: false })
    expect(await refused('team_yearly')).toMatchObject({ extra: { price_id: 'team_gold' } })
    const without = (config: BillingConfig) => {
      const team = productIn(config, 'team')
      team.id = 'crew'
      team.previous_ids = ['team']
      team.prices = team.prices?.filter(({ id }) => id === 'team_yearly') ?? []
    }
    await push(plans('1.2.0', without))
    const refusal = await refused('team_yearly')
    expect(refusal).toMatchObject({ code: 'already_subscribed', extra: { price_id: 'team_gold' } })
    expect(refusal.message).toContain('of the product "crew"')
  })

  test('is refused another price even if its subscription was created by hand at the processor', async () => {
    const mapped = (await world.store.mappings.byConfigId('product', 'team')).at(-1)
    await world.service.createPortal({ returnUrl: 'http://127.0.0.1:9/' }, forTenant('acme'))
    const customer = (await world.service.findTenant('acme')).processorCustomerId ?? ''
    const product = mapped?.processorId ?? ''
    const price = await world.stripe.prices.create({ product, unit_amount: 1, ...usd, recurring: { interval: 'week' } })
    await world.stripe.subscriptions.create({
      customer,
      items: [{ price: price.id }],
      collection_method: 'send_invoice',
      days_until_due: 30,
    })
    expect(await refused('team_monthly')).toMatchObject({ extra: { price_id: price.id } })
  })

  test('may buy metered prices beside the base fee (one price per meter), and one-time prices', async () => {
    await bought('storage_base')
    await bought('storage_reads')
    await bought('storage_writes')
    expect(await refused('storage_reads')).toMatchObject({ code: 'already_subscribed' })
    expect(await refused('storage_reads_yearly')).toMatchObject({ extra: { price_id: 'storage_reads' } })
    await world.buy('acme', 'storage_setup')
    expect((await listed()).map(({ duplicateOf }) => duplicateOf)).toEqual([null, null, null])
  })
})

describe('a tenant with a product of a subscription group', () => {
  test('is refused another product of the group, and may buy products outside of the group', async () => {
    const first = await bought('team_monthly')
    const refusal = await refused('business_monthly')
    expect(refusal).toMatchObject({
      code: 'already_subscribed',
      extra: { subscription: first, price_id: 'team_monthly' },
    })
    expect(refusal.message).toContain('one to "business_monthly", of the group "plan" as well')
    await world.buy('acme', 'storage_base')
    await world.service.createTenant({ id: 'other', name: 'Other' }, caller)
    await world.buy('other', 'business_monthly')
  })

  test('is refused even if the product was removed from the document, because the last revision with the product names the group', async () => {
    const ungrouped = (config: BillingConfig) => {
      delete productIn(config, 'team').subscription_group
    }
    await push(plans('1.0.1', ungrouped))
    await bought('team_monthly')
    await world.buy('acme', 'business_monthly')
    await push(plans('1.1.0'))
    await push(plans('1.1.1', (config) => Object.assign(productIn(config, 'hobby'), { name: 'Hobbyist' })))
    const removed = (config: BillingConfig) => {
      config.products = config.products.filter(({ id }) => id !== 'team')
    }
    await push(plans('1.2.0', removed))
    await push(
      plans('1.2.1', (config) => {
        removed(config)
        Object.assign(productIn(config, 'hobby'), { name: 'Hobbyists' })
      }),
    )
    expect(await refused('business_monthly')).toMatchObject({ extra: { price_id: 'team_monthly' } })
  })

  test('may buy a paid product while it has a free product, and the free subscription ends once the checkout is paid', async () => {
    await world.buy('acme', 'hobby')
    await bought('team_monthly')
    expect(await names()).toEqual(['team_monthly'])
  })

  test('is refused a free product while it has a paid product, unless allow_duplicate is set', async () => {
    await bought('team_monthly')
    expect(await refused('hobby')).toMatchObject({ code: 'already_subscribed' })
    expect(await names()).toEqual(['team_monthly'])
    await world.buy('acme', 'hobby', { allowDuplicate: true })
    expect(await names()).toEqual(['hobby', 'team_monthly'])
  })

  test('may add a free price beside a paid price of the same product if the product has no group', async () => {
    await push(plans('1.1.0', (config) => productIn(config, 'storage').prices?.push(monthly('storage_free', 0))))
    await bought('storage_base')
    await world.buy('acme', 'storage_free')
    expect(await names()).toEqual(['storage_base', 'storage_free'])
  })

  test('may switch from a free product to another free product: the first subscription ends, with an entry in the audit log', async () => {
    await world.buy('acme', 'hobby')
    await world.buy('acme', 'student')
    expect(await names()).toEqual(['student'])
    await world.buy('acme', 'student')
    expect(await names()).toEqual(['student'])
    const { items } = await world.service.tenantAudit('acme', { limit: 10, offset: 0 })
    expect(items.filter(({ action }) => action === 'subscription_ended')).toMatchObject([
      { result: { price_id: 'hobby', because: 'replaced' } },
    ])
  })
})

describe('a tenant that pays for two subscriptions', () => {
  test('is reported by the doctor if both products are in one group, and the later subscription is listed as a duplicate of the earlier', async () => {
    const [first = '', second = ''] = await world.subscribeUnasked('acme', ['team_monthly', 'business_monthly'])
    expect((await listed()).map(({ duplicateOf }) => duplicateOf)).toEqual([null, first])
    expect(await finding()).toEqual({
      check: 'subscriptions',
      status: 'warning',
      detail: `1 tenant pays twice for one product or subscription group: acme: ${second} to "business_monthly" beside ${first} to "team_monthly", both of the group "plan"`,
      hint: '`ratecard tenants show acme` shows both. Cancel one of the two at the processor and refund it.',
    })
  })

  test('is reported by the doctor if both prices are of one product with different intervals, and other tenants are not reported', async () => {
    await world.service.createTenant({ id: 'other', name: 'Other' }, caller)
    await world.subscribeUnasked('acme', ['team_monthly', 'business_monthly'])
    await world.subscribeUnasked('other', ['team_monthly', 'team_yearly'])
    const found = await finding()
    expect(found?.detail).toMatch(/^2 tenants pay twice for one product or subscription group: acme: .*; other: /)
    expect(found?.detail).toContain('both of the product "team"')
  })
})
