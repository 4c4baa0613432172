import { describe, expect, it } from 'vitest'
import { archive, createWebhook, update } from './steps.ts'
import { expectObserved, type Tools } from './tools.ts'

export function webhookRules(tools: Tools): void {
  const { signal, id, perform, locate, make } = tools

  describe('webhooks at the processor', () => {
    it('return their signing secret only at creation', async () => {
      const step = createWebhook(id('w_secret'), {
        events: ['charge.refunded', 'invoice.paid'],
        description: 'Books',
      })
      const made = await perform(step)
      expect(made.secret).toMatch(/^whsec_/)
      expectObserved(made, { fields: step.fields, mark: step.configId, active: true })
      const seen = [made.observed, await locate(step), await tools.bench.processor.snapshot({ signal })]
      expect(JSON.stringify(seen)).not.toContain(made.secret)
      expect((await locate(step))?.secret).toBeNull()
      await tools.bench.processor.discardWebhook(made.processorId, { idempotencyKey: id('w1'), signal })
    })

    it('are updated in place, disabled and enabled', async () => {
      const target = await make(createWebhook(id('w_life'), { description: 'Old' }))
      const stop = archive('webhook', id('w_life'), target)
      expectObserved(await perform(stop), { active: false })
      expect(await locate(stop)).not.toBeNull()
      const set = { url: `https://example.com/${id('w_new')}`, events: ['customer.created'], description: '' }
      const wake = update('webhook', id('w_life'), target, { set, activate: true })
      expectObserved(await perform(wake), {
        active: true,
        fields: { ...set, connect: false, apiVersion: '2025-03-31.basil', metadata: {} },
      })
      await tools.bench.processor.discardWebhook(target, { idempotencyKey: id('w2'), signal })
    })

    it('can be deleted, even if the deletion is retried', async () => {
      const step = createWebhook(id('w_discard'))
      const target = await make(step)
      await tools.bench.processor.discardWebhook(target, { idempotencyKey: id('w3'), signal })
      expect(await locate(step)).toBeNull()
      await tools.bench.processor.discardWebhook(target, { idempotencyKey: id('w4'), signal })
    })
  })
}
