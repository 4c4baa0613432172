import { describe, expect, it } from 'vitest'
import { admin } from '../../support/app.ts'
import { planDocument, startChangingShop } from '../../support/shop/changing-shop.ts'
import { startedForAll } from '../../support/started.ts'

/** `basic` and `pro` are sold with usage at their own rates and with backups; the add-on `desk` with backups, too. */
const document = planDocument('1.0.0', ({ products }) => {
  const monthly = { currency: 'usd', interval: 'month' } as const
  const metered = { ...monthly, usage_type: 'metered', meter: 'calls' } as const
  Object.assign(products[0]?.prices?.[0] ?? {}, { attached_prices: ['usage', 'backup'] })
  Object.assign(products[1]?.prices?.[0] ?? {}, { attached_prices: ['usage_pro', 'backup'] })
  products[3]?.prices?.push({ id: 'usage_pro', amount: 1, ...metered })
  products.push({
    id: 'desk',
    name: 'Desk',
    prices: [{ id: 'desk', amount: 900, ...monthly, attached_prices: ['backup'] }],
  })
})
const shop = startedForAll(() => startChangingShop({}, document))
const flexible = { billing_mode: { type: 'flexible' } } as const
const withBasic = (quantity: number) => ({ basic: quantity, usage: null, backup: quantity })

describe('a plan change between prices with attached prices', () => {
  it('moves the base price and its attached prices together, and charges the amount of the preview', async () => {
    const tenant = await shop.subscriber('upgrading', withBasic(2), flexible)
    await tenant.pass(15)
    const asked = { items: [{ price_id: 'pro' }] }
    const preview = await tenant.askOwn('preview', asked)
    // 15 of 30 days are left: 2 × (90.00 − 30.00) / 2. Backups stay as they are.
    expect(preview).toMatchObject({
      ...{ status: 200, when: 'now', due_now: { amount: 6000 } },
      before: [
        { price_id: 'basic', quantity: 2 },
        { price_id: 'usage', quantity: null },
        { price_id: 'backup', quantity: 2 },
      ],
      after: [
        { price_id: 'pro', quantity: 2 },
        { price_id: 'usage_pro', quantity: null },
        { price_id: 'backup', quantity: 2 },
      ],
      monthly: { before: [{ amount: '7200' }], after: [{ amount: '19200' }] },
    })
    const changed = await tenant.askOwn('change', { ...asked, preview: preview['preview'] as string })
    expect(changed).toMatchObject({ status: 'changed', due_now: { amount: 6000 } })
    expect(await tenant.items()).toEqual({ pro: 2, usage_pro: null, backup: 2 })
    expect(await tenant.totals()).toEqual([7200, 6000])
  })

  it('changes the quantity of the attached prices together with the quantity of the base price', async () => {
    const tenant = await shop.subscriber('growing', withBasic(1), flexible)
    const more = await tenant.change({ items: [{ price_id: 'basic', quantity: 3 }] })
    expect(more).toMatchObject({ status: 'changed', due_now: { amount: 7200 } })
    expect(await tenant.items()).toEqual({ basic: 3, usage: null, backup: 3 })
  })

  it('moves all prices at the end of the period if the change is scheduled, and can be revoked for all prices', async () => {
    const tenant = await shop.subscriber('downgrading', { pro: 2, usage_pro: null, backup: 2 }, flexible)
    const asked = { items: [{ price_id: 'basic' }] }
    expect(await tenant.change(asked)).toMatchObject({ status: 'scheduled', next_invoice: { amount: 7200 } })
    const shown = await shop.asAdmin({ url: `${admin}/tenants/downgrading/subscriptions` })
    expect(shown.json().subscriptions[0].scheduled.items).toHaveLength(3)
    expect(await tenant.ask('resume')).toMatchObject({ scheduled: null })
    expect(await tenant.items()).toEqual({ pro: 2, usage_pro: null, backup: 2 })
    expect(await tenant.change(asked)).toMatchObject({ status: 'scheduled' })
    await tenant.pass(31)
    expect([await tenant.items(), await tenant.totals()]).toEqual([withBasic(2), [19_200, 7200]])
  })

  it('removes the attached prices of the former price if the new price has none', async () => {
    const tenant = await shop.subscriber('lonely', withBasic(1), flexible)
    expect(await tenant.change({ items: [{ price_id: 'pro_secret' }] })).toMatchObject({ status: 'changed' })
    expect(await tenant.items()).toEqual({ pro_secret: 1 })
  })

  it('keeps the attached prices that a remaining add-on requires', async () => {
    const tenant = await shop.subscriber('with-desk', { basic: 1, usage: null, backup: 3, desk: 2 }, flexible)
    expect(await tenant.change({ items: [{ price_id: 'pro', quantity: 4 }] })).toMatchObject({ status: 'changed' })
    expect(await tenant.items()).toEqual({ pro: 4, usage_pro: null, backup: 6, desk: 2 })
    const none = { items: [], replaces: 'pro', when: 'now' }
    expect(await tenant.change(none)).toMatchObject({ status: 'changed' })
    expect(await tenant.items()).toEqual({ backup: 2, desk: 2 })
  })

  it('is refused if it would remove only an attached price', async () => {
    const tenant = await shop.subscriber('thrifty', withBasic(1), flexible)
    const without = { items: [], replaces: 'usage' }
    expect(await tenant.askOwn('preview', without)).toMatchObject({ status: 422, code: 'change_invalid' })
    const fewer = { items: [{ price_id: 'basic' }, { price_id: 'backup', quantity: 2 }] }
    expect(await tenant.askOwn('preview', fewer)).toMatchObject({
      ...{ status: 422, code: 'change_invalid' },
      errors: [{ pointer: '#/items/1/quantity' }],
    })
  })

  it('takes effect at the end of the period if an immediate change would lose usage in classic billing mode', async () => {
    const tenant = await shop.subscriber('classic', withBasic(1), { billing_mode: { type: 'classic' } })
    expect(await tenant.change({ items: [{ price_id: 'pro' }] })).toMatchObject({ status: 'scheduled' })
    await tenant.pass(31)
    expect(await tenant.items()).toEqual({ pro: 1, usage_pro: null, backup: 1 })
  })
})
