// The story of a monthly allowance with paid overage: sold, used, passed, billed, renewed.
import { expect, test } from 'vitest'
import { limitWorld } from './limit-world.ts'

test('a monthly allowance can be sold and used up, usage beyond it is billed at the renewal, and the allowance starts again', async () => {
  const world = await limitWorld()
  const calls = async () => {
    const { allowed, limit, used, remaining } = await world.check('acme', 'calls')
    return { allowed, limit, used, remaining }
  }

  // Sold: 1,000 calls a month.
  await world.sell('acme', 'api_monthly')
  expect(await calls()).toEqual({ allowed: true, limit: 1000, used: 0, remaining: 1000 })
  const { resets_at: firstReset } = await world.check('acme', 'calls')

  // Used: calls within the allowance cost nothing.
  expect(await world.call('acme', 800)).toBe(200)
  expect(await calls()).toEqual({ allowed: true, limit: 1000, used: 800, remaining: 200 })
  expect(await world.nextTotal('acme')).toBe(4900)

  // Passed: 400 calls beyond the allowance are not refused. They cost half a cent each.
  expect(await world.call('acme', 600)).toBe(200)
  expect(await calls()).toEqual({ allowed: true, limit: 1000, used: 1400, remaining: 0 })
  expect(await world.nextTotal('acme')).toBe(4900 + 200)

  // Renewed: the overage is on the invoice, and the allowance is whole again.
  await world.pass(32)
  expect(await world.invoiceTotals()).toEqual([4900, 4900 + 200])
  expect(await calls()).toEqual({ allowed: true, limit: 1000, used: 0, remaining: 1000 })
  const { resets_at: secondReset } = await world.check('acme', 'calls')
  expect(Date.parse(String(secondReset))).toBeGreaterThan(Date.parse(String(firstReset)))

  // The next month stays within the allowance.
  expect(await world.call('acme', 1000)).toBe(200)
  expect(await calls()).toEqual({ allowed: true, limit: 1000, used: 1000, remaining: 0 })
  await world.pass(31)
  expect(await world.invoiceTotals()).toEqual([4900, 4900 + 200, 4900])
  expect(await calls()).toMatchObject({ used: 0, remaining: 1000 })
})
