// Typical errors of mirrors, each as a test: in the end the copy equals the processor's lists, whatever the order of events.
import type Stripe from 'stripe'
import { describe, expect, it } from 'vitest'
import { pushLease } from '../../../../packages/ratecard/src/acts/lease.ts'
import { ensureState, fill } from '../../../../packages/ratecard/src/customers/mirror/feed/fill.ts'
import { withOwnActs } from '../../../../packages/ratecard/src/customers/mirror/feed/own-acts.ts'
import { CursorLost, pollEvents } from '../../../../packages/ratecard/src/customers/mirror/feed/poll.ts'
import { createMirror } from '../../../../packages/ratecard/src/customers/mirror/mirror.ts'
import { mirroredKinds } from '../../../../packages/ratecard/src/processor/mirrored.ts'
import type { SentRequest } from '../../../../packages/ratecard/src/processor/write-options.ts'
import { processorId } from '../../../../packages/ratecard/src/catalog/resource.ts'
import { rewritingProxy } from '../../../support/programs/rewriting-proxy.ts'
import { inFile } from '../../../support/stores/store.ts'
import { processorOf } from '../../../processor/suite/bench.ts'
import { eagerFeeder, expectEqualToListing, feedOf, mirrorWorld, paths, patience } from '../mirror-world.ts'

const minute = 60_000

