import { describe, expect, it } from 'vitest'
import { processorId } from '../../../packages/ratecard/src/catalog/resource.ts'
import { archive, createMeter, createPrice, createProduct, update } from './steps.ts'
import { expectObserved, type Tools } from './tools.ts'

export function productRules(tools: Tools): void {
  const { id, perform, locate, make } = tools

  describe('products at the processor', () => {
    it('are created under the id that Ratecard chooses, with their configuration id in the metadata, and can be looked up', async () => {
      const step = createProduct(id('p_new'), { description: 'All of it', metadata: { team: 'core' } })
      const made = await perform(step)
      expect(made.processorId).toBe(step.id)
      expect(made.requestId).toMatch(/^req_/)
      expectObserved(made, { fields: step.fields, mark: step.configId, active: true })
      expect((await locate(step))?.processorId).toBe(step.id)
    })

    it('are not found before they exist, nor if the existing object differs from the expected object', async () => {
      const step = createProduct(id('p_absent'))
      expect(await locate(step)).toBeNull()
      await perform(step)
      expect(await locate({ ...step, fields: { ...step.fields, name: 'Another' } })).toBeNull()
    })

    it('are updated in place: empty fields are cleared, and missing metadata keys are removed', async () => {
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

    it('lose their default price when archived, and are reactivated without a default price', async () => {
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

    it('can lose their default price', async () => {
      const target = await make(createProduct(id('p_def')))
      const price = await make(createPrice(id('p_def_m'), target))
      await perform(update('product', id('p_def'), target, { set: { defaultPrice: price } }))
      const cleared = await perform(update('product', id('p_def'), target, { set: { defaultPrice: null } }))
      expectObserved(cleared, { fields: expect.objectContaining({ defaultPrice: null }) })
    })

    it('cannot have a fixed field changed, and the refused update sends no request', async () => {
      const target = await make(createProduct(id('p_type')))
      const change = update('product', id('p_type'), target, { set: { type: 'good' } })
      await expect(perform(change)).rejects.toThrow(/type of a product cannot be changed/)
    })
  })

  describe('prices at the processor', () => {
    it('get the lookup key of their plan step, and lose the key to the price that replaces them', async () => {
      const product = await make(createProduct(id('pr_key')))
      const first = createPrice(id('pr_key_m'), product)
      const made = await perform(first)
      expectObserved(made, { fields: first.fields, mark: first.configId })
      expect((await locate(first))?.processorId).toBe(made.processorId)
      const second = createPrice(id('pr_key_m'), product, { unitAmount: '1400' })
      expect(await locate(second)).toBeNull()
      const successor = await perform(second)
      expect(successor.processorId).not.toBe(made.processorId)
      expect((await locate(second))?.processorId).toBe(successor.processorId)
      expect(await locate(first)).toBeNull()
      const back = update('price', id('pr_key_m'), made.processorId, { set: { lookupKey: first.fields.lookupKey } })
      expectObserved(await perform(back), { fields: first.fields })
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

    it('get a tax behavior only once, and can be archived and reactivated', async () => {
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

    it('are rejected with the processor’s error if their product is unknown', async () => {
      const refused = perform(createPrice(id('pr_orphan'), processorId(id('rc_nowhere'))))
      await expect(refused).rejects.toMatchObject({
        kind: 'rejected',
        outcomeUnknown: false,
        original: { type: 'invalid_request_error', code: 'resource_missing', param: 'product' },
      })
    })
  })

  describe('meters at the processor', () => {
    it('can be created, renamed, deactivated and reactivated, and are found without metadata', async () => {
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
}
