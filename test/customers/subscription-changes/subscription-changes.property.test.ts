// Any sequence of previews, changes, cancellations, resumptions, pushes and renewals leaves one subscription without an item twice, attached
// prices stand beside their base in its quantity, and the invoices ask what the previews said.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { admin } from '../../support/app.ts'
import { planDocument, startChangingShop } from '../../support/shop/changing-shop.ts'
import type { ChangingShop, Subscriber } from '../../support/shop/changing-shop.ts'

type Act =
  | { readonly act: 'change'; readonly price: string; readonly quantity: number; readonly when: 'auto' | 'period_end' }
  | { readonly act: 'preview'; readonly price: string }
  | { readonly act: 'cancel' | 'resume' }
  | { readonly act: 'push'; readonly amount: number }
  | { readonly act: 'pass'; readonly days: number }

/** The monthly plans are always sold with backups. */
function document(version: string, amount = 9000) {
  return planDocument(version, ({ products }) => {
    Object.assign(products[0]?.prices?.[0] ?? {}, { attached_prices: ['backup'] })
    Object.assign(products[1]?.prices?.[0] ?? {}, { attached_prices: ['backup'], amount })
  })
}

const prices = ['basic', 'pro', 'pro_yearly', 'pro_yearly_full']
const acts: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      act: fc.constant('change' as const),
      price: fc.constantFrom(...prices),
      quantity: fc.integer({ min: 1, max: 3 }),
      when: fc.constantFrom('auto' as const, 'period_end' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('preview' as const), price: fc.constantFrom(...prices) }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constantFrom('cancel' as const, 'resume' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ act: fc.constant('push' as const), amount: fc.integer({ min: 8000, max: 9900 }) }),
  },
  { weight: 3, arbitrary: fc.record({ act: fc.constant('pass' as const), days: fc.integer({ min: 1, max: 40 }) }) },
)

/** Lets days pass in steps, and adds up what the previews of the invoices said that are made meanwhile. */
async function passing(shop: ChangingShop, tenant: Subscriber, clock: { now: number }, days: number): Promise<number> {
  let sum = 0
  for (let until = clock.now + days * 86_400_000; clock.now < until;) {
    const upcoming = (await shop.asAdmin({ url: `${admin}/tenants/${tenant.tenant}/upcoming-invoice` })).json()
    const at = upcoming.due_at === null ? Infinity : Date.parse(upcoming.due_at as string)
    const next = at <= until ? at + 2 * 3_600_000 : until
    if (at <= until) sum += upcoming.amount_due as number
    await tenant.pass((next - clock.now) / 86_400_000)
    clock.now = next
  }
  return sum
}

let pushed = 0

async function run(shop: ChangingShop, id: string, sequence: readonly Act[]): Promise<void> {
  const tenant = await shop.subscriber(id, { basic: 1, backup: 1 })
  const backup = await shop.price('backup')
  const clock = { now: Date.UTC(2031, 3, 1) }
  let expected = 3600
  for (const step of sequence) {
    if (step.act === 'change') {
      const { price, quantity, when } = step
      const outcome = await tenant.change({ items: [{ price_id: price, quantity }], when })
      if (outcome.status === 200 || typeof outcome.status === 'string') expected += outcome['due_now'].amount as number
      else expect([409, 404, 422]).toContain(outcome.status)
    } else if (step.act === 'preview') await tenant.ask('preview', { items: [{ price_id: step.price }] })
    else if (step.act === 'push') {
      const next = document(`1.0.${String(++pushed)}`, step.amount)
      expect((await shop.push(next)).statusCode).toBeLessThan(300)
    } else if (step.act === 'pass') expected += await passing(shop, tenant, clock, step.days)
    else await tenant.ask(step.act)
    const { data } = await shop.stripe.subscriptions.list({ customer: tenant.customer })
    expect(data.length).toBeLessThanOrEqual(1)
    const items = data.flatMap((subscription) => subscription.items.data)
    const [base, ...others] = items.filter(({ price }) => price.id !== backup)
    expect([data.length, others]).toEqual([base === undefined ? 0 : 1, []])
    const attached = base?.price.recurring?.interval === 'month' ? [base.quantity] : []
    expect(items.filter(({ price }) => price.id === backup).map(({ quantity }) => quantity)).toEqual(attached)
  }
  const invoices = (await shop.stripe.invoices.list({ customer: tenant.customer, limit: 100 })).data
  expect(invoices.reduce((sum, { amount_due: due }) => sum + due, 0)).toBe(expected)
}

describe('any sequence of plan changes', () => {
  it('leaves one subscription, and each invoice has the amount of its preview', async () => {
    const shop = await startChangingShop({ rateLimit: 100_000 }, document('1.0.0'))
    let tenants = 0
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(acts, { minLength: 3, maxLength: 9 }), (sequence) =>
          run(shop, `t${String(++tenants)}`, sequence),
        ),
        { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 5) },
      )
    } finally {
      await shop.close()
    }
  })
})
