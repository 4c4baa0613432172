import { describe, expect, it } from 'vitest'
import { archive, createCode, createCoupon, createProduct, update } from './steps.ts'
import { expectObserved, type Tools } from './tools.ts'

export function promotionRules(tools: Tools): void {
  const { id, perform, locate, make } = tools

  describe('coupons at the processor', () => {
    it('keep their discount, limits and products; only their name and metadata can be changed', async () => {
      const products = [await make(createProduct(id('c_b'))), await make(createProduct(id('c_a')))].sort()
      const step = createCoupon(id('c_full'), {
        name: 'Spring',
        percentOff: '12.5',
        duration: 'repeating',
        durationInMonths: 3,
        appliesTo: products,
        metadata: { team: 'growth' },
      })
      const made = await perform(step)
      expect(made.processorId).toBe(step.id)
      expectObserved(made, { fields: step.fields, mark: step.configId, active: true, spent: false, carried: 0 })
      expect((await locate(step))?.processorId).toBe(step.id)
      const change = update('coupon', id('c_full'), made.processorId, { set: { name: 'Summer' }, unset: ['team'] })
      expectObserved(await perform(change), { fields: { ...step.fields, name: 'Summer', metadata: {} } })
    })

    it('have a redemption limit that is reduced by the redemptions of the coupons that they replace', async () => {
      const step = createCoupon(
        id('c_left'),
        { percentOff: null, amountOff: 500, currency: 'eur', maxRedemptions: 10 },
        4,
      )
      const made = await perform(step)
      expectObserved(made, { fields: step.fields, carried: 4, redeemed: 0 })
      expect(made.observed?.raw).toMatchObject({ max_redemptions: 6 })
      expect(await locate({ ...step, carried: 5 })).toBeNull()
    })

    it('are deleted when they are archived, even if the archive is retried', async () => {
      const target = await make(createCoupon(id('c_gone')))
      const stop = archive('coupon', id('c_gone'), target)
      expect(await locate(stop)).toBeNull()
      expect(await perform(stop)).toMatchObject({ processorId: target, observed: null, secret: null })
      expect(await locate(stop)).toMatchObject({ processorId: target, observed: null })
      expect(await perform(stop)).toMatchObject({ processorId: target, observed: null })
    })
  })

  describe('promotion codes at the processor', () => {
    it('can be created, deactivated and reactivated, and are found by their code', async () => {
      const coupon = await make(createCoupon(id('k_coupon')))
      const step = createCode(
        id('k_code'),
        coupon,
        { maxRedemptions: 9, firstTimeTransaction: true, minimumAmount: 1000, minimumAmountCurrency: 'eur' },
        2,
      )
      expect(await locate(step)).toBeNull()
      const made = await perform(step)
      expectObserved(made, { fields: step.fields, mark: step.configId, carried: 2, active: true, spent: false })
      expect(made.observed?.raw).toMatchObject({ max_redemptions: 7 })
      expect((await locate(step))?.processorId).toBe(made.processorId)
      const stop = archive('promotion_code', id('k_code'), made.processorId)
      expectObserved(await perform(stop), { active: false })
      expect(await locate(stop)).not.toBeNull()
      expect(await locate(step)).toBeNull()
      expectObserved(await perform(update('promotion_code', id('k_code'), made.processorId, { activate: true })), {
        active: true,
      })
    })

    it('can be created as inactive', async () => {
      const coupon = await make(createCoupon(id('k_coupon_off')))
      const step = createCode(id('k_off'), coupon, { active: false })
      expectObserved(await perform(step), { active: false, fields: step.fields })
      expect(await locate(step)).not.toBeNull()
    })
  })
}