describe('the mirror', () => {
  it('contains, once it is filled, everything that the processor lists, including ended subscriptions', async () => {
    const world = await mirrorWorld()
    const price = await world.monthly(1500)
    await world.subscribed(price)
    const ended = await world.subscribed(price)
    await world.stripe.subscriptions.cancel(ended.id)
    await world.fill()
    await world.settle()
    const copy = await world.mirrored()
    expect(copy.subscription).toHaveLength(2)
    expect(copy.invoice).toHaveLength(2)
    await expectEqualToListing(world)
  })

  it('contains the later of two changes that were made within one second', async () => {
    const world = await mirrorWorld()
    const { id, items } = await world.subscribed(await world.monthly(1500))
    await world.fill()
    const quantity = (amount: number) =>
      world.stripe.subscriptions.update(id, { items: [{ id: items.data[0]?.id ?? '', quantity: amount }] })
    await quantity(2)
    await world.settle()
    expect((await world.subscription(id))?.items[0]?.quantity).toBe(2)
    await quantity(3)
    await world.settle()
    expect((await world.subscription(id))?.items[0]?.quantity).toBe(3)
  })

  it('does not replace a newer state by a page that was read earlier and saved later', async () => {
    const world = await mirrorWorld()
    const { id } = await world.subscribed(await world.monthly(1500))
    await world.fill()
    const begun = await world.store.mirror.beginRead()
    const page = await world.processor.mirrorPage('subscription', null, world.signal)
    await world.stripe.subscriptions.cancel(id)
    await world.settle()
    await world.store.mirror.save('subscription', page.objects, begun)
    expect(await world.subscription(id)).toMatchObject({ status: 'canceled' })
    await world.settle()
    await expectEqualToListing(world)
  })

  it('contains changes made during the fill, even if the fill failed once and continued', async () => {
    const world = await mirrorWorld()
    const price = await world.monthly(1500)
    const { id } = await world.subscribed(price)
    const mirror = createMirror({ store: world.store.mirror, clock: world.clock })
    world.control.fail({ kind: 'error_before', path: '/v1/credit_notes', count: null })
    await expect(world.fill()).rejects.toThrow()
    expect(await mirror.status()).toMatchObject({ state: 'filling', asOf: null })
    await expect(mirror.require()).rejects.toMatchObject({ code: 'mirror_filling', retryAfter: 5 })
    await world.stripe.subscriptions.cancel(id)
    await world.subscribed(price)
    world.control.clearFaults()
    const before = paths(world).length
    await world.fill()
    expect(paths(world).slice(before)).not.toContain('/v1/subscriptions')
    await world.settle()
    await expectEqualToListing(world)
  })

  it('is filled at a lower rate once most of the account’s read quota is used', async () => {
    const world = await mirrorWorld()
    await world.store.mirror.addReads(Math.floor(world.clock.now() / 86_400_000), 9_000)
    const mirror = createMirror({ store: world.store.mirror, clock: world.clock })
    const began = performance.now()
    // With half of the slow part of the allocation left, the interval is twice as long.
    eagerFeeder(world, { pollMs: 200, limited: true }).start()
    await expect.poll(async () => (await mirror.status()).state, patience).toBe('ready')
    expect(performance.now() - began).toBeGreaterThan(400 * mirroredKinds.length)
  })

  it('is ready after the fill, once all later events are processed and no object is stale', async () => {
    const world = await mirrorWorld()
    await world.subscribed(await world.monthly(1500))
    const mirror = createMirror({ store: world.store.mirror, clock: world.clock })
    expect(await mirror.status()).toEqual({ state: 'filling', asOf: null, stale: false, filled: 0 })
    eagerFeeder(world).start()
    await expect.poll(async () => (await mirror.status()).state).toBe('ready')
    await expectEqualToListing(world)
    expect(await mirror.require()).toEqual({ asOf: world.clock.now(), stale: false })
  })

  it('is stale if its last successful poll is more than five minutes old', async () => {
    const world = await mirrorWorld()
    const mirror = createMirror({ store: world.store.mirror, clock: world.clock })
    const feeder = eagerFeeder(world)
    feeder.start()
    await expect.poll(async () => (await mirror.status()).state).toBe('ready')
    await feeder.stop()
    const { asOf } = await mirror.require()
    world.clock.advance(5 * minute)
    expect(await mirror.require()).toEqual({ asOf, stale: false })
    world.clock.advance(1)
    expect(await mirror.require()).toEqual({ asOf, stale: true })
  })

  it('is not reported as current while an object in it is stale, even if the processor’s clock is ahead', async () => {
    const world = await mirrorWorld()
    const { id } = await world.subscribed(await world.monthly(1500))
    const clock = { now: () => world.clock.now() - 60 * minute }
    const feed = feedOf({ store: world.store, processor: world.processor, clock })
    const mirror = createMirror({ store: world.store.mirror, clock })
    await feed.fill()
    await feed.settle()
    await world.store.mirror.setState({ beganAt: clock.now() })
    const { asOf } = await mirror.require()
    world.clock.advance(minute)
    await world.stripe.subscriptions.update(id, { metadata: { seats: '2' } })
    await pollEvents(feed.deps, new Set(), world.signal)
    expect(await mirror.require()).toMatchObject({ asOf })
    await feed.settle()
    expect(await mirror.require()).toMatchObject({ asOf: asOf + minute })
  })

  it('is filled by a new process from the point where the former process stopped', async () => {
    const place = await inFile()
    const world = await mirrorWorld({ store: await place.open() })
    await world.subscribed(await world.monthly(1500))
    const cut = new AbortController()
    world.control.fail({
      kind: 'latency',
      latencyMs: 1,
      path: '/v1/customers',
      onStrike: () => {
        cut.abort(new Error('killed'))
      },
    })
    await ensureState(world.deps, cut.signal)
    await expect(fill(world.deps, cut.signal)).rejects.toThrow('killed')
    const { control, clock, processor } = world
    const second = feedOf({ store: await place.open(), processor, clock })
    const before = control.requests().length
    await second.fill()
    await second.settle()
    expect(
      control
        .requests()
        .slice(before)
        .map(({ path }) => path),
    ).not.toContain('/v1/invoices')
    await expectEqualToListing(second)
  })

  it('is updated by one of two replicas, and by the other one once the first has ended', async () => {
    const place = await inFile()
    const world = await mirrorWorld({ store: await place.open() })
    const { id } = await world.subscribed(await world.monthly(1500))
    const sent = [0, 0]
    const replicas = [0, 1].map((index) => ({
      count: () => sent[index] ?? 0,
      onRequest: ({ access }: SentRequest) => {
        if (access === 'read') sent[index] = (sent[index] ?? 0) + 1
      },
    }))
    const feeders = []
    for (const { onRequest } of replicas) {
      const processor = processorOf(world, { onRequest })
      const feed = feedOf({ store: await place.open(), processor, clock: world.clock })
      feeders.push(eagerFeeder({ ...feed, clock: world.clock }))
    }
    for (const feeder of feeders) feeder.start()
    const status = () => createMirror({ store: world.store.mirror, clock: world.clock }).status()
    await expect.poll(async () => (await status()).state).toBe('ready')
    const idle = sent.indexOf(0)
    expect(sent.filter((count) => count === 0)).toHaveLength(1)
    await feeders[1 - idle]?.stop()
    await world.stripe.subscriptions.cancel(id)
    await expect.poll(async () => (await world.subscription(id))?.status).toBe('canceled')
    expect(sent[idle]).toBeGreaterThan(0)
  })

  it('reads no lists while a push runs', async () => {
    const world = await mirrorWorld()
    const order: string[] = []
    const processor = processorOf(world, { onRequest: () => order.push('read') })
    const feed = feedOf({ store: world.store, processor, clock: world.clock })
    await ensureState(feed.deps, world.signal)
    order.length = 0
    let filling: Promise<void> | undefined
    await world.store.exclusively(pushLease, async () => {
      filling = fill(feed.deps, world.signal)
      // The fill would renew its lease several times in this time.
      for (let index = 0; index < 20; index++) await world.store.held(pushLease)
      order.push('pushed')
    })
    await filling
    expect(order[0]).toBe('pushed')
    expect(order).toContain('read')
  })

  it('reads an object once for several events', async () => {
    const world = await mirrorWorld()
    const { id } = await world.subscribed(await world.monthly(1500))
    await world.fill()
    await world.settle()
    for (let index = 0; index < 5; index++)
      await world.stripe.subscriptions.update(id, { metadata: { index: String(index) } })
    const before = paths(world).length
    await world.settle()
    expect(
      paths(world)
        .slice(before)
        .filter((path) => path === `/v1/subscriptions/${id}`),
    ).toHaveLength(1)
  })

  it('reads a price itself if the subscription does not contain it', async () => {
    const world = await mirrorWorld()
    await world.fill()
    const price = await world.monthly(1500)
    await world.subscribed(price)
    // Removes the price from the mirror, as if its event had not been sent.
    await world.settle()
    await world.store.mirror.remove('price', [price.id], await world.store.mirror.beginRead())
    await world.stripe.subscriptions.create({ customer: world.customer, items: [{ price: price.id }] })
    await world.settle()
    expect(await world.store.mirror.find('price', price.id)).toMatchObject({ id: price.id })
  })

  it('continues with the other objects if one object cannot be read, and reads that object again later', async () => {
    const world = await mirrorWorld()
    const price = await world.monthly(1500)
    const [first, second] = [await world.subscribed(price), await world.subscribed(price)]
    await world.fill()
    world.control.fail({ kind: 'error_before', path: `/v1/subscriptions/${first.id}`, method: 'GET', count: null })
    for (const { id } of [first, second]) await world.stripe.subscriptions.cancel(id)
    await world.settle()
    expect(await world.subscription(second.id)).toMatchObject({ status: 'canceled' })
    expect(await world.subscription(first.id)).toMatchObject({ status: 'active' })
    expect(world.reports.join()).toContain(first.id)
    expect(await world.store.mirror.oldestStale()).not.toBeNull()
    world.control.clearFaults()
    world.clock.advance(minute)
    await world.settle()
    await expectEqualToListing(world)
  })

  it('polls with one request while nothing happens', async () => {
    const world = await mirrorWorld()
    await world.fill()
    await world.subscribed(await world.monthly(1500))
    await world.settle()
    // The newest events are part of this response again.
    const before = paths(world).length
    await world.settle()
    expect(paths(world).slice(before)).toEqual(['/v1/events'])
  })

  it('polls an account without any events with one request', async () => {
    const world = await mirrorWorld()
    const feed = feedOf({ ...world, processor: processorOf(world, { secretKey: 'sk_test_empty' }) })
    await feed.fill()
    const before = paths(world).length
    await feed.settle()
    expect(paths(world).slice(before)).toEqual(['/v1/events'])
  })

  it('reads all events of an account that had no events at first, however many there are', async () => {
    const world = await mirrorWorld()
    const empty = processorOf(world, { secretKey: 'sk_test_empty' })
    const feed = feedOf({ store: world.store, processor: empty, clock: world.clock })
    const stripe = world.clientOf('sk_test_empty')
    await feed.fill()
    for (let index = 0; index < 120; index++) await stripe.customers.create({ name: `n${String(index)}` })
    await feed.settle()
    expect((await feed.mirrored()).customer).toHaveLength(120)
  })
})

