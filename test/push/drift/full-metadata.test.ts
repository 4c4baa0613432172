// Objects with as many metadata keys as the processor allows: they have no room for the ownership mark.
import { describe, expect, it } from 'vitest'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { sharedSandbox } from '../../support/shared-sandbox.ts'
import { nobody, startStack } from '../../support/stack.ts'
import { startedForEach } from '../../support/started.ts'

const { sandbox } = sharedSandbox()
const stack = startedForEach(() => startStack({ sandbox }))

const keys = (number: number) =>
  Object.fromEntries(Array.from({ length: number }, (_, place) => [`key ${String(place)}`, 'value']))
const shop = (metadata: Record<string, string>, amount = 1200): BillingConfig => ({
  version: '1.0.0',
  products: [
    {
      id: 'pro',
      name: 'Pro',
      metadata,
      prices: [{ id: 'monthly', amount, currency: 'eur', interval: 'month', metadata }],
    },
  ],
})
const marks = async () => {
  const { product, price } = await stack.snapshot()
  return [...product, ...price.filter(({ active }) => active)].map(({ mark }) => mark)
}

describe('an object for which the document sets all 50 metadata keys', () => {
  it('is created, kept, replaced and archived without Ratecard’s own metadata, and the plan contains a warning about that', async () => {
    const { service } = stack
    const { warnings } = await service.push(shop(keys(50)), nobody)
    expect(warnings.map(({ code, pointer }) => [code, pointer])).toEqual([
      ['no_room_for_mark', '#/products/0'],
      ['no_room_for_mark', '#/products/0/prices/0'],
    ])
    expect(await marks()).toEqual([null, null])
    expect((await service.push(shop(keys(50)), nobody)).status).toBe('unchanged')
    expect((await service.drift()).inSync).toBe(true)
    await service.push(shop(keys(50), 1500), nobody)
    expect((await stack.snapshot()).price.map(({ active, fields }) => [active, fields.unitAmount])).toEqual([
      [true, '1500'],
      [false, '1200'],
    ])
    await service.reset({ ...nobody, scope: 'managed' })
    expect((await stack.snapshot()).product.map(({ active }) => active)).toEqual([false])
  })

  it('loses Ratecard’s own metadata when the document needs all keys, and gets Ratecard’s metadata back when keys are free again', async () => {
    const { service } = stack
    await service.push(shop(keys(49)), nobody)
    expect(await marks()).toEqual(['pro', 'monthly'])
    await service.push(shop(keys(50)), nobody)
    expect(await marks()).toEqual([null, null])
    expect((await service.push(shop(keys(50)), nobody)).status).toBe('unchanged')
    await service.push(shop(keys(49)), nobody)
    expect(await marks()).toEqual(['pro', 'monthly'])
  })

  it('is adopted without a write at the processor', async () => {
    const { service, stripe } = stack
    const { id } = await stripe.products.create({ name: 'Theirs', metadata: keys(50) })
    const before = await stripe.products.retrieve(id)
    const { document } = await service.pull()
    const { warnings, details } = await service.push(document, nobody)
    expect(details.map(({ action }) => action)).toEqual(['adopt'])
    expect(warnings.map(({ code }) => code)).toEqual(['no_room_for_mark'])
    expect(await stripe.products.retrieve(id)).toEqual(before)
    expect((await service.push(document, nobody)).status).toBe('unchanged')
  })
})
