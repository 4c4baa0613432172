// Configurations of the customer portal: their life at the processor, and the sessions that use them.
import { describe, expect, it } from 'vitest'
import type { BillingConfig, Portal } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { sharedSandbox } from '../../support/shared-sandbox.ts'
import { nobody } from '../../support/stack.ts'
import { startedForEach } from '../../support/started.ts'
import { refusalOf } from '../../support/stores/store.ts'
import { forTenant, startWorld } from '../../customers/tenants/world.ts'

const { sandbox } = sharedSandbox()
const payment = { payment_method_update: { enabled: true } }
const selfService: Portal = {
  id: 'self_service',
  default: true,
  headline: 'Your plan',
  features: {
    ...payment,
    subscription_cancel: { enabled: true },
    subscription_update: {
      default_allowed_updates: ['price'],
      products: [{ product: 'pro', prices: ['pro_monthly', 'pro_yearly'] }],
    },
  },
}

function document(version: string, portal: Portal[] | undefined, monthly = 1000): BillingConfig {
  return {
    version,
    products: [
      {
        id: 'pro',
        name: 'Pro',
        prices: [
          { id: 'pro_monthly', amount: monthly, currency: 'eur', interval: 'month' },
          { id: 'pro_yearly', amount: 10_000, currency: 'eur', interval: 'year' },
          { id: 'pro_hidden', amount: 800, currency: 'eur', interval: 'month', public: false },
          { id: 'pro_free', amount: 0, currency: 'eur', interval: 'month' },
        ],
      },
    ],
    ...(portal === undefined ? {} : { portal }),
  }
}

const tenant = { id: 'acme', name: 'Acme', email: 'a@acme.example' }
const own = { features: { invoice_history: { enabled: true } } }
/** A shop whose account has a default configuration of its own already. */
const world = startedForEach(async () => {
  const started = await startWorld({ sandbox, tenant, document: document('0.1.0', undefined) })
  await started.stripe.billingPortal.configurations.create(own)
  await started.service.push(document('1.0.0', [selfService]), nobody)
  return started
})

const expand = ['data.features.subscription_update.products']
const all = async () => (await world.stripe.billingPortal.configurations.list({ limit: 100, expand })).data
const ours = async () => (await all()).filter(({ is_default: isDefault }) => !isDefault)
const push = (config: BillingConfig) => world.service.push(config, nobody)
const none = { created: [], updated: [], archived: [] }
const offered = async () => {
  const [portal] = await ours()
  return (portal?.features.subscription_update.products ?? []).flatMap(({ prices }) => prices)
}
const current = async (id: string) =>
  (await world.store.mappings.all()).filter(({ kind, configId }) => kind === 'price' && configId === id).at(-1)
    ?.processorId