describe('an event that appears in the processor’s list after a newer event', () => {
  it('is read by a later poll', async () => {
    const shop = await mirrorWorld()
    const { id } = await shop.subscribed(await shop.monthly(1500))
    const proxy = await rewritingProxy(shop.port)
    const feed = feedOf({ store: shop.store, processor: processorOf(shop, { apiBase: proxy.url }), clock: shop.clock })
    await feed.fill()
    await shop.stripe.subscriptions.cancel(id)
    await shop.stripe.customers.create({ name: 'newer' })
    const about = (event: Stripe.Event) => (event.data.object as { id?: string }).id
    proxy.rewrite(({ path, body }) => {
      if (path !== '/v1/events') return body
      const list = body as Stripe.ApiList<Stripe.Event>
      return { ...list, data: list.data.filter((event) => about(event) !== id) }
    })
    await feed.settle()
    expect(await shop.subscription(id)).toMatchObject({ status: 'active' })
    proxy.rewrite(({ body }) => body)
    await feed.settle()
    expect(await shop.subscription(id)).toMatchObject({ status: 'canceled' })
  })
})

describe('a poll for events that the processor has already deleted', () => {
  it('fails, and then all objects are read from the processor again', async () => {
    const world = await mirrorWorld()
    const { id } = await world.subscribed(await world.monthly(1500))
    const feeder = eagerFeeder(world)
    feeder.start()
    const status = () => createMirror({ store: world.store.mirror, clock: world.clock }).status()
    await expect.poll(async () => (await status()).state).toBe('ready')
    await feeder.stop()
    await world.store.mirror.setState({ eventCursor: 'evt_gone' })
    await world.stripe.subscriptions.cancel(id)
    await expect(world.settle()).rejects.toThrow(CursorLost)
    const { asOf } = await status()
    world.clock.advance(minute)
    world.control.fail({ kind: 'error_before', path: '/v1/credit_notes', count: null })
    const failing = eagerFeeder({ ...world, deps: { ...world.deps, report: () => undefined } })
    failing.start()
    await expect.poll(async () => (await world.subscription(id))?.status, patience).toBe('canceled')
    // The copy stays as old as it was until all objects are listed.
    expect(await status()).toMatchObject({ asOf })
    await failing.stop()
    world.control.clearFaults()
    eagerFeeder(world).start()
    await expect.poll(async () => (await status()).asOf, patience).toBe(world.clock.now())
    await expectEqualToListing(world)
  })
})

