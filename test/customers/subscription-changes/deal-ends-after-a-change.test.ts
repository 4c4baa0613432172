// A deal that begins or ends meets a change of the plan: the item is on the price of its present plan afterwards, and a scheduled plan still
// comes.
import { expect, onTestFinished, test } from 'vitest'
import { planDocument, startChangingShop } from '../../support/shop/changing-shop.ts'
import { nobody } from '../../support/shop/selling.ts'
import { gold } from '../../support/shop/tenant-shop.ts'

const day = 86_400_000

/** A shop whose service has a clock of its own, with a customer on `plan` whose deal ends in ten days. */
async function dealOn(plan: string, then: 'base' | 'signed' = 'base') {
  const at = { ms: Date.now() }
  const shop = await startChangingShop({ clock: { now: () => at.ms } })
  onTestFinished(() => shop.close())
  const buyer = await shop.subscriber('t', { [plan]: 1 })
  await shop.service.applyEnterprise('t', gold, { ...nobody, dryRun: false, endsAt: at.ms + 10 * day, then })
  return {
    shop,
    buyer,
    endDeal: async () => {
      at.ms += 11 * day
      await shop.service.waitingJobs.continueDue()
    },
  }
}

test('a deal that ends after an upgrade moves the new plan to its list price, without an extra invoice', async () => {
  const { buyer, endDeal } = await dealOn('basic')
  // Pro costs $60.00 by the deal.
  expect(await buyer.change({ items: [{ price_id: 'pro' }] })).toMatchObject({ due_now: { amount: 3000 } })
  expect(await buyer.items()).toEqual({ pro_gold: 1 })
  await endDeal()
  expect(await buyer.items()).toEqual({ pro: 1 })
  await buyer.pass(31)
  expect(await buyer.totals()).toEqual([3000, 3000, 9000])
})

test('a deal that ends before a scheduled downgrade does not prevent the downgrade, and causes no extra invoice', async () => {
  const { buyer, endDeal } = await dealOn('pro')
  expect(await buyer.items()).toEqual({ pro_gold: 1 })
  expect(await buyer.change({ items: [{ price_id: 'basic' }] })).toMatchObject({ status: 'scheduled' })
  await endDeal()
  // The rest of the period is paid already, so that the item stays until the downgrade begins.
  expect(await buyer.items()).toEqual({ pro_gold: 1 })
  await buyer.pass(31)
  expect(await buyer.items()).toEqual({ basic: 1 })
  expect(await buyer.totals()).toEqual([9000, 3000])
})

test('a preview of a change becomes stale if a deal ends after it', async () => {
  const { buyer, endDeal } = await dealOn('basic')
  const body = { items: [{ price_id: 'pro' }] }
  const shown = await buyer.ask('preview', body)
  await endDeal()
  expect(await buyer.ask('change', { ...body, preview: shown['preview'] })).toMatchObject({ code: 'preview_stale' })
  expect(await buyer.change(body)).toMatchObject({ due_now: { amount: 6000 } })
})

test('a customer who cancels a scheduled change after the deal ended pays the list price from the next period on', async () => {
  const { buyer, endDeal } = await dealOn('pro')
  await buyer.change({ items: [{ price_id: 'basic' }] })
  await endDeal()
  await buyer.ask('resume')
  await buyer.pass(31)
  expect(await buyer.items()).toEqual({ pro: 1 })
  expect(await buyer.totals()).toEqual([9000, 9000])
})

test('a customer who cancels and resumes after the deal ended pays the list price from the next period on', async () => {
  const { buyer, endDeal } = await dealOn('pro')
  await buyer.change({ items: [{ price_id: 'basic' }] })
  await endDeal()
  // The cancellation takes the scheduled downgrade off the subscription.
  await buyer.ask('cancel')
  await buyer.ask('resume')
  expect(await buyer.ask('resume')).not.toHaveProperty('code')
  await buyer.pass(31)
  expect([await buyer.items(), await buyer.totals()]).toEqual([{ pro: 1 }, [9000, 9000]])
})

test('a customer who resumes after the deal ended returns to the price of the original purchase, if the deal has the option `signed`', async () => {
  const { shop, buyer, endDeal } = await dealOn('pro', 'signed')
  const raised = planDocument('1.1.0', ({ products }) => {
    for (const price of products[1]?.prices ?? []) if (price.id === 'pro') price.amount = 9900
  })
  expect((await shop.push(raised)).statusCode).toBe(200)
  await buyer.change({ items: [{ price_id: 'basic' }] })
  await endDeal()
  expect(await buyer.ask('resume')).not.toHaveProperty('code')
  await buyer.pass(31)
  expect(await buyer.totals()).toEqual([9000, 9000])
})

test('a customer who bought a negotiated price without a deal keeps it after a downgrade was scheduled and then revoked', async () => {
  const shop = await startChangingShop()
  onTestFinished(() => shop.close())
  const buyer = await shop.subscriber('t', { pro_gold: 1 })
  await buyer.changeOwn({ items: [{ price_id: 'basic' }] })
  await buyer.askOwn('resume')
  await buyer.pass(31)
  expect(await buyer.totals()).toEqual([6000, 6000])
})

test('a deal that is applied while a downgrade is scheduled covers both plans, even if the customer then revokes the downgrade', async () => {
  const document = planDocument('1.0.0', ({ products }) => {
    products[0]?.prices?.push({
      ...{ id: 'basic_gold', amount: 2000, currency: 'usd', interval: 'month', enterprise_template: 'gold' },
    })
  })
  const shop = await startChangingShop({}, document)
  onTestFinished(() => shop.close())
  const [goes, resumes] = [await shop.subscriber('goes', { pro: 1 }), await shop.subscriber('resumes', { pro: 1 })]
  for (const { tenant, changeOwn } of [goes, resumes]) {
    await changeOwn({ items: [{ price_id: 'basic' }] })
    await shop.service.applyEnterprise(tenant, gold, { ...nobody, dryRun: false })
  }
  await resumes.askOwn('resume')
  await goes.pass(31)
  await resumes.pass(31)
  expect([await goes.items(), await goes.totals()]).toEqual([{ basic_gold: 1 }, [9000, 2000]])
  expect([await resumes.items(), await resumes.totals()]).toEqual([{ pro_gold: 1 }, [9000, 6000]])
})
