import { describe, expect, it } from 'vitest'
import { processorId } from '../../../../packages/ratecard/src/catalog/resource.ts'
import { mirrorWorld } from '../mirror-world.ts'

describe('the monthly recurring revenue (MRR) of a subscription with prices that include tax', () => {
  it.each(['of the item', 'of the subscription'] as const)(
    'is the amount of its invoice without tax, with rates %s',
    async (where) => {
      const world = await mirrorWorld()
      const { stripe, customer } = world
      const price = await world.monthly(11_900)
      const vat = await stripe.taxRates.create({ display_name: 'VAT', percentage: 19, inclusive: true })
      const extra = await stripe.taxRates.create({ display_name: 'Extra', percentage: 5, inclusive: false })
      const rates = [vat.id, extra.id]
      const { latest_invoice: latest } = await stripe.subscriptions.create({
        customer,
        items: [{ price: price.id, ...(where === 'of the item' ? { tax_rates: rates } : {}) }],
        ...(where === 'of the item' ? {} : { default_tax_rates: rates }),
      })
      await world.fill()
      await world.settle()
      const invoice = await stripe.invoices.retrieve(latest as string)
      expect(invoice.total_excluding_tax).toBe(10_000)
      expect(await world.store.mirror.standing(processorId(customer))).toMatchObject({ monthly: { usd: '10000' } })
      expect((await world.store.mirror.find('invoice', invoice.id))?.lines).toMatchObject([
        { amount: 11_900, inclusiveTax: 1_900 },
      ])
    },
  )
})
