import { describe, expect, it } from 'vitest'
import { type ProcessorId, processorId } from '../../../packages/ratecard/src/catalog/resource.ts'
import type { CheckoutRequest, LiveSubscription } from '../../../packages/ratecard/src/processor/customer-half.ts'
import { createMeter, createPrice, createProduct } from './steps.ts'
import type { Tools } from './tools.ts'
import { noTax } from '../../support/shop/no-tax.ts'

export function customerRules(tools: Tools): void {
  const { signal, id, make } = tools
  let keys = 0
  const writing = () => ({ idempotencyKey: id(`customers-${++keys}`), signal })
  const processor = () => tools.bench.processor

  /** Runs `use` with a new customer with a card, and deletes the customer with its subscriptions. */
  async function withCustomer(name: string, use: (customer: ProcessorId) => Promise<void>): Promise<void> {
    const { stripe } = tools.bench
    const customer = await processor().createCustomer({ tenantId: id(name), name, email: 'a@b.example' }, writing())
    try {
      const card = await stripe.paymentMethods.attach('pm_card_visa', { customer })
      await stripe.customers.update(customer, { invoice_settings: { default_payment_method: card.id } })
      await use(customer)
    } finally {
      await stripe.customers.del(customer)
    }
  }

  async function twoPrices(name: string): Promise<readonly [ProcessorId, ProcessorId]> {
    const product = await make(createProduct(id(name)))
    const list = await make(createPrice(id(`${name}_list`), product))
    return [list, await make(createPrice(id(`${name}_negotiated`), product, { unitAmount: '700' }))]
  }

  async function live(subscription: { readonly id: string }): Promise<LiveSubscription> {
    const found = await processor().subscription(subscription.id, signal)
    if (found === null) throw new Error(`There is no subscription ${subscription.id}`)
    return found
  }

  describe('customers of the processor', () => {
    it('are found by their tenant id directly after their creation, and not by another tenant’s id', async () => {
      await withCustomer('found', async (customer) => {
        const found = await tools.bench.stripe.customers.retrieve(customer)
        const since = found.deleted ? NaN : found.created * 1000
        expect(await processor().findCustomer(id('found'), since, signal)).toBe(customer)
        expect(await processor().findCustomer(id('foun'), since, signal)).toBeNull()
        expect(await processor().subscriptions(customer, signal)).toEqual([])
      })
    })

    it('cause the error resource_missing if they do not exist', async () => {
      const unknown = processorId('cus_unknown')
      const refused = { kind: 'rejected', original: { code: 'resource_missing' } }
      const portal = processor().createPortal(
        { customer: unknown, returnUrl: 'https://example.com/', configuration: null, flow: null },
        writing(),
      )
      await expect(portal).rejects.toMatchObject({ kind: 'rejected' })
      await expect(processor().subscriptions(unknown, signal)).rejects.toMatchObject(refused)
      await expect(processor().upcomingInvoice('sub_unknown', signal)).rejects.toMatchObject(refused)
      expect(await processor().subscription('sub_unknown', signal)).toBeNull()
    })
  })

  describe('subscriptions of the processor', () => {
    it('are moved to another price with the same quantity and without an invoice', async () => {
      const [list, negotiated] = await twoPrices('swap')
      await withCustomer('swap', async (customer) => {
        const { stripe } = tools.bench
        const made = await stripe.subscriptions.create({ customer, items: [{ price: list, quantity: 7 }] })
        const before = await live(made)
        expect(before).toMatchObject({ customer, status: 'active', currency: 'eur', schedule: null, trialEnd: null })
        const swaps = before.items.map((item) => ({ item: item.id, price: negotiated, quantity: item.quantity }))
        const after = await processor().swapItems(made.id, swaps, writing())
        const [item] = before.items
        const price = { ...item?.price, id: negotiated, unitAmount: '700' }
        expect(after).toEqual({ ...before, items: [{ ...item, price }] })
        expect(await processor().subscriptionsOfPrice(negotiated, signal)).toEqual([after])
        expect(await processor().subscriptionsOfPrice(list, signal)).toEqual([])
        expect(await processor().upcomingInvoice(made.id, signal)).toMatchObject({ total: 4900, currency: 'eur' })
        expect((await stripe.invoices.list({ customer })).data).toHaveLength(1)
      })
    })

    it('are moved at the end of the period by a schedule that keeps the trial, the discount and the quantity', async () => {
      const [list, negotiated] = await twoPrices('later')
      await withCustomer('later', async (customer) => {
        const { stripe } = tools.bench
        const coupon = await stripe.coupons.create({ percent_off: 50, duration: 'forever' })
        const items = [{ price: list, quantity: 7 }]
        const discounts = [{ coupon: coupon.id }]
        const made = await stripe.subscriptions.create({ customer, items, discounts, trial_period_days: 10 })
        const before = await live(made)
        const request = { subscription: made.id, swaps: [{ from: list, to: negotiated }] }
        const moved = await processor().scheduleSwaps(request, writing())
        expect(moved).toEqual({ effectiveAt: before.items[0]?.currentPeriodEnd })
        const after = await live(made)
        expect(after).toEqual({ ...before, schedule: after.schedule })
        expect(await processor().scheduledPrices(after, signal)).toEqual(new Map([[list, negotiated]]))
        expect((await stripe.subscriptions.retrieve(made.id)).discounts).toEqual(made.discounts)
        expect(await processor().scheduleSwaps(request, writing())).toEqual(moved)
        expect((await stripe.subscriptionSchedules.list({ customer })).data).toHaveLength(1)
        expect((await stripe.invoices.list({ customer })).data).toHaveLength(1)
        await stripe.coupons.del(coupon.id)
      })
    })
  })

  describe('checkouts of the processor', () => {
    it('open a page for one price and a known customer, and can be expired', async () => {
      const [price] = await twoPrices('checkout')
      await withCustomer('checkout', async (customer) => {
        const request: CheckoutRequest = {
          ...{ mode: 'subscription', customer, items: [{ price, quantity: 2 }] },
          ...{ trialPeriodDays: 7, allowPromotionCodes: true },
          ...{ successUrl: 'https://example.com/done', cancelUrl: 'https://example.com/back' },
          ...{
            paymentMethodCollection: 'always',
            trialEnd: null,
            promotionCode: null,
            tax: noTax,
            currency: null,
            metadata: { ratecard_tenant_id: id('checkout') },
          },
        }
        const { url, sessionId } = await processor().createCheckout(request, writing())
        expect(url).toMatch(/^https?:\/\//)
        const tenant = { customer, tenantId: id('checkout') }
        expect(await processor().expireCheckouts({ ...tenant, tenantId: id('checkou') }, signal)).toBe(0)
        expect(await processor().expireCheckouts(tenant, signal)).toBe(1)
        const expired = await tools.bench.stripe.checkout.sessions.retrieve(sessionId)
        expect(expired).toMatchObject({ customer, metadata: request.metadata, status: 'expired' })
        expect(await processor().expireCheckouts(tenant, signal)).toBe(0)
      })
    })
  })

  describe('usage that is reported to the processor', () => {
    it('is recorded once per identifier, and a retry with the same identifier is not an error', async () => {
      const meter = createMeter(id('usage'))
      await make(meter)
      await withCustomer('usage', async (customer) => {
        const payload = { [meter.fields.customerKey]: customer, [meter.fields.valueKey]: '3' }
        const event = { eventName: meter.fields.eventName, payload, timestamp: null, identifier: id('event') }
        await processor().recordUsage(event, writing())
        await processor().recordUsage(event, writing())
      })
    })
  })
}