describe('a portal configuration in the document', () => {
  it('is created after the prices, and the account’s own default configuration is not changed', async () => {
    expect(await all()).toMatchObject([
      {
        is_default: false,
        business_profile: { headline: 'Your plan' },
        features: {
          subscription_cancel: { enabled: true, mode: 'at_period_end' },
          subscription_update: { enabled: true, default_allowed_updates: ['price'] },
          customer_update: { enabled: false },
        },
        metadata: { ratecard_id: 'self_service' },
      },
      { is_default: true, metadata: {} },
    ])
    expect(await offered()).toEqual([await current('pro_monthly'), await current('pro_yearly')].sort())
    expect((await push(document('1.0.0', [selfService]))).status).toBe('unchanged')
    expect((await world.service.drift()).inSync).toBe(true)
  })

  it('contains the new price when one of its prices is replaced', async () => {
    const before = await current('pro_monthly')
    const outcome = await push(document('1.1.0', [selfService], 1200))
    expect(outcome.details.map(({ kind, action }) => [kind, action])).toEqual([
      ['price', 'replace'],
      ['portal', 'update'],
    ])
    expect(outcome.details[1]?.because).toEqual(['features.subscription_update'])
    expect(await current('pro_monthly')).not.toBe(before)
    expect(await offered()).toEqual([await current('pro_monthly'), await current('pro_yearly')].sort())
    expect((await world.service.drift()).inSync).toBe(true)
  })

  it('is updated when the prices of the document change, if the configuration is set to offer all public prices', async () => {
    const update = { default_allowed_updates: ['price' as const], products: 'public' as const }
    const open: Portal = { ...selfService, features: { ...payment, subscription_update: update } }
    expect((await push(document('1.1.0', [open]))).details).toMatchObject([{ kind: 'portal', action: 'update' }])
    expect(await offered()).toEqual([await current('pro_monthly'), await current('pro_yearly')].sort())
    const config = document('1.2.0', [open])
    const [product] = config.products
    product?.prices?.push({ id: 'pro_weekly', amount: 300, currency: 'eur', interval: 'week' })
    const outcome = await push(config)
    expect(outcome.changes).toMatchObject({
      prices: { created: ['pro_weekly'] },
      portal: { updated: ['self_service'] },
    })
    expect(await offered()).toContain(await current('pro_weekly'))
    expect((await push(config)).status).toBe('unchanged')
  })

  it('is compared and repaired feature by feature, and is deactivated when the document no longer contains it', async () => {
    const [before] = await ours()
    await world.stripe.billingPortal.configurations.update(before?.id ?? '', {
      features: { subscription_cancel: { enabled: false } },
    })
    const report = await world.service.drift()
    expect(report.inSync).toBe(false)
    expect(JSON.stringify(report)).toContain('features.subscription_cancel')
    await world.service.push(document('1.1.0', [selfService]), { ...nobody, force: true })
    expect((await ours())[0]?.features.subscription_cancel.enabled).toBe(true)
    expect((await push(document('1.2.0', []))).changes.portal).toEqual({ ...none, archived: ['self_service'] })
    expect(await ours()).toMatchObject([{ id: before?.id, active: false }])
    await world.service.rollback(3, nobody)
    expect(await ours()).toMatchObject([{ id: before?.id, active: true }])
  })

  it('keeps its object at the processor when its id is changed', async () => {
    const [before] = await ours()
    const outcome = await push(document('1.1.0', [{ ...selfService, id: 'plans', previous_ids: ['self_service'] }]))
    expect(outcome.details).toMatchObject([{ kind: 'portal', configId: 'plans', action: 'rename' }])
    expect(await ours()).toMatchObject([{ id: before?.id, metadata: { ratecard_id: 'plans' } }])
  })

  it('is pulled with ids of the document and adopted, except for the account’s own default configuration', async () => {
    const monthly = (await current('pro_monthly')) ?? ''
    const foreign = await world.stripe.billingPortal.configurations.create({
      business_profile: { headline: 'Partners' },
      features: {
        payment_method_update: { enabled: true },
        subscription_update: {
          enabled: true,
          default_allowed_updates: ['quantity'],
          products: [{ product: 'rc_pro', prices: [monthly], adjustable_quantity: { enabled: true, maximum: 50 } }],
        },
      },
    })
    const { document: pulled, unrepresentable } = await world.service.pull()
    const [main] = (await all()).filter(({ is_default: isDefault }) => isDefault)
    expect(unrepresentable).toMatchObject([
      { kind: 'portal', processorId: main?.id, reason: expect.stringContaining('default configuration') as string },
    ])
    expect(pulled.portal).toEqual([
      selfService,
      {
        id: 'partners',
        headline: 'Partners',
        features: {
          payment_method_update: { enabled: true },
          subscription_update: {
            enabled: true,
            default_allowed_updates: ['quantity'],
            products: [
              {
                product: 'pro',
                prices: ['pro_monthly'],
                adjustable_quantity: { enabled: true, minimum: 1, maximum: 50 },
              },
            ],
          },
        },
        processor_id: foreign.id,
      },
    ])
    const outcome = await push({ ...pulled, version: '1.1.0' })
    expect(outcome.details).toMatchObject([{ kind: 'portal', action: 'adopt', processorIdAfter: foreign.id }])
    expect((await push({ ...pulled, version: '1.1.0' })).status).toBe('unchanged')
  })

  it('stays active when it is removed from the document if it is the account’s default, and the plan contains a warning about that', async () => {
    const [main] = (await all()).filter(({ is_default: isDefault }) => isDefault)
    const adopted: Portal = { id: 'main', features: { invoice_history: {} }, processor_id: main?.id ?? '' }
    await push(document('1.1.0', [selfService, adopted]))
    const planned = await world.service.push(document('1.2.0', [selfService]), { ...nobody, dryRun: true })
    expect(planned.warnings.map(({ code }) => code)).toContain('portal_default_stays')
    expect((await push(document('1.2.0', [selfService]))).status).toBe('applied')
    expect((await world.stripe.billingPortal.configurations.retrieve(main?.id ?? '')).active).toBe(true)
    expect((await push(document('1.2.0', [selfService]))).status).toBe('unchanged')
  })
})

