import { describe, expect, it } from 'vitest'
import { mirrorWorld } from './mirror-world.ts'

describe('the feed of the mirror', () => {
  it('holds everything that the processor lists once it is filled', async () => {
    const world = await mirrorWorld()
    const price = await world.monthly(1500)
    await world.subscribed(price)
    await world.fill()
    await world.settle()
    const copy = await world.mirrored()
    expect(copy.subscription).toHaveLength(1)
    expect(copy.invoice).toHaveLength(1)
    expect(copy).toEqual(await world.listed())
  })

  it('follows a change that an event announces', async () => {
    const world = await mirrorWorld()
    const { id } = await world.subscribed(await world.monthly(1500))
    await world.fill()
    await world.stripe.subscriptions.cancel(id)
    await world.settle()
    expect(await world.subscription(id)).toMatchObject({ status: 'canceled' })
    expect(await world.mirrored()).toEqual(await world.listed())
  })
})
