// "Moving existing subscribers to a new price needs a custom, dangerous script." "Enterprise deals need a one-off plan per contract." In
// Ratecard both are one call with a dry run, and neither bills a customer unexpectedly.
import { expect, test } from 'vitest'
import { caller, negotiated, nothing, tenantShop } from '../../support/shop/tenant-shop.ts'

test('a higher price moves no subscriber; a migration has a plan, skips excluded tenants, and can be undone', async () => {
  const shop = await tenantShop(negotiated())
  const subscriptions = []
  for (const tenant of ['small', 'large', 'locked'])
    subscriptions.push((await shop.subscribe(await shop.tenant(tenant), { pro_monthly: 10 })).id)
  const [small = '', large = '', locked = ''] = subscriptions
  const former = await shop.processorPrice('pro_monthly')
  await shop.reprice('1.1.0', 'pro_monthly', 1500)
  for (const id of subscriptions) expect(await shop.items(id)).toEqual({ [former]: 10 })

  const request = { priceId: 'pro_monthly', to: 'now', except: ['locked'] } as const
  const { totals } = await shop.service.planMigration(request)
  expect(totals).toEqual([{ currency: 'usd', subscriptions: 2, byUsage: 0, before: 20_000, after: 30_000 }])
  const job = await shop.finished((await shop.service.startMigration(request, caller)).id)
  expect(job.state).toBe('done')
  for (const id of [small, large]) expect(await shop.items(id)).toEqual({ pro_monthly: 10 })
  expect(await shop.items(locked)).toEqual({ [former]: 10 })

  // The report lists what is needed to revert the move: item, earlier price, quantity.
  await shop.stripe.prices.update(former, { active: true })
  for (const { result } of job.steps) {
    const [undo] = result?.['items'] as { item: string; from_processor_id: string; quantity: number }[]
    if (undo === undefined) throw new Error('nothing to undo')
    await shop.stripe.subscriptions.update(String(result?.['subscription']), {
      items: [{ id: undo.item, price: undo.from_processor_id, quantity: undo.quantity }],
      proration_behavior: 'none',
    })
  }
  for (const id of subscriptions) expect(await shop.items(id)).toEqual({ [former]: 10 })
})

test('a deal with one customer is a price in the document; the deal can be previewed, creates no invoice when applied, and can be undone', async () => {
  const shop = await tenantShop(negotiated())
  const customer = await shop.tenant('acme')
  const { id } = await shop.subscribe(customer, { pro_monthly: 25 })
  const deal = { kind: 'custom', enterpriseId: 'acme' } as const
  const preview = await shop.service.applyEnterprise('acme', deal, { ...caller, dryRun: true })
  expect(preview.swaps).toMatchObject([{ from: 'pro_monthly', to: 'pro_monthly_acme' }])
  expect(await shop.items(id)).toEqual({ pro_monthly: 25 })
  const invoices = (await shop.invoices(customer)).length
  await shop.apply('acme', deal)
  await shop.apply('acme', nothing)
  await shop.apply('acme', deal)
  expect(await shop.invoices(customer)).toHaveLength(invoices)
  shop.advance(32)
  expect((await shop.invoices(customer)).at(-1)?.total).toBe(25 * 700)
})
