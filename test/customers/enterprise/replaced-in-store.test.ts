import { expect, test } from 'vitest'
import { caller, nothing, soldShop } from '../../support/shop/tenant-shop.ts'

/** Applies a deal, so that a metered negotiated price is scheduled for the next period, and then replaces that price. */
async function replacedInStore() {
  const { shop, id } = await soldShop({ calls: null, seat: 2 })
  expect((await shop.apply('t')).swaps).toMatchObject([
    { to: 'seat_gold', effective: 'now' },
    { to: 'calls_gold', effective: 'period_end' },
  ])
  await shop.reprice('1.1.0', 'calls_gold', 4)
  return { shop, id }
}

test('applying a template again replaces a scheduled negotiated price by the price that succeeded it', async () => {
  const { shop, id } = await replacedInStore()
  expect(await shop.apply('t')).toMatchObject({ swaps: [{ to: 'calls_gold', effective: 'period_end' }], skipped: [] })
  shop.advance(32)
  expect(await shop.items(id)).toEqual({ calls_gold: null, seat_gold: 2 })
  expect(await shop.apply('t')).toMatchObject({ pricesSwapped: 0, skipped: [] })
})

test('moving the tenants of a template replaces a scheduled former price by the newest one', async () => {
  const { shop, id } = await replacedInStore()
  expect((await shop.finished((await shop.service.moveTemplate('gold', caller)).id)).state).toBe('done')
  shop.advance(32)
  expect(await shop.items(id)).toMatchObject({ calls_gold: null })
})

test('removing the deal cancels the scheduled swap to a replaced negotiated price', async () => {
  const { shop, id } = await replacedInStore()
  expect((await shop.apply('t', nothing)).skipped).toEqual([])
  expect(await shop.service.findTenant('t')).toMatchObject({ enterpriseTemplate: null })
  shop.advance(32)
  expect(await shop.items(id)).toEqual({ calls: null, seat: 2 })
})
