// The story of an allowance for each seat: sold, used up, refused, raised with the seats, lowered with them, grandfathered.
import { expect, test } from 'vitest'
import type { BillingConfig } from '../../../../packages/ratecard/src/document/schema/schema.ts'
import { limitDocument, limitWorld } from './limit-world.ts'

/** The document of the next year: a seat costs more and gives one project, and earlier subscribers keep what they have. */
function nextYear(): BillingConfig {
  const document = limitDocument()
  const products = document.products.map((product) =>
    product.id !== 'crew'
      ? product
      : {
          ...product,
          grandfather_features: true,
          features: [{ id: 'projects', limit: 1, per_quantity: true }],
          prices: (product.prices ?? []).map((price) => ({ ...price, amount: 1200 })),
        },
  )
  return { ...document, version: '2.0.0', products }
}

test('an allowance per seat can be sold and used up, is enforced, follows the number of seats, and stays for earlier subscribers', async () => {
  const world = await limitWorld()
  const projects = async (tenant: string, used: number) => {
    const { allowed, reason, limit, remaining, offered_by: offered } = await world.check(tenant, 'projects', used)
    return { allowed, reason, limit, remaining, offered }
  }
  const allowed = { allowed: true, reason: null, offered: [] }
  const refused = { allowed: false, reason: 'limit_reached', remaining: 0, offered: ['guild_monthly'] }

  // Sold with three seats: two projects each.
  await world.sell('acme', 'crew_monthly', 3)
  expect(await projects('acme', 5)).toEqual({ ...allowed, limit: 6, remaining: 1 })

  // Used up: the seventh project is refused, and the plan without a limit is offered.
  expect(await projects('acme', 6)).toEqual({ ...refused, limit: 6 })

  // Raised: the fourth seat gives its projects at once.
  expect(await world.changeSeats('acme', 'crew_monthly', 4)).toBe('changed')
  expect(await projects('acme', 6)).toEqual({ ...allowed, limit: 8, remaining: 2 })

  // Downgraded: what is paid for lasts until the end of the period. Then no project is lost, but none is added.
  expect(await world.changeSeats('acme', 'crew_monthly', 2)).toBe('scheduled')
  expect(await projects('acme', 6)).toEqual({ ...allowed, limit: 8, remaining: 2 })
  await world.pass(32)
  expect(await projects('acme', 6)).toEqual({ ...refused, limit: 4 })
  expect(await projects('acme', 3)).toEqual({ ...allowed, limit: 4, remaining: 1 })

  // Grandfathered: a seat gives half as much from now on, but not to those who bought it before.
  const { warnings } = (await world.push(nextYear(), '?approve_impact=true')).json<{ warnings: { code: string }[] }>()
  expect(warnings.map(({ code }) => code)).not.toContain('features_lowered')
  await world.sell('later', 'crew_monthly', 2)
  expect(await projects('acme', 3)).toEqual({ ...allowed, limit: 4, remaining: 1 })
  expect(await projects('later', 2)).toEqual({ ...refused, limit: 2 })
})
