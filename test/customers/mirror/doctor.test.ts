import { describe, expect, it } from 'vitest'
import { checkMirror } from '../../../packages/ratecard/src/server/health/mirror-check.ts'
import { createMirror } from '../../../packages/ratecard/src/customers/mirror/mirror.ts'
import { eagerFeeder, mirrorWorld, patience } from './mirror-world.ts'

const minute = 60_000

async function checkedWorld() {
  const world = await mirrorWorld()
  const { store, clock } = world
  const mirror = createMirror({ store: store.mirror, clock })
  const check = () => checkMirror({ store, mirror, clock, delivered: () => Promise.resolve(true) })
  const start = () => {
    const feeder = eagerFeeder(world)
    feeder.start()
    return feeder
  }
  const filled = async () => {
    await world.fill()
    await world.settle()
    await store.mirror.setState({ beganAt: clock.now() })
  }
  return { ...world, check, start, filled }
}

describe('the doctor’s finding about the mirror', () => {
  it('names the last failure while the mirror cannot be filled, and disappears once events can be read', async () => {
    const world = await checkedWorld()
    world.control.fail({ kind: 'error_before', path: '/v1/invoices', count: null })
    world.start()
    await expect.poll(async () => (await world.check()).detail, patience).toContain('The feed failed at ')
    const { status, detail } = await world.check()
    expect(status).toBe('warning')
    expect(detail).toMatch(/^The mirror is being filled: \d+ objects so far\. The feed failed at \S+Z: \S/)
    world.control.clearFaults()
    await expect.poll(async () => (await world.check()).detail, patience).toMatch(/^complete until \S+$/)
  })

  it('names the oldest unread object and the last failure to read events while the mirror is behind', async () => {
    const world = await checkedWorld()
    const { id } = await world.subscribed(await world.monthly(1500))
    await world.filled()
    const since = world.clock.now()
    world.control.fail({ kind: 'error_before', path: `/v1/subscriptions/${id}`, method: 'GET', count: null })
    await world.stripe.subscriptions.cancel(id)
    await world.settle()
    world.control.fail({ kind: 'error_before', path: '/v1/events', count: null })
    const feeder = world.start()
    await expect.poll(async () => await world.store.facts.get('mirror_error'), patience).not.toBeNull()
    await feeder.stop()
    world.clock.advance(6 * minute)
    const { status, detail } = await world.check()
    expect(status).toBe('warning')
    expect(detail).toContain('mirror_behind: ')
    expect(detail).toContain(`Not read yet: subscription ${id} (`)
    expect(detail).toContain(`since ${new Date(Math.floor(since / 1000) * 1000).toISOString()}`)
    expect(detail).toContain(' The feed failed at ')
  })

  it('names objects that cannot be read, even if the mirror is not behind', async () => {
    const world = await checkedWorld()
    await world.filled()
    const ids = ['in_1', 'in_2', 'in_3', 'in_4', 'in_5', 'in_6']
    for (const [index, id] of ids.entries()) {
      const ref = { kind: 'invoice', id } as const
      await world.store.mirror.markStale([{ ...ref, since: index }])
      const failed = { attempts: 1, retryAt: 0, skipped: true, error: 'it has no status' }
      await world.store.mirror.failRead(ref, failed)
    }
    const { status, detail } = await world.check()
    expect(status).toBe('warning')
    expect(detail).toMatch(
      /^The mirror lacks changes of 6 objects that cannot be read: invoice in_1 \(it has no status\); /,
    )
    expect(detail).toMatch(/; and 1 more$/)
  })
})
