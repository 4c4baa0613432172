// A customer who takes back a scheduled downgrade and whose deal ends with `then: signed` pays the price that was signed, also if the list
// price was raised meanwhile.
import { expect, onTestFinished, test } from 'vitest'
import { planDocument, startChangingShop } from '../../support/shop/changing-shop.ts'
import { nobody } from '../../support/shop/selling.ts'
import { gold } from '../../support/shop/tenant-shop.ts'

const day = 86_400_000
const month = { currency: 'usd', interval: 'month' } as const
const custom = { kind: 'custom', enterpriseId: 'x' } as const
const silver = { kind: 'template', template: 'silver' } as const

const document = (version: string, pro: number) =>
  planDocument(version, ({ products }) => {
    const prices = products.flatMap((product) => product.prices ?? [])
    for (const price of prices) if (price.id === 'pro') price.amount = pro
    products.find(({ id }) => id === 'pro')?.prices?.push({ id: 'pro_x', amount: 7000, ...month, enterprise_id: 'x' })
    products
      .find(({ id }) => id === 'usage')
      ?.prices?.push({
        ...{ id: 'usage_silver', amount: 1, ...month, usage_type: 'metered', meter: 'calls' },
        enterprise_template: 'silver',
      })
  })

/** A customer who signed Pro at $90.00, which costs $120.00 on the list since. */
async function signedCustomer(items: Readonly<Record<string, number | null>>) {
  const at = { ms: Date.now() }
  const shop = await startChangingShop({ clock: { now: () => at.ms } }, document('1.0.0', 9000))
  onTestFinished(() => shop.close())
  const buyer = await shop.subscriber('t', items)
  expect((await shop.push(document('1.1.0', 12_000))).statusCode).toBe(200)
  const ending = () => ({ ...nobody, dryRun: false, endsAt: at.ms + 10 * day, then: 'signed' as const })
  return {
    ...{ shop, buyer, ending },
    endDeal: async () => {
      at.ms += 11 * day
      await shop.service.waitingJobs.continueDue()
    },
  }
}

test('a deal that was applied during a scheduled downgrade ends at the originally purchased price after the customer resumed', async () => {
  const { shop, buyer, ending, endDeal } = await signedCustomer({ pro: 1 })
  await buyer.change({ items: [{ price_id: 'basic' }] })
  await shop.service.applyEnterprise('t', gold, ending())
  await buyer.ask('resume')
  await buyer.pass(31)
  await endDeal()
  await buyer.pass(31)
  expect(await buyer.totals()).toEqual([9000, 6000, 9000])
})

test.each([
  ['first', { pro: 1, usage: null }],
  ['last', { usage: null, pro: 1 }],
])(
  'a deal on the plan ends at the originally purchased price although the usage item has a deal too (position of the plan: %s)',
  async (_at, items) => {
    const { shop, buyer, ending, endDeal } = await signedCustomer(items)
    await shop.service.applyEnterprise('t', silver, { ...nobody, dryRun: false })
    await shop.service.applyEnterprise('t', custom, ending())
    await buyer.change({ items: [{ price_id: 'basic' }], replaces: 'pro' })
    await endDeal()
    await buyer.ask('resume')
    await buyer.pass(31)
    expect(await buyer.totals()).toEqual([9000, 9000])
  },
)
