// Tax rates of the document: their life at the processor, and the taxes of what the service sells.
import type Stripe from 'stripe'
import { describe, expect, it, onTestFinished } from 'vitest'
import { processorId } from '../../../packages/ratecard/src/catalog/resource.ts'
import type { BillingConfig, TaxRate } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { mirrorSettings } from '../../support/mirror.ts'
import { sharedSandbox } from '../../support/shared-sandbox.ts'
import { nobody } from '../../support/stack.ts'
import { startedForEach } from '../../support/started.ts'
import { caller, forTenant, startWorld } from '../../customers/tenants/world.ts'

const { sandbox } = sharedSandbox()
const vat: TaxRate = { id: 'vat', display_name: 'VAT', percentage: '19', inclusive: false, country: 'DE' }

function document(version: string, tax_rates: TaxRate[], tax?: BillingConfig['tax']): BillingConfig {
  return {
    version,
    products: [
      {
        id: 'pro',
        name: 'Pro',
        prices: [
          { id: 'pro_monthly', amount: 1000, currency: 'eur', interval: 'month' },
          { id: 'pro_yearly', amount: 10_000, currency: 'eur', interval: 'year' },
          { id: 'pro_setup', amount: 500, currency: 'eur' },
        ],
      },
    ],
    tax_rates,
    ...(tax === undefined ? {} : { tax }),
  }
}

const taxed = (version: string, percentage: string | number) =>
  document(version, [{ ...vat, percentage }], { rates: ['vat'] })
const none = { created: [], updated: [], archived: [] }
const tenant = { id: 'acme', name: 'Acme', email: 'a@acme.example' }
const world = startedForEach(() => startWorld({ sandbox, tenant, document: taxed('1.0.0', '19') }))

const rates = async () => (await world.stripe.taxRates.list({ limit: 100 })).data
const push = (config: BillingConfig) => world.service.push(config, nobody)

async function sold(priceId = 'pro_monthly') {
  const { url } = await world.buy('acme', priceId)
  expect((await world.pay(url)).status).toBe(303)
  const [subscription] = (await world.stripe.subscriptions.list({ limit: 1 })).data
  if (subscription === undefined) throw new Error('nothing was sold')
  return subscription
}

