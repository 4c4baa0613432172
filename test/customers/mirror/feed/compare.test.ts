// The nightly comparison with the real parts: it corrects, resumes, and leaves the feed running.
import type Stripe from 'stripe'
import { describe, expect, it } from 'vitest'
import { pushLease } from '../../../../packages/ratecard/src/acts/lease.ts'
import { beginComparison } from '../../../../packages/ratecard/src/customers/mirror/feed/compare.ts'
import { mirroredKinds } from '../../../../packages/ratecard/src/processor/mirrored.ts'
import type { Processor } from '../../../../packages/ratecard/src/processor/processor.ts'
import { processorId } from '../../../../packages/ratecard/src/catalog/resource.ts'
import { rewritingProxy } from '../../../support/programs/rewriting-proxy.ts'
import { processorOf } from '../../../processor/suite/bench.ts'
import { eagerFeeder, expectEqualToListing, feedOf, mirrorWorld, paths, patience } from '../mirror-world.ts'
import type { MirrorWorld } from '../mirror-world.ts'

describe('the full comparison of the mirror', () => {
  async function filled(): Promise<MirrorWorld & { id: string }> {
    const world = await mirrorWorld()
    const { id } = await world.subscribed(await world.monthly(1500))
    await world.fill()
    await world.settle()
    return { ...world, id }
  }

  it('corrects an object of the mirror that differs, and counts the difference', async () => {
    const world = await filled()
    const wrong = await world.subscription(world.id)
    if (wrong === null) throw new Error('not mirrored')
    const { mirror } = world.store
    await mirror.save('subscription', [{ ...wrong, status: 'past_due' }], await mirror.beginRead())
    expect(await world.compared()).toBe(1)
    expect(await mirror.state()).toMatchObject({ corrections: 1 })
    await expectEqualToListing(world)
  })

  it('removes an object that the processor does not have, and counts the difference', async () => {
    const world = await filled()
    const { mirror } = world.store
    const known = await mirror.find('customer', world.customer)
    if (known === null) throw new Error('not mirrored')
    await mirror.save('customer', [{ ...known, id: processorId('cus_never') }], await mirror.beginRead())
    expect(await world.compared()).toBe(1)
    await expectEqualToListing(world)
  })

  it('polls events and reads stale objects while it waits for a running push', async () => {
    const world = await filled()
    // As if the push never ended: the comparison lists nothing meanwhile.
    const released = Promise.withResolvers<null>()
    const pushing = world.store.exclusively(pushLease, () => released.promise)
    await beginComparison(world.deps)
    await world.store.mirror.setState({ beganAt: world.clock.now() })
    eagerFeeder(world).start()
    await world.stripe.subscriptions.cancel(world.id)
    await expect.poll(async () => (await world.subscription(world.id))?.status, patience).toBe('canceled')
    expect((await world.store.mirror.state())?.comparing).not.toBeNull()
    released.resolve(null)
    await pushing
    await expect.poll(async () => (await world.store.mirror.state())?.comparing, patience).toBeNull()
  })

  /** Compares with a feeder, and returns the places in its order of requests, where a page does not follow a poll. */
  async function pagesWithoutPoll(world: MirrorWorld, options?: Parameters<typeof eagerFeeder>[1]) {
    const order: string[] = []
    const processor: Processor = {
      ...world.processor,
      events: (query, signal) => {
        order.push('poll')
        return world.processor.events(query, signal)
      },
      mirrorPage: (kind, after, signal) => {
        order.push(kind)
        return world.processor.mirrorPage(kind, after, signal)
      },
    }
    await beginComparison(world.deps)
    eagerFeeder({ ...world, deps: { ...world.deps, processor } }, options).start()
    await expect.poll(async () => (await world.store.mirror.state())?.comparing, patience).toBeNull()
    expect(new Set(order)).toEqual(new Set(['poll', ...mirroredKinds]))
    return order.filter((place, index) => place !== 'poll' && order[index - 1] !== 'poll')
  }

  it('polls events after each page of objects', async () => {
    expect(await pagesWithoutPoll(await filled())).toEqual([])
  })

  it('reads pages no more often than events are polled once most of the account’s read quota is used', async () => {
    const world = await filled()
    await world.store.mirror.addReads(Math.floor(world.clock.now() / 86_400_000), 9_000)
    expect(await pagesWithoutPoll(world, { pollMs: 100, limited: true })).toEqual([])
  })

  it('is retried if a list cannot be read, and events are still processed meanwhile', async () => {
    const world = await filled()
    const { mirror } = world.store
    world.control.fail({ kind: 'error_before', path: '/v1/refunds', count: null })
    await beginComparison(world.deps)
    await mirror.setState({ beganAt: world.clock.now() })
    const reports: string[] = []
    const report = (_error: unknown, what: string) => reports.push(what)
    eagerFeeder({ ...world, deps: { ...world.deps, report } }).start()
    await expect.poll(() => reports, patience).toContain('a page of the comparison failed and is retried')
    await world.stripe.subscriptions.cancel(world.id)
    await expect.poll(async () => (await world.subscription(world.id))?.status, patience).toBe('canceled')
    expect((await mirror.state())?.comparing).toMatchObject({ kind: 'refund' })
    expect(reports).not.toContain('the feed failed and is retried')
    world.control.clearFaults()
    await expect.poll(async () => (await mirror.state())?.comparing, patience).toBeNull()
    expect(await mirror.state()).toMatchObject({ corrections: 0 })
  })

  it('continues after an interruption, and keeps its count of differences', async () => {
    const world = await filled()
    const wrong = await world.subscription(world.id)
    if (wrong === null) throw new Error('not mirrored')
    const { mirror } = world.store
    await mirror.save('subscription', [{ ...wrong, status: 'past_due' }], await mirror.beginRead())
    world.control.fail({ kind: 'error_before', path: '/v1/refunds', count: null })
    await expect(world.compared()).rejects.toThrow()
    world.control.clearFaults()
    const before = paths(world).length
    eagerFeeder(world).start()
    await expect.poll(async () => (await mirror.state())?.comparing, patience).toBeNull()
    expect(paths(world).slice(before)).not.toContain('/v1/subscriptions')
    expect(paths(world).slice(before)).toContain('/v1/refunds')
    expect(await mirror.state()).toMatchObject({ corrections: 1 })
    await expectEqualToListing(world)
  })

  it('ignores the URL of an invoice, because the processor generates a new URL for each response', async () => {
    const world = await filled()
    const proxy = await rewritingProxy(world.port)
    proxy.rewrite(({ path, body, index }) => {
      if (path !== '/v1/invoices') return body
      const list = body as Stripe.ApiList<Stripe.Invoice>
      const url = `https://invoice.example.com/${String(index)}`
      return { ...list, data: list.data.map((invoice) => ({ ...invoice, hosted_invoice_url: url })) }
    })
    const second = feedOf({ ...world, processor: processorOf(world, { apiBase: proxy.url }) })
    expect(await second.compared()).toBe(0)
    const [invoice] = (await second.mirrored()).invoice
    expect(invoice).toHaveProperty('url', expect.stringContaining('https://invoice.example.com/'))
  })

  it('does not count a difference if the event of that change has arrived in the meantime', async () => {
    const world = await filled()
    await world.stripe.subscriptions.cancel(world.id)
    expect(await world.compared()).toBe(0)
    await expectEqualToListing(world)
  })
})
