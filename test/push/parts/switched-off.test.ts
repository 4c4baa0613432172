// "A leaked code was switched off in the dashboard, and the next deployment switched it on again." In Ratecard it stays off, and the push
// reports it.
import { expect, test } from 'vitest'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { nobody, startStack } from '../../support/stack.ts'

const shop = (version = '1.0.0', name = 'Pro'): BillingConfig => ({
  version,
  products: [{ id: 'pro', name, prices: [{ id: 'pro_monthly', amount: 1000, currency: 'usd', interval: 'month' }] }],
  coupons: [{ id: 'ten', percent_off: 10, duration: 'once' }],
  promotion_codes: [{ id: 'leaked', code: 'LEAKED', coupon: 'ten' }],
  webhooks: [{ id: 'hook', url: 'https://hooks.example.test/billing', events: ['invoice.paid'] }],
})

test('a promotion code and a webhook that were deactivated at the processor stay inactive, do not stop a push, and are restored only on request', async () => {
  const stack = await startStack()
  try {
    const { service, stripe } = stack
    await service.push(shop(), nobody)
    const [code] = (await stripe.promotionCodes.list({ code: 'LEAKED' })).data
    const [hook] = (await stripe.webhookEndpoints.list()).data
    await stripe.promotionCodes.update(code?.id ?? '', { active: false })
    await stripe.webhookEndpoints.update(hook?.id ?? '', { disabled: true })
    const off = async () => [
      (await stripe.promotionCodes.retrieve(code?.id ?? '')).active,
      (await stripe.webhookEndpoints.retrieve(hook?.id ?? '')).status,
    ]

    expect((await service.drift()).differences.map(({ configId, because }) => [configId, because])).toEqual([
      ['leaked', ['active']],
      ['hook', ['active']],
    ])
    const pushed = await service.push(shop('1.1.0', 'Professional'), nobody)
    expect(pushed.warnings.map((warning) => warning.code)).toEqual([
      'switched_off_at_processor',
      'switched_off_at_processor',
    ])
    expect(pushed.changes).toMatchObject({ products: { updated: ['pro'] }, promotion_codes: { updated: [] } })
    expect(await off()).toEqual([false, 'disabled'])
    expect((await service.push(shop('1.1.0', 'Professional'), nobody)).status).toBe('unchanged')

    // The live values, as `pull --update` writes them into the files.
    expect((await service.pull()).document.promotion_codes).toMatchObject([{ id: 'leaked', active: false }])

    const forced = await service.push(shop('1.1.0', 'Professional'), { ...nobody, force: true })
    expect(forced.warnings.map((warning) => warning.code)).toEqual(['switched_on_again', 'switched_on_again'])
    expect(await off()).toEqual([true, 'enabled'])
  } finally {
    await stack.close()
  }
})
