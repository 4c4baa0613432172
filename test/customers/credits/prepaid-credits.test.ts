// The story of prepaid credits: sold, used up, topped up, renewed.
import { expect, test } from 'vitest'
import { creditWorld } from './credit-world.ts'

test('included credit can be sold with a plan, used up, topped up, and granted again at the renewal', async () => {
  const world = await creditWorld()
  const next = async () => {
    const [invoice] = await world.service.upcomingInvoices('t')
    return [invoice?.total, invoice?.creditsApplied]
  }
  // Sold: the first invoice grants the included credit.
  await world.subscribe(world.customer, { plan: 1, usage: null })
  expect(await world.balance()).toBe(1000)

  // Used up: $25 of calls, of which $10 are included. The balance does not fall before the invoice.
  await world.use(world.customer, 500)
  expect(await world.balance()).toBe(1000)
  expect(await next()).toEqual([2900 + 1500, 1000])
  world.advance(32)
  expect(await world.lastAmount(world.customer)).toBe(2900 + 1500)
  const renewed = await world.credits()
  expect(renewed.credits.map(({ amount, remaining, state }) => [amount, remaining, state])).toEqual([
    [1000, 0, 'used'],
    [1000, 1000, 'active'],
  ])

  // Topped up: $60 for $50, beside the included credit of the new period.
  await world.buyTopUp()
  expect(await world.balance()).toBe(7000)

  // Renewed: the credit that expires first is used first, and the rest of the top-up stays.
  await world.use(world.customer, 800)
  world.advance(31)
  expect(await world.lastAmount(world.customer)).toBe(2900)
  const left = (await world.credits()).credits.map(({ priceId, remaining }) => [priceId, remaining] as const)
  expect(left.filter(([priceId]) => priceId === 'top_up')).toEqual([['top_up', 3000]])
  expect(left.filter(([priceId]) => priceId === 'plan').map(([, remaining]) => remaining)).toEqual([0, 0, 1000])
  expect(await world.balance()).toBe(4000)
})
