import { expect, describe, it } from 'vitest'
import { processorId } from '../../../../packages/ratecard/src/catalog/resource.ts'
import { processorOf } from '../../../processor/suite/bench.ts'
import { feedOf, mirrorWorld } from '../mirror-world.ts'

async function discounted() {
  const world = await mirrorWorld()
  const { stripe } = world
  const price = await world.monthly(1000)
  const half = await stripe.coupons.create({ percent_off: 50, duration: 'forever' })
  const dollar = await stripe.coupons.create({ amount_off: 100, currency: 'usd', duration: 'forever' })
  const { id } = await stripe.subscriptions.create({
    customer: world.customer,
    items: [{ price: price.id, discounts: [{ coupon: dollar.id }] }],
    discounts: [{ coupon: half.id }],
  })
  const remove = () => Promise.all([half, dollar].map((coupon) => stripe.coupons.del(coupon.id)))
  /** The feed of a new process, which has read no coupon yet. */
  const restarted = () => feedOf({ ...world, processor: processorOf(world) })
  return { ...world, id, remove, restarted }
}

describe('the discounts of a coupon that was deleted at the processor', () => {
  it('keep the terms that were read before the coupon’s deletion, also in a new process', async () => {
    const world = await discounted()
    await world.fill()
    await world.settle()
    const before = await world.subscription(world.id)
    expect(before?.discounts).toMatchObject([{ duration: 'forever', percentOff: '50' }])
    expect(before?.items[0]?.discounts).toMatchObject([{ duration: 'forever', amountOff: { usd: 100 } }])
    await world.remove()
    await world.stripe.subscriptions.update(world.id, { cancel_at_period_end: true })
    const second = world.restarted()
    await second.settle()
    expect(await second.subscription(world.id)).toEqual({
      ...before,
      cancelAtPeriodEnd: true,
      cancelAt: expect.any(Number) as number,
      canceledAt: expect.any(Number) as number,
    })
    expect((await world.store.mirror.standing(processorId(world.customer)))?.monthly).toEqual({ usd: '450' })
  })

  it('are not counted as differences by the comparison', async () => {
    const world = await discounted()
    await world.fill()
    await world.settle()
    const before = await world.subscription(world.id)
    await world.remove()
    const second = world.restarted()
    expect(await second.compared()).toBe(0)
    expect(await second.subscription(world.id)).toEqual(before)
  })

  it('reduce no amount if the coupon was deleted before the mirror was first filled', async () => {
    const world = await discounted()
    await world.remove()
    await world.fill()
    await world.settle()
    expect((await world.subscription(world.id))?.discounts).toMatchObject([{ duration: null, percentOff: null }])
    expect((await world.store.mirror.standing(processorId(world.customer)))?.monthly).toEqual({ usd: '1000' })
  })
})
