// Any sequence of changes of a plan and of add-ons in one subscription, with a promotion code, leaves one item of each product and one plan of
// the group, now and in what is scheduled. The next invoice is the one that the last change showed.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { admin } from '../../support/app.ts'
import { planDocument, startChangingShop, type Answer, type ChangingShop } from '../../support/shop/changing-shop.ts'

interface Change {
  readonly act: 'change'
  readonly items: readonly { readonly price_id: string; readonly quantity: number }[]
  readonly replaces: string | undefined
  readonly when: 'auto' | 'period_end'
  readonly code: boolean
}
type Act = Change | { readonly act: 'cancel' | 'resume' } | { readonly act: 'pass'; readonly days: number }

const plans = ['basic', 'pro', 'pro_secret']
const addOns = ['backup', 'backup_large', 'support']
const prices = [...plans, ...addOns]

const shopDocument = planDocument('1.0.0', ({ products }) => {
  const monthly = { currency: 'usd', interval: 'month' } as const
  products[2]?.prices?.push({ id: 'backup_large', amount: 1500, ...monthly })
  products.push({ id: 'support', name: 'Support', prices: [{ id: 'support', amount: 2100, ...monthly }] })
})

const acts: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      act: fc.constant('change' as const),
      items: fc.uniqueArray(
        fc.record({ price_id: fc.constantFrom(...prices), quantity: fc.integer({ min: 1, max: 3 }) }),
        { minLength: 1, maxLength: 3, selector: ({ price_id: id }) => id },
      ),
      replaces: fc.option(fc.constantFrom(...prices), { nil: undefined, freq: 2 }),
      when: fc.constantFrom('auto' as const, 'period_end' as const),
      code: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ act: fc.constantFrom('cancel' as const, 'resume' as const) }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('pass' as const), days: fc.integer({ min: 1, max: 40 }) }) },
)

const productOf = (price: string) => (plans.includes(price) ? 'plan' : price.replace('_large', ''))

function expectOneOfEach(items: readonly { readonly price_id: string }[]): void {
  const products = items.map(({ price_id: price }) => productOf(price))
  expect(products).toHaveLength(new Set(products).size)
}

async function run(shop: ChangingShop, id: string, sequence: readonly Act[]): Promise<void> {
  const tenant = await shop.subscriber(id, { basic: 1, backup: 2 })
  for (const step of sequence) {
    if (step.act === 'pass') await tenant.pass(step.days)
    else if (step.act !== 'change') await tenant.ask(step.act)
    else {
      const { items, replaces, when, code } = step
      const wish = { items, when, ...(replaces && { replaces }), ...(code && { promotion_code: 'THIRD' }) }
      const outcome = await tenant.change(wish)
      if (typeof outcome.status === 'number') expect([404, 409, 422]).toContain(outcome.status)
      else await expectShown(shop, id, outcome)
    }
    const { subscriptions } = (await shop.asAdmin({ url: `${admin}/tenants/${id}/subscriptions` })).json()
    expect(subscriptions.length).toBeLessThanOrEqual(1)
    for (const { items, scheduled } of subscriptions) {
      expectOneOfEach(items)
      expectOneOfEach(scheduled?.items ?? [])
    }
    const live = await tenant.live()
    expect(live.discounts.length).toBeLessThanOrEqual(1)
  }
}

async function expectShown(shop: ChangingShop, id: string, { next_invoice: next, after }: Answer): Promise<void> {
  expectOneOfEach(after)
  const upcoming = (await shop.asAdmin({ url: `${admin}/tenants/${id}/upcoming-invoice` })).json()
  expect(next === null ? null : { due_at: next.at, amount_due: next.amount }).toEqual(
    next === null ? null : { due_at: upcoming.due_at, amount_due: upcoming.amount_due },
  )
}

it(
  'after changes of several products, the subscription has one item per product, and the next invoice has the previewed amount',
  { timeout: 300_000 },
  async () => {
    const shop = await startChangingShop({ rateLimit: 100_000 }, shopDocument)
    let tenants = 0
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(acts, { minLength: 3, maxLength: 8 }), (sequence) =>
          run(shop, `t${String(++tenants)}`, sequence),
        ),
        { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 8) },
      )
    } finally {
      await shop.close()
    }
  },
)
