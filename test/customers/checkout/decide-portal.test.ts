import { describe, expect, test } from 'vitest'
import { processorId } from '../../../packages/ratecard/src/catalog/resource.ts'
import { decideFlow, decidePortal } from '../../../packages/ratecard/src/customers/checkout/decide-portal.ts'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import type { LiveSubscription } from '../../../packages/ratecard/src/processor/customer-half.ts'

const config: BillingConfig = {
  version: '1.0.0',
  products: [
    {
      id: 'pro',
      name: 'Pro',
      prices: [
        { id: 'pro_monthly', amount: 1000, currency: 'eur', interval: 'month', processor_id: 'price_1' },
        {
          id: 'pro_monthly_partner',
          amount: 800,
          currency: 'eur',
          interval: 'month',
          enterprise_template: 'partner',
          processor_id: 'price_2',
        },
      ],
    },
  ],
  coupons: [{ id: 'ten', percent_off: 10, duration: 'once', processor_id: 'ten' }],
  portal: [
    { id: 'main', default: true, features: {}, processor_id: 'bpc_1' },
    { id: 'other', previous_ids: ['former'], features: {}, processor_id: 'bpc_2' },
  ],
}

const item = (id: string) => ({ id, price: { id: processorId('price_0') }, quantity: 3 })
const subscription = (...items: object[]) => ({ id: 'sub_1', items }) as unknown as LiveSubscription
const key = {
  config,
  tenant: { id: 'acme', enterpriseTemplate: null, enterpriseId: null },
  hidden: true,
  now: 0,
  sessionMaxQuantity: 1000,
}
const confirm = (own: object) => ({
  type: 'subscription_update_confirm' as const,
  subscriptionUpdateConfirm: { subscription: 'sub_1', items: [own] },
})

describe('the configuration of a portal session', () => {
  test('is the configuration that the request names, also by an earlier id, and otherwise the default of the document', () => {
    expect(decidePortal(config, 'other', false)).toBe('bpc_2')
    expect(decidePortal(config, 'former', false)).toBe('bpc_2')
    expect(decidePortal(config, undefined, false)).toBe('bpc_1')
    expect(decidePortal({ version: '1.0.0', products: [] }, undefined, false)).toBeNull()
    expect(() => decidePortal(config, 'none', false)).toThrow('There is no portal configuration "none".')
  })

  test('of a session is the default or one that is offered to sessions; others are unknown to it', () => {
    const [first, second] = config.portal ?? []
    expect(decidePortal(config, undefined, true)).toBe('bpc_1')
    expect(decidePortal(config, first?.id, true)).toBe('bpc_1')
    expect(() => decidePortal(config, 'other', true)).toThrow('There is no portal configuration "other".')
    const offering = { ...config, portal: [first, { ...second, sessions: true }] } as typeof config
    expect(decidePortal(offering, 'former', true)).toBe('bpc_2')
  })
})

describe('a portal session that leads to the confirmation of a change', () => {
  test('keeps the price and the quantity if the request does not name them, and changes the only item', () => {
    const flow = decideFlow(key, confirm({}), [subscription(item('si_1'))])
    expect(flow.confirm).toEqual({ item: 'si_1', price: 'price_0', quantity: 3, discounts: [] })
    const changed = decideFlow(key, confirm({ price: 'pro_monthly', quantity: 5 }), [subscription(item('si_1'))])
    expect(changed.confirm).toMatchObject({ price: 'price_1', quantity: 5 })
  })

  test('requires the request to name the item if the subscription has several items', () => {
    const live = [subscription(item('si_1'), item('si_2'))]
    expect(() => decideFlow(key, confirm({}), live)).toThrow('has 2 items')
    expect(decideFlow(key, confirm({ id: 'si_2' }), live).confirm?.item).toBe('si_2')
    expect(() => decideFlow(key, confirm({}), [])).toThrow('no running subscription')
  })

  test('has at most the seller’s limit of a price with a session, or what the subscription has', () => {
    const session = { ...key, hidden: false, sessionMaxQuantity: 3 }
    const live = [subscription(item('si_1'))]
    expect(() => decideFlow(session, confirm({ quantity: 4 }), live)).toThrow('at most 3')
    expect(decideFlow(session, confirm({ quantity: 3 }), live).confirm?.quantity).toBe(3)
    const many = [subscription({ ...item('si_1'), quantity: 5 })]
    expect(decideFlow(session, confirm({ quantity: 5 }), many).confirm?.quantity).toBe(5)
    expect(decideFlow(key, confirm({ quantity: 4 }), live).confirm?.quantity).toBe(4)
  })

  test('finds neither hidden prices nor coupons if the request has a tenant’s session', () => {
    const session = { ...key, hidden: false }
    const live = [subscription(item('si_1'))]
    expect(() => decideFlow(session, confirm({ price: 'pro_monthly_partner' }), live)).toThrow('There is no price')
    expect(decideFlow(key, confirm({ price: 'pro_monthly_partner' }), live).confirm?.price).toBe('price_2')
    const offer = {
      type: 'subscription_cancel' as const,
      subscriptionCancel: {
        subscription: 'sub_1',
        retention: { type: 'coupon_offer' as const, couponOffer: { coupon: 'ten' } },
      },
    }
    expect(() => decideFlow(session, offer, live)).toThrow('needs a service key')
    expect(decideFlow(key, offer, live)).toMatchObject({ subscription: 'sub_1', offer: 'ten' })
  })
})
