// Which payments grant which credit.
import { describe, expect, test } from 'vitest'
import { payingCustomer } from '../../support/shop/paying-customer.ts'
import { creditDocument, creditWorld, type CreditWorld } from './credit-world.ts'

const amounts = async (world: CreditWorld) => (await world.credits()).credits.map(({ amount }) => amount)
/** The document without the credit of its plan. */
const withoutCredit = () => {
  const document = creditDocument()
  for (const price of document.products[0]?.prices ?? []) if (price.id === 'plan') delete price.grants_credit
  return document
}
const credit = (amount: number) => ({ grants_credit: { amount } })

describe('the credit that a payment grants', () => {
  test('is the amount that the price version granted when the subscription was sold', async () => {
    const world = await creditWorld(creditDocument('1.0.0', credit(1000)))
    await world.subscribe(world.customer, { plan: 1 })
    expect(await amounts(world)).toEqual([1000])
    await world.push(creditDocument('1.1.0', { amount: 5900, ...credit(2000) }))
    world.advance(32)
    expect(await amounts(world)).toEqual([1000, 1000])
  })

  test('is the current amount in the document if the price itself was not replaced', async () => {
    const world = await creditWorld(withoutCredit())
    await world.subscribe(world.customer, { plan: 1 })
    expect(await amounts(world)).toEqual([])
    await world.push(creditDocument('1.1.0', credit(700)))
    expect(await amounts(world)).toEqual([])
    world.advance(32)
    expect(await amounts(world)).toEqual([700])
  })

  test('is the amount at the time of the payment, if the document changed before the credit was granted', async () => {
    const world = await creditWorld(creditDocument('1.0.0', credit(1000)))
    await world.subscribe(world.customer, { plan: 1 })
    world.later(5_000)
    await world.push(creditDocument('1.1.0', credit(2000)))
    expect(await amounts(world)).toEqual([1000])
  })

  test('is the amount in the current document if an earlier version of the price is sold again', async () => {
    const world = await creditWorld(creditDocument('1.0.0', credit(1000)))
    const former = await world.processorPrice('plan')
    await world.subscribe(world.customer, { plan: 1 })
    expect(await amounts(world)).toEqual([1000])
    await world.push(creditDocument('1.1.0', { amount: 5900, ...credit(2000) }))
    await world.push(creditDocument('1.2.0', credit(1500)))
    expect(await world.processorPrice('plan')).toBe(former)
    world.advance(32)
    expect(await amounts(world)).toEqual([1000, 1500])
  })

  test('is granted unchanged after the price was removed from the document', async () => {
    const world = await creditWorld(creditDocument('1.0.0', credit(1000)))
    await world.subscribe(world.customer, { plan: 1 })
    const without = creditDocument('1.1.0')
    const [product] = without.products
    if (product === undefined) throw new Error('no product')
    await world.push({
      ...without,
      products: [{ ...product, prices: (product.prices ?? []).filter(({ id }) => id !== 'plan') }],
    })
    world.advance(32)
    expect(await amounts(world)).toEqual([1000, 1000])
  })

  test('is not granted for a trial', async () => {
    const world = await creditWorld()
    await world.subscribe(world.customer, { plan: 1 }, { trial_period_days: 10 })
    expect(await amounts(world)).toEqual([])
    world.advance(11)
    expect(await amounts(world)).toEqual([1000])
  })

  test('stays after a refund of the payment', async () => {
    const world = await creditWorld()
    await world.buyTopUp(2)
    expect(await amounts(world)).toEqual([12_000])
    const { data } = await world.stripe.charges.list({ customer: world.customer })
    await world.stripe.refunds.create({ charge: data[0]?.id ?? '' })
    expect(await world.balance()).toBe(12_000)
  })

  test('is also granted to a customer that belongs to no tenant', async () => {
    const world = await creditWorld()
    const stranger = await payingCustomer(world.stripe, { name: 'Stranger' })
    await world.subscribe(stranger, { plan: 2 })
    await world.credits()
    const { data } = await world.stripe.billing.creditGrants.list({ customer: stranger })
    expect(data.map(({ amount }) => amount.monetary)).toEqual([{ currency: 'usd', value: 2000 }])
  })

  test('is granted back when an invoice that was paid from the credit is voided', async () => {
    const world = await creditWorld()
    const { id } = await world.subscribe(world.customer, { plan: 1, usage: null })
    expect(await world.balance()).toBe(1000)
    await world.stripe.subscriptions.update(id, { collection_method: 'send_invoice', days_until_due: 30 })
    await world.use(world.customer, 100)
    world.advance(32)
    expect(await world.balance()).toBe(500)
    const open = (await world.invoices(world.customer)).find(({ status }) => status === 'open')
    await world.stripe.invoices.voidInvoice(open?.id ?? '')
    expect(await world.balance()).toBe(1000)
  })

  test('is retried after a refusal by the processor, until it is granted', async () => {
    const world = await creditWorld()
    const { stripe, customer } = world
    const tiny = {
      customer,
      amount: { type: 'monetary' as const, monetary: { currency: 'usd', value: 1 } },
      applicability_config: { scope: { price_type: 'metered' as const } },
    }
    const made = []
    for (let left = 100; left > 0; left--) made.push((await stripe.billing.creditGrants.create(tiny)).id)
    await world.subscribe(customer, { plan: 1 })
    const owed = async () => {
      await world.credits().catch((error: unknown) => {
        // The refusal is reported to the log of the service.
        if (!(error instanceof AggregateError)) throw error
      })
      const { items } = await world.service.listJobs({ limit: 1, offset: 0, kind: 'credit_grant' })
      return items[0]?.state
    }
    expect(await owed()).toBe('waiting')
    expect((await world.service.doctor()).find(({ check }) => check === 'credits')).toMatchObject({
      status: 'warning',
      detail: '1 credit could not be granted yet.',
    })
    await stripe.billing.creditGrants.voidGrant(made[0] ?? '')
    expect(await owed()).toBe('waiting')
    world.later(60_000)
    expect(await owed()).toBe('done')
    expect((await world.credits()).credits.filter(({ priceId }) => priceId === 'plan')).toHaveLength(1)
  })
})
