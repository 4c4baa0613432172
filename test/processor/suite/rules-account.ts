import { describe, expect, it } from 'vitest'
import { processorId, type ObservedResource } from '../../../packages/ratecard/src/catalog/resource.ts'
import { archive, createCode, createCoupon, createMeter, createPrice, createProduct, createWebhook } from './steps.ts'
import type { Tools } from './tools.ts'

export function accountRules(tools: Tools): void {
  const { signal, id, perform, locate, make } = tools

  describe('the account of the processor', () => {
    it('has an id, and a mode that is live or test', async () => {
      const account = await tools.bench.processor.account(signal)
      expect(account.id).toMatch(/^acct_/)
      expect(account.livemode).toBe(tools.bench.livemode)
    })

    it('cannot be read or written with an unknown key; the request fails as unauthorized without a retry', async () => {
      const refused = { name: 'ProcessorError', kind: 'unauthorized' }
      await expect(tools.bench.stranger.account(signal)).rejects.toMatchObject(refused)
      await expect(tools.bench.stranger.snapshot({ signal })).rejects.toMatchObject(refused)
      const write = tools.bench.stranger.perform(createProduct(id('stranger')), { idempotencyKey: id('k'), signal })
      await expect(write).rejects.toMatchObject({ ...refused, outcomeUnknown: false })
    })
  })

  describe('the snapshot of the processor', () => {
    it('contains all objects as they were written, including archived objects', async () => {
      const product = createProduct(id('s_product'), { description: 'Seen', metadata: { a: 'b' } })
      const target = await make(product)
      const meter = createMeter(id('s_meter'))
      const meterId = await make(meter)
      const tiers = [{ upTo: null, unitAmount: '2.5', flatAmount: '100' }]
      const price = createPrice(id('s_price'), target, {
        ...{ billingScheme: 'tiered', tiersMode: 'volume', unitAmount: null, tiers },
        ...{ usageType: 'metered', meter: meterId },
      })
      const priceId = await make(price)
      const old = await make(createPrice(id('s_old'), target))
      await perform(archive('price', id('s_old'), old))
      const coupon = createCoupon(id('s_coupon'), { appliesTo: [target] })
      const couponId = await make(coupon)
      const code = createCode(id('s_code'), couponId)
      const codeId = await make(code)
      const webhook = createWebhook(id('s_hook'))
      const hookId = await make(webhook)

      const snapshot = await tools.bench.processor.snapshot({ signal })
      const find = (list: readonly ObservedResource[], wanted: string) => list.find((one) => one.processorId === wanted)
      expect(find(snapshot.product, target)).toMatchObject({ fields: product.fields, mark: product.configId })
      expect(find(snapshot.meter, meterId)).toMatchObject({ fields: meter.fields, active: true })
      expect(find(snapshot.price, priceId)).toMatchObject({ fields: price.fields })
      expect(find(snapshot.price, old)).toMatchObject({ active: false })
      expect(find(snapshot.coupon, couponId)).toMatchObject({ fields: coupon.fields, spent: false })
      expect(find(snapshot.promotion_code, codeId)).toMatchObject({ fields: code.fields, spent: false })
      expect(find(snapshot.webhook, hookId)).toMatchObject({ fields: webhook.fields, mark: webhook.configId })
      await tools.bench.processor.discardWebhook(hookId, { idempotencyKey: id('w5'), signal })
    })
  })

  describe('a write to the processor with an idempotency key:', () => {
    it('a second request with the same key returns the first object', async () => {
      const product = await make(createProduct(id('r_product')))
      const step = createPrice(id('r_price'), product)
      const first = await perform(step, id('r_key'))
      const second = await perform(step, id('r_key'))
      expect(second.processorId).toBe(first.processorId)
    })

    it('a key that was used for a different request is refused', async () => {
      const step = createProduct(id('r_one'))
      await perform(step, id('r_other'))
      const other = perform(createProduct(id('r_two')), id('r_other'))
      await expect(other).rejects.toMatchObject({ kind: 'rejected', original: { type: 'idempotency_error' } })
    })

    it('no request is sent once the abort signal is set', async () => {
      const step = createProduct(id('r_late'))
      const late = tools.bench.processor.perform(step, { idempotencyKey: id('r_late'), signal: AbortSignal.abort() })
      await expect(late).rejects.toMatchObject({ name: 'AbortError' })
      expect(await locate(step)).toBeNull()
    })

    it('a plan step that only Ratecard records sends no request', async () => {
      const step = { ...archive('price', 'x', processorId('price_x')), op: 'record' as const }
      await expect(perform(step)).rejects.toThrow(TypeError)
      await expect(locate(step)).rejects.toThrow(TypeError)
    })
  })
}