describe('a change of the processor key to another account', () => {
  it('replaces the whole content of the mirror', async () => {
    const world = await mirrorWorld()
    await world.subscribed(await world.monthly(1500))
    await world.fill()
    const other = feedOf({
      store: world.store,
      processor: processorOf(world, { secretKey: 'sk_test_other' }),
      clock: world.clock,
    })
    await other.fill()
    await other.settle()
    expect((await other.mirrored()).subscription).toEqual([])
  })
})

describe('the service’s own writes', () => {
  it('are in the mirror before the request returns', async () => {
    const world = await mirrorWorld()
    const [from, to] = [await world.monthly(1000), await world.monthly(2000)]
    const { id, items } = await world.subscribed(from)
    await world.fill()
    await world.settle()
    const own = withOwnActs(world.processor, world.deps)
    const writing = (idempotencyKey: string) => ({ idempotencyKey, signal: world.signal })
    const item = items.data[0]?.id ?? ''
    await own.swapItems(id, [{ item, price: processorId(to.id), quantity: 1 }], writing('swap'))
    expect((await world.subscription(id))?.items[0]?.price.id).toBe(to.id)
    const swaps = [{ from: processorId(to.id), to: processorId(from.id) }]
    await own.scheduleSwaps({ subscription: id, swaps }, writing('schedule'))
    expect((await world.subscription(id))?.scheduled).toMatchObject([{ from: to.id, to: from.id }])
    const coupon = await world.stripe.coupons.create({ percent_off: 20, duration: 'forever' })
    const add = { kind: 'coupon', coupon: processorId(coupon.id) } as const
    const given = await own.setDiscounts({ subscription: id, keep: [], add, remove: null }, writing('discount'))
    expect((await world.subscription(id))?.discounts).toMatchObject([{ id: given?.id, coupon: coupon.id }])
  })

  it('succeed even if the mirror cannot read the written object, which the mirror reads later', async () => {
    const world = await mirrorWorld()
    const [from, to] = [await world.monthly(1000), await world.monthly(2000)]
    const { id, items } = await world.subscribed(from)
    await world.fill()
    await world.settle()
    const own = withOwnActs(world.processor, world.deps)
    world.control.fail({ kind: 'error_before', method: 'GET', path: `/v1/subscriptions/${id}`, count: 4 })
    const swap = { item: items.data[0]?.id ?? '', price: processorId(to.id), quantity: 1 }
    await own.swapItems(id, [swap], { idempotencyKey: 'swap', signal: world.signal })
    expect(world.reports).toHaveLength(1)
    await world.settle()
    expect((await world.subscription(id))?.items[0]?.price.id).toBe(to.id)
  })
})