describe('a tax rate in the document', () => {
  it('is created with Ratecard’s metadata, and a different notation of the same percentage is no change', async () => {
    expect(await rates()).toMatchObject([
      { display_name: 'VAT', percentage: 19, inclusive: false, country: 'DE', metadata: { ratecard_id: 'vat' } },
    ])
    expect((await push(taxed('1.0.0', 19))).status).toBe('unchanged')
    expect((await world.service.drift()).inSync).toBe(true)
  })

  it('is updated in place, except for its percentage and its member `inclusive`', async () => {
    const [before] = await rates()
    const renamed = document('1.1.0', [{ ...vat, display_name: 'MwSt.', tax_type: 'vat' }], { rates: ['vat'] })
    expect((await push(renamed)).changes.tax_rates).toEqual({ ...none, updated: ['vat'] })
    expect(await rates()).toMatchObject([{ id: before?.id, display_name: 'MwSt.', tax_type: 'vat' }])
    const outcome = await push(taxed('1.2.0', '20'))
    expect(outcome.details).toMatchObject([{ kind: 'tax_rate', action: 'replace', processorIdBefore: before?.id }])
    expect(outcome.details[0]?.because).toContain('percentage')
    expect(await rates()).toMatchObject([
      { percentage: 20, active: true },
      { id: before?.id, percentage: 19, active: false },
    ])
    expect((await world.service.drift()).inSync).toBe(true)
  })

  it('is replaced if one of its texts is removed, because the processor cannot clear that text', async () => {
    const { country: _country, ...bare } = vat
    const outcome = await push(document('1.1.0', [bare], { rates: ['vat'] }))
    expect(outcome.details).toMatchObject([{ action: 'replace', because: ['country'] }])
    expect((await rates()).map(({ country, active }) => [country, active])).toEqual([
      [null, true],
      ['DE', false],
    ])
  })

  it('is archived when it is removed, and a rollback restores the same object', async () => {
    const [before] = await rates()
    expect((await push(document('1.1.0', []))).changes.tax_rates).toEqual({ ...none, archived: ['vat'] })
    expect(await rates()).toMatchObject([{ id: before?.id, active: false }])
    await world.service.rollback(1, nobody)
    expect(await rates()).toMatchObject([{ id: before?.id, active: true }])
    expect((await world.service.drift()).inSync).toBe(true)
  })

  it('makes a push fail if the tax rate was archived at the processor, because new checkouts need it', async () => {
    const [before] = await rates()
    await world.stripe.taxRates.update(before?.id ?? '', { active: false })
    expect((await world.service.drift()).inSync).toBe(false)
    await expect(push(taxed('1.1.0', '19'))).rejects.toMatchObject({ code: 'processor_drift' })
    await world.service.push(taxed('1.1.0', '19'), { ...nobody, force: true })
    expect(await rates()).toMatchObject([{ id: before?.id, active: true }])
  })

  it('keeps its object at the processor when its id is changed', async () => {
    const [before] = await rates()
    const renamed = document('1.1.0', [{ ...vat, id: 'vat_de', previous_ids: ['vat'] }], { rates: ['vat_de'] })
    const outcome = await push(renamed)
    expect(outcome.details).toMatchObject([{ kind: 'tax_rate', configId: 'vat_de', action: 'rename' }])
    expect(outcome.warnings.map(({ code }) => code)).not.toContain('tax_of_sales_changed')
    expect(await rates()).toMatchObject([{ id: before?.id, metadata: { ratecard_id: 'vat_de' } }])
  })

  it('can be adopted under its id, and is pulled', async () => {
    const foreign = await world.stripe.taxRates.create({
      display_name: 'Sales tax',
      percentage: 8.875,
      inclusive: false,
      jurisdiction: 'US - NY',
    })
    const { document: pulled } = await world.service.pull()
    expect(pulled.tax_rates).toEqual([
      { ...vat, percentage: '19' },
      {
        id: 'sales_tax_us_-_ny_8.875',
        display_name: 'Sales tax',
        percentage: '8.875',
        inclusive: false,
        jurisdiction: 'US - NY',
        processor_id: foreign.id,
      },
    ])
    expect(pulled.tax).toEqual({ rates: ['vat'] })
    const outcome = await push({ ...pulled, version: '1.1.0' })
    expect(outcome.details).toMatchObject([{ kind: 'tax_rate', action: 'adopt', processorIdAfter: foreign.id }])
    expect((await push({ ...pulled, version: '1.1.0' })).status).toBe('unchanged')
  })
})