describe('a session of the customer portal', () => {
  const returnUrl = 'http://127.0.0.1:9/account'
  const open = (portal: object = {}, principal = forTenant('acme')) =>
    world.service.createPortal({ returnUrl, ...portal }, principal)
  const session = { kind: 'session', session: { tenantId: 'acme' } } as never
  const submit = async (url: string, fields: Record<string, string>) => {
    const reply = await fetch(url, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' })
    return { status: reply.status, location: reply.headers.get('location') }
  }

  async function subscribed() {
    await world.pay((await world.buy('acme', 'pro_monthly')).url)
    const [made] = (await world.stripe.subscriptions.list({ limit: 1 })).data
    if (made === undefined) throw new Error('nothing was sold')
    return made
  }

  it('uses the default portal configuration of the document, or the configuration that the request names', async () => {
    const partners: Portal = { id: 'partners', headline: 'For partners', features: { invoice_history: {} } }
    await push(document('1.1.0', [selfService, partners]))
    expect(await (await fetch((await open()).url)).text()).toContain('Your plan')
    expect(await (await fetch((await open({ portalId: 'partners' })).url)).text()).toContain('For partners')
    expect(await refusalOf(open({ portalId: 'nobody' }))).toBe('portal_not_found')
    await push(document('1.2.0', [partners]))
    expect(await (await fetch((await open()).url)).text()).not.toContain('For partners')
  })

  it('leads directly to the confirmation of a price change if the request names a price', async () => {
    const { id } = await subscribed()
    const confirm = { subscription: id, items: [{ price: 'pro_yearly' }] }
    const after = { type: 'redirect' as const, redirect: { returnUrl: 'http://127.0.0.1:9/changed' } }
    const flow = {
      type: 'subscription_update_confirm' as const,
      subscriptionUpdateConfirm: confirm,
      afterCompletion: after,
    }
    const { url } = await open({ flow })
    expect(await submit(url, { action: 'confirm', subscription: id })).toMatchObject({
      status: 303,
      location: 'http://127.0.0.1:9/changed',
    })
    const changed = await world.stripe.subscriptions.retrieve(id)
    expect(changed.items.data[0]?.price.id).toBe(await current('pro_yearly'))
  })

  it('lets the customer change to the prices of its configuration, cancel, and replace the card', async () => {
    const { id, customer } = await subscribed()
    const change = await open({ flow: { type: 'subscription_update', subscriptionUpdate: { subscription: id } } })
    const yearly = (await current('pro_yearly')) ?? ''
    expect((await submit(change.url, { action: 'update', subscription: id, price: yearly })).status).toBe(200)
    expect((await world.stripe.subscriptions.retrieve(id)).items.data[0]?.price.id).toBe(yearly)
    const hidden = (await current('pro_hidden')) ?? ''
    expect((await submit(change.url, { action: 'update', subscription: id, price: hidden })).status).toBe(400)
    const card = await open({ flow: { type: 'payment_method_update' } })
    const before = await world.stripe.customers.retrieve(customer as string)
    await submit(card.url, { action: 'card', number: '5555555555554444' })
    expect(await world.stripe.customers.retrieve(customer as string)).not.toMatchObject({
      invoice_settings: (before as { invoice_settings: object }).invoice_settings,
    })
    const cancel = await open({ flow: { type: 'subscription_cancel', subscriptionCancel: { subscription: id } } })
    await submit(cancel.url, { action: 'cancel', subscription: id })
    expect((await world.stripe.subscriptions.retrieve(id)).cancel_at_period_end).toBe(true)
  })

  it('is refused for hidden and unknown prices, discounts, and subscriptions of other tenants', async () => {
    const { id } = await subscribed()
    const confirm = (price: string, more: object = {}) => ({
      flow: {
        type: 'subscription_update_confirm',
        subscriptionUpdateConfirm: { subscription: id, items: [{ price }], ...more },
      },
    })
    expect(await refusalOf(open(confirm('pro_hidden'), session))).toBe('price_not_found')
    expect(await refusalOf(open(confirm('nothing')))).toBe('price_not_found')
    expect(await refusalOf(open(confirm('pro_yearly', { discounts: [{ coupon: 'x' }] }), session))).toBe('not_allowed')
    const other = { type: 'subscription_cancel', subscriptionCancel: { subscription: 'sub_other' } }
    expect(await refusalOf(open({ flow: other }))).toBe('checkout_invalid')
    expect(await refusalOf(open({ flow: { type: 'subscription_cancel' } }))).toBe('checkout_invalid')
    const away = { type: 'redirect', redirect: { returnUrl: 'http://evil.example/' } }
    expect(await refusalOf(open({ flow: { type: 'payment_method_update', afterCompletion: away } }))).toBe(
      'checkout_invalid',
    )
  })
})
