// What every adapter behind the port must do, whoever is on the other side of the wire.
import { beforeAll, describe, expect, it } from 'vitest'
import { processorId } from '../../../packages/ratecard/src/catalog/resource.ts'
import type { ObservedResource } from '../../../packages/ratecard/src/catalog/resource.ts'
import type { ResolvedStep } from '../../../packages/ratecard/src/catalog/steps.ts'
import type { Performed, Processor } from '../../../packages/ratecard/src/processor/processor.ts'
import {
  archive,
  createCode,
  createCoupon,
  createMeter,
  createPrice,
  createProduct,
  createWebhook,
  update,
} from './steps.ts'

export interface Bench {
  readonly processor: Processor
  /** Makes ids of this run unlike those of earlier runs in the same account; lower case letters and digits. */
  readonly run: string
  /** The same account reached with a key that it does not know. */
  readonly stranger: Processor
  readonly livemode: boolean
}

export function processorContract(name: string, open: () => Promise<Bench>): void {
  describe(`the processor port on ${name}`, () => {
    let bench: Bench
    let calls = 0
    const signal = AbortSignal.timeout(600_000)
    const id = (text: string) => `${text}_${bench.run}`
    const perform = (step: ResolvedStep, idempotencyKey = `${bench.run}-${++calls}`) =>
      bench.processor.perform(step, { idempotencyKey, signal })
    const locate = (step: ResolvedStep) => bench.processor.locate(step, signal)
    const make = async (step: ResolvedStep) => (await perform(step)).processorId

    beforeAll(async () => {
      bench = await open()
    })

    describe('account', () => {
      it('says whose key it is and whether money is real', async () => {
        const account = await bench.processor.account(signal)
        expect(account.id).toMatch(/^acct_/)
        expect(account.livemode).toBe(bench.livemode)
      })

      it('calls an unknown key unauthorized, for reads and writes alike, and never repeats it', async () => {
        const refused = { name: 'ProcessorError', kind: 'unauthorized' }
        await expect(bench.stranger.account(signal)).rejects.toMatchObject(refused)
        await expect(bench.stranger.snapshot({ signal })).rejects.toMatchObject(refused)
        const write = bench.stranger.perform(createProduct(id('stranger')), { idempotencyKey: id('k'), signal })
        await expect(write).rejects.toMatchObject({ ...refused, outcomeUnknown: false })
      })
    })

    describe('products', () => {
      it('are made under the chosen id, marked, and found again', async () => {
        const step = createProduct(id('p_new'), { description: 'All of it', metadata: { team: 'core' } })
        const made = await perform(step)
        expect(made.processorId).toBe(step.id)
        expect(made.requestId).toMatch(/^req_/)
        expectObserved(made, { fields: step.fields, mark: step.configId, active: true })
        expect((await locate(step))?.processorId).toBe(step.id)
      })

      it('are not located before they exist, nor when the object says something else', async () => {
        const step = createProduct(id('p_absent'))
        expect(await locate(step)).toBeNull()
        await perform(step)
        expect(await locate({ ...step, fields: { ...step.fields, name: 'Another' } })).toBeNull()
      })

      it('change in place, clear what becomes empty and lose the metadata keys to unset', async () => {
        const step = createProduct(id('p_change'), { description: 'Old', metadata: { keep: '1', drop: '2' } })
        const target = await make(step)
        const change = update('product', id('p_change'), target, {
          set: { name: 'New', description: '', metadata: { added: '3' } },
          unset: ['drop'],
        })
        expect(await locate(change)).toBeNull()
        const changed = await perform(change)
        const fields = { ...step.fields, name: 'New', description: '', metadata: { keep: '1', added: '3' } }
        expectObserved(changed, { fields, mark: step.configId })
        expect(await locate(change)).toMatchObject({ processorId: target })
      })

      it('let go of their default price when archived, and come back without it', async () => {
        const target = await make(createProduct(id('p_arch')))
        const price = await make(createPrice(id('p_arch_m'), target))
        const chosen = await perform(update('product', id('p_arch'), target, { set: { defaultPrice: price } }))
        expectObserved(chosen, { fields: expect.objectContaining({ defaultPrice: price }) })
        const stop = archive('product', id('p_arch'), target)
        expect(await locate(stop)).toBeNull()
        const stopped = await perform(stop)
        expectObserved(stopped, { active: false, fields: expect.objectContaining({ defaultPrice: null }) })
        expect(await locate(stop)).not.toBeNull()
        expectObserved(await perform(archive('price', id('p_arch_m'), price)), { active: false })
        expectObserved(await perform(update('product', id('p_arch'), target, { activate: true })), { active: true })
      })

      it('clear their default price on request', async () => {
        const target = await make(createProduct(id('p_def')))
        const price = await make(createPrice(id('p_def_m'), target))
        await perform(update('product', id('p_def'), target, { set: { defaultPrice: price } }))
        const cleared = await perform(update('product', id('p_def'), target, { set: { defaultPrice: null } }))
        expectObserved(cleared, { fields: expect.objectContaining({ defaultPrice: null }) })
      })

      it('refuse a change that cannot be made in place before anything is sent', async () => {
        const target = await make(createProduct(id('p_type')))
        const change = update('product', id('p_type'), target, { set: { type: 'good' } })
        await expect(perform(change)).rejects.toThrow(/type of a product cannot be changed/)
      })
    })

    describe('prices', () => {
      it('hold their config id as lookup key and hand it over to their successor', async () => {
        const product = await make(createProduct(id('pr_key')))
        const first = createPrice(id('pr_key_m'), product)
        const made = await perform(first)
        expectObserved(made, { fields: first.fields, lookupKey: first.configId, mark: first.configId })
        expect((await locate(first))?.processorId).toBe(made.processorId)
        const second = createPrice(id('pr_key_m'), product, { unitAmount: '1400' })
        expect(await locate(second)).toBeNull()
        const successor = await perform(second)
        expect(successor.processorId).not.toBe(made.processorId)
        expect((await locate(second))?.processorId).toBe(successor.processorId)
        expect(await locate(first)).toBeNull()
        const back = update('price', id('pr_key_m'), made.processorId, { claimLookupKey: true })
        expectObserved(await perform(back), { lookupKey: first.configId })
      })

      it('keep every kind of amount exactly', async () => {
        const product = await make(createProduct(id('pr_amounts')))
        const meter = await make(createMeter(id('pr_meter')))
        const tiers = [
          { upTo: 10, unitAmount: null, flatAmount: null },
          { upTo: 200, unitAmount: '0.000000000001', flatAmount: '500' },
          { upTo: null, unitAmount: '7.25', flatAmount: null },
        ]
        const tiered = { billingScheme: 'tiered' as const, unitAmount: null, tiers }
        const variants = {
          free: { unitAmount: '0' },
          once: { interval: null, currency: 'jpy', unitAmount: '500' },
          tiny: { unitAmount: '0.000000000001' },
          large: { unitAmount: '99999999' },
          quarterly: { intervalCount: 3, taxBehavior: 'inclusive' as const },
          graduated: { ...tiered, tiersMode: 'graduated' as const },
          volume: { ...tiered, tiersMode: 'volume' as const, usageType: 'metered' as const, meter },
          metered: { unitAmount: '0.5', usageType: 'metered' as const, meter, metadata: { a: 'b' } },
        }
        for (const [name, fields] of Object.entries(variants)) {
          const step = createPrice(id(`pr_${name}`), product, fields)
          const made = await perform(step)
          expectObserved(made, { fields: step.fields, unrepresentable: [] })
          expect((await locate(step))?.observed?.fields).toEqual(step.fields)
        }
      })

      it('take a tax behavior once, and are archived and brought back', async () => {
        const product = await make(createProduct(id('pr_tax')))
        const target = await make(createPrice(id('pr_tax_m'), product))
        const taxed = await perform(update('price', id('pr_tax_m'), target, { set: { taxBehavior: 'exclusive' } }))
        expectObserved(taxed, { fields: expect.objectContaining({ taxBehavior: 'exclusive' }) })
        const again = perform(update('price', id('pr_tax_m'), target, { set: { taxBehavior: 'inclusive' } }))
        await expect(again).rejects.toMatchObject({ kind: 'rejected' })
        const stop = archive('price', id('pr_tax_m'), target)
        expectObserved(await perform(stop), { active: false })
        expect(await locate(stop)).not.toBeNull()
        expectObserved(await perform(update('price', id('pr_tax_m'), target, { activate: true })), { active: true })
        expect(await locate(stop)).toBeNull()
      })

      it('of an unknown product are rejected in the processor’s own words', async () => {
        const refused = perform(createPrice(id('pr_orphan'), processorId(id('rc_nowhere'))))
        await expect(refused).rejects.toMatchObject({
          kind: 'rejected',
          outcomeUnknown: false,
          original: { type: 'invalid_request_error', code: 'resource_missing', param: 'product' },
        })
      })
    })

    describe('meters', () => {
      it('are made, renamed, deactivated and reactivated, and found without a mark', async () => {
        const step = createMeter(id('m_life'), { formula: 'count', customerKey: 'who', valueKey: 'amount' })
        expect(await locate(step)).toBeNull()
        const made = await perform(step)
        expectObserved(made, { fields: step.fields, mark: null, active: true })
        expect((await locate(step))?.processorId).toBe(made.processorId)
        const rename = update('meter', id('m_life'), made.processorId, { set: { displayName: 'Renamed' } })
        expectObserved(await perform(rename), { fields: { ...step.fields, displayName: 'Renamed' } })
        const stop = archive('meter', id('m_life'), made.processorId)
        expectObserved(await perform(stop), { active: false })
        expect(await locate(stop)).not.toBeNull()
        const wake = update('meter', id('m_life'), made.processorId, { activate: true })
        expect(await locate(wake)).toBeNull()
        expectObserved(await perform(wake), { active: true })
        expect(await locate(wake)).not.toBeNull()
      })
    })

    describe('coupons', () => {
      it('keep discount, limits and products, and change only name and metadata', async () => {
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

      it('count what predecessors used up as part of the document’s limit', async () => {
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

      it('are deleted when archived, once and again', async () => {
        const target = await make(createCoupon(id('c_gone')))
        const stop = archive('coupon', id('c_gone'), target)
        expect(await locate(stop)).toBeNull()
        expect(await perform(stop)).toMatchObject({ processorId: target, observed: null, secret: null })
        expect(await locate(stop)).toMatchObject({ processorId: target, observed: null })
        expect(await perform(stop)).toMatchObject({ processorId: target, observed: null })
      })
    })

    describe('promotion codes', () => {
      it('are made, stopped and brought back, and found by their code', async () => {
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

      it('may be made inactive', async () => {
        const coupon = await make(createCoupon(id('k_coupon_off')))
        const step = createCode(id('k_off'), coupon, { active: false })
        expectObserved(await perform(step), { active: false, fields: step.fields })
        expect(await locate(step)).not.toBeNull()
      })
    })

    describe('webhooks', () => {
      it('tell their secret at creation and never again', async () => {
        const step = createWebhook(id('w_secret'), {
          events: ['charge.refunded', 'invoice.paid'],
          description: 'Books',
        })
        const made = await perform(step)
        expect(made.secret).toMatch(/^whsec_/)
        expectObserved(made, { fields: step.fields, mark: step.configId, active: true })
        const seen = [made.observed, await locate(step), await bench.processor.snapshot({ signal })]
        expect(JSON.stringify(seen)).not.toContain(made.secret)
        expect((await locate(step))?.secret).toBeNull()
        await bench.processor.discardWebhook(made.processorId, { idempotencyKey: id('w1'), signal })
      })

      it('change in place, are disabled and enabled again', async () => {
        const target = await make(createWebhook(id('w_life'), { description: 'Old' }))
        const stop = archive('webhook', id('w_life'), target)
        expectObserved(await perform(stop), { active: false })
        expect(await locate(stop)).not.toBeNull()
        const set = { url: `https://example.com/${id('w_new')}`, events: ['customer.created'], description: '' }
        const wake = update('webhook', id('w_life'), target, { set, activate: true })
        expectObserved(await perform(wake), { active: true, fields: { ...set, connect: false } })
        await bench.processor.discardWebhook(target, { idempotencyKey: id('w2'), signal })
      })

      it('that were discarded are gone, and may be discarded again', async () => {
        const step = createWebhook(id('w_discard'))
        const target = await make(step)
        await bench.processor.discardWebhook(target, { idempotencyKey: id('w3'), signal })
        expect(await locate(step)).toBeNull()
        await bench.processor.discardWebhook(target, { idempotencyKey: id('w4'), signal })
      })
    })

    describe('snapshot', () => {
      it('shows everything as it was written, archived objects included', async () => {
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

        const snapshot = await bench.processor.snapshot({ signal })
        const find = (list: readonly ObservedResource[], wanted: string) =>
          list.find((one) => one.processorId === wanted)
        expect(find(snapshot.product, target)).toMatchObject({ fields: product.fields, mark: product.configId })
        expect(find(snapshot.meter, meterId)).toMatchObject({ fields: meter.fields, active: true })
        expect(find(snapshot.price, priceId)).toMatchObject({ fields: price.fields, lookupKey: price.configId })
        expect(find(snapshot.price, old)).toMatchObject({ active: false })
        expect(find(snapshot.coupon, couponId)).toMatchObject({ fields: coupon.fields, spent: false })
        expect(find(snapshot.promotion_code, codeId)).toMatchObject({ fields: code.fields, spent: false })
        expect(find(snapshot.webhook, hookId)).toMatchObject({ fields: webhook.fields, mark: webhook.configId })
        await bench.processor.discardWebhook(hookId, { idempotencyKey: id('w5'), signal })
      })
    })

    describe('repeat safety', () => {
      it('answers the same key with the same object', async () => {
        const product = await make(createProduct(id('r_product')))
        const step = createPrice(id('r_price'), product)
        const first = await perform(step, id('r_key'))
        const second = await perform(step, id('r_key'))
        expect(second.processorId).toBe(first.processorId)
      })

      it('rejects a key that was used for something else', async () => {
        const step = createProduct(id('r_one'))
        await perform(step, id('r_other'))
        const other = perform(createProduct(id('r_two')), id('r_other'))
        await expect(other).rejects.toMatchObject({ kind: 'rejected', original: { type: 'idempotency_error' } })
      })

      it('does nothing once the signal is aborted', async () => {
        const step = createProduct(id('r_late'))
        const late = bench.processor.perform(step, { idempotencyKey: id('r_late'), signal: AbortSignal.abort() })
        await expect(late).rejects.toMatchObject({ name: 'AbortError' })
        expect(await locate(step)).toBeNull()
      })

      it('has no call for a record step', async () => {
        const step = { ...archive('price', 'x', processorId('price_x')), op: 'record' as const }
        await expect(perform(step)).rejects.toThrow(TypeError)
        await expect(locate(step)).rejects.toThrow(TypeError)
      })
    })
  })
}

function expectObserved(performed: Performed, wanted: { readonly [K in keyof ObservedResource]?: unknown }): void {
  expect(performed.observed).toMatchObject(wanted)
  if (typeof wanted.fields === 'object') expect(performed.observed?.fields).toEqual(wanted.fields)
}