describe('the tax settings of the document', () => {
  it('are applied to each checkout page that the service opens, for recurring and one-time prices', async () => {
    const subscription = await sold()
    expect(subscription.default_tax_rates).toMatchObject([{ percentage: 19 }])
    const [invoice] = (await world.stripe.invoices.list({ limit: 1 })).data
    expect(invoice).toMatchObject({ total_excluding_tax: 1000, total: 1190, amount_paid: 1190 })
    const { sessionId } = await world.buy('acme', 'pro_setup')
    expect(await world.stripe.checkout.sessions.retrieve(sessionId ?? '')).toMatchObject({ amount_total: 595 })
  })

  it('make the checkout page request the address if tax is automatic, and the name if tax ids are collected', async () => {
    await push(document('1.1.0', [vat], { automatic: true, collect_tax_ids: true }))
    const { sessionId, url } = await world.buy('acme', 'pro_monthly')
    expect(await world.stripe.checkout.sessions.retrieve(sessionId ?? '')).toMatchObject({
      automatic_tax: { enabled: true },
      tax_id_collection: { enabled: true },
    })
    expect((await world.pay(url)).status).toBe(303)
    const [made] = (await world.stripe.subscriptions.list({ limit: 1 })).data
    expect(made).toMatchObject({ automatic_tax: { enabled: true }, default_tax_rates: [] })
  })

  it('are kept on a subscription when the subscription is changed in any way', async () => {
    const { id } = await sold()
    await push(taxed('1.1.0', '20'))
    const change = { subscriptionId: id, items: [{ priceId: 'pro_yearly', quantity: 1 }] }
    await world.service.changeSubscription(change, forTenant('acme'), { ...caller, idempotencyKey: null })
    const changed = await world.stripe.subscriptions.retrieve(id, { expand: ['schedule'] })
    expect(changed.default_tax_rates).toMatchObject([{ percentage: 19, active: false }])
    // A longer interval begins with the next period, which a schedule holds.
    const { phases } = changed.schedule as Stripe.SubscriptionSchedule
    expect(phases).toHaveLength(2)
    for (const phase of phases) expect(phase.default_tax_rates).toMatchObject([{ percentage: 19 }])
  })

  it('create a new version even if no other part of the document changes, and the plan lists the change', async () => {
    const outcome = await world.service.push(document('1.1.0', [vat]), { ...nobody, dryRun: true })
    expect(outcome.warnings).toMatchObject([{ code: 'tax_of_sales_changed', pointer: '#/tax' }])
    expect(outcome.warnings[0]?.detail).toContain('rates vat → none')
    expect((await push(document('1.1.0', [vat]))).status).toBe('applied')
    expect((await sold()).default_tax_rates).toEqual([])
    const { revision = 0 } = (await world.service.history({ limit: 1, offset: 0 })).items[0] ?? {}
    expect(await world.service.difference(revision - 1, revision)).toMatchObject([
      { kind: 'tax', change: 'changed', fields: [{ field: 'rates', before: ['vat'], after: null }] },
    ])
  })
})

describe('subscriptions that have a tax rate', () => {
  it('are named in the plan that replaces or archives the tax rate', async () => {
    const { id } = await sold()
    const planned = await world.service.push(taxed('1.1.0', '20'), { ...nobody, dryRun: true })
    const kept = planned.warnings.find(({ code }) => code === 'tax_rate_kept')
    expect(kept).toMatchObject({ pointer: '#/tax_rates/0', severity: 'warning' })
    expect(kept?.detail).toContain(`1 subscription keeps the current tax rate "vat" (${id} of acme)`)
    await push(taxed('1.1.0', '20'))
    const again = await world.service.push(document('1.2.0', []), { ...nobody, dryRun: true })
    expect(again.warnings.find(({ code }) => code === 'tax_rate_kept')?.detail).toContain(id)
  })

  it('are found in the mirror, without a request to the processor', async () => {
    const mirrored = await startWorld({ tenant, document: taxed('1.0.0', '19'), mirror: mirrorSettings })
    onTestFinished(() => mirrored.close())
    const { url } = await mirrored.buy('acme', 'pro_monthly')
    await mirrored.pay(url)
    const [subscription] = (await mirrored.stripe.subscriptions.list({ limit: 1 })).data
    const rate = processorId((await mirrored.stripe.taxRates.list()).data[0]?.id ?? '')
    await expect
      .poll(
        () => {
          mirrored.service.feed?.feeder.wake()
          return mirrored.store.mirror.taxedWith([rate])
        },
        { timeout: 60_000 },
      )
      .toEqual([{ subscription: subscription?.id, tenantId: 'acme', taxRates: [rate] }])
    const { warnings } = await mirrored.service.push(taxed('1.1.0', '20'), { ...nobody, dryRun: true })
    expect(warnings.find(({ code }) => code === 'tax_rate_kept')?.detail).toContain(`${subscription?.id ?? ''} of acme`)
  })
})
