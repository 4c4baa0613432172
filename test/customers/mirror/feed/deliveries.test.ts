import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createDeliveries } from '../../../../packages/ratecard/src/customers/mirror/feed/deliveries.ts'
import {
  ensureEndpoint,
  eventsPath,
  ownSecrets,
} from '../../../../packages/ratecard/src/customers/mirror/feed/own-endpoint.ts'
import { mirroredEventTypes } from '../../../../packages/ratecard/src/customers/mirror/feed/stale-of-event.ts'
import { mirrorWorld, type MirrorWorld } from '../mirror-world.ts'

const secret = 'whsec_of_an_endpoint_made_by_hand'

interface DeliveryWorld extends MirrorWorld {
  readonly id: string
  /** The event of the latest change, as JSON text. */
  newest(): Promise<string>
  sign(body: string, options?: { readonly with?: string; readonly secondsAgo?: number }): string
  deliver(body: string, signature: string | null): Promise<void>
}

async function deliveryWorld(): Promise<DeliveryWorld> {
  const world = await mirrorWorld()
  const { id } = await world.subscribed(await world.monthly(1500))
  await world.fill()
  await world.settle()
  const deps = { ...world.deps, secrets: () => Promise.resolve(['whsec_another', secret]), onMarked: () => undefined }
  return {
    ...world,
    id,
    newest: async () => JSON.stringify((await world.stripe.events.list({ limit: 1 })).data[0]),
    sign: (payload, { with: key = secret, secondsAgo = 0 } = {}) => {
      const timestamp = Math.floor(world.clock.now() / 1000) - secondsAgo
      return world.stripe.webhooks.generateTestHeaderString({ payload, secret: key, timestamp })
    },
    deliver: createDeliveries(deps),
  }
}

describe('a webhook delivery', () => {
  it('marks the objects of its event as stale before it is acknowledged', async () => {
    const world = await deliveryWorld()
    await world.stripe.subscriptions.cancel(world.id)
    const [event] = (await world.stripe.events.list({ type: 'customer.subscription.deleted' })).data
    const body = JSON.stringify(event)
    await world.deliver(body, world.sign(body))
    expect(await world.store.mirror.stale(10)).toMatchObject([{ kind: 'subscription', id: world.id }])
  })

  it.each([
    ['without a signature', () => null],
    ['with a signature of another text', (world: DeliveryWorld) => world.sign('{}')],
    ['signed with another secret', (world: DeliveryWorld, body: string) => world.sign(body, { with: 'whsec_wrong' })],
    ['signed six minutes ago', (world: DeliveryWorld, body: string) => world.sign(body, { secondsAgo: 360 })],
    ['with a malformed header', () => 'nonsense'],
  ])('%s is refused without a detailed reason, and marks no object as stale', async (_name, signatureOf) => {
    const world = await deliveryWorld()
    await world.stripe.subscriptions.cancel(world.id)
    const body = await world.newest()
    const refused = world.deliver(body, signatureOf(world, body))
    await expect(refused).rejects.toMatchObject({ code: 'delivery_invalid', status: 400 })
    await expect(refused).rejects.toThrow(/^No endpoint of this service signed the event within five minutes\.$/)
    expect(await world.store.mirror.staleCount()).toBe(0)
  })

  it('does not restore an old state if the delivery arrives twice or after a newer change', async () => {
    const world = await deliveryWorld()
    await world.stripe.subscriptions.update(world.id, { metadata: { a: '1' } })
    const late = await world.newest()
    await world.stripe.subscriptions.cancel(world.id)
    await world.settle()
    for (let index = 0; index < 2; index++) {
      await world.deliver(late, world.sign(late))
      expect(await world.subscription(world.id)).toMatchObject({ status: 'canceled' })
      await world.settle()
    }
    expect(await world.mirrored()).toEqual(await world.listed())
  })
})

describe('the service’s own webhook endpoint', () => {
  const url = `https://billing.example.com${eventsPath}`

  async function endpointWorld() {
    const world = await mirrorWorld()
    let ids = 0
    const deps = { store: world.store, processor: world.processor, newId: () => String(++ids) }
    const endpoints = async () => (await world.stripe.webhookEndpoints.list({ limit: 100 })).data
    return { ...world, endpoints, endpointDeps: deps, ensure: (at = url) => ensureEndpoint(deps, at, world.signal) }
  }

  it('is created once, with the event types that the mirror needs, and its signing secret is stored', async () => {
    const world = await endpointWorld()
    await world.ensure()
    await world.ensure()
    const endpoints = await world.endpoints()
    expect(endpoints).toMatchObject([{ url, status: 'enabled' }])
    expect([...(endpoints[0]?.enabled_events ?? [])].sort()).toEqual([...mirroredEventTypes].sort())
    expect(await ownSecrets(world.endpointDeps)).toEqual([expect.stringMatching(/^whsec_/)])
  })

  it('is left out of drift, pull and push', async () => {
    const world = await endpointWorld()
    await world.stripe.webhookEndpoints.create({ url: 'https://example.com/hook', enabled_events: ['*'] })
    await world.ensure()
    const { webhook } = await world.processor.snapshot({ signal: world.signal })
    expect(webhook.map(({ fields }) => fields.url)).toEqual(['https://example.com/hook'])
  })

  it('is created only once, even if the response to its creation is lost', async () => {
    const world = await endpointWorld()
    world.control.fail({ kind: 'close_after', method: 'POST', path: '/v1/webhook_endpoints', count: 2 })
    await expect(world.ensure()).rejects.toMatchObject({ outcomeUnknown: true })
    expect(await ownSecrets(world.endpointDeps)).toEqual([])
    await world.ensure()
    expect(await world.endpoints()).toHaveLength(1)
    expect(await ownSecrets(world.endpointDeps)).toEqual([expect.stringMatching(/^whsec_/)])
  })

  it('is created again after the endpoint was disabled or deleted at the processor', async () => {
    const world = await endpointWorld()
    await world.ensure()
    const [first] = await world.endpoints()
    await world.stripe.webhookEndpoints.update(first?.id ?? '', { disabled: true })
    await world.ensure()
    const [second, ...others] = await world.endpoints()
    expect(others).toEqual([])
    expect(second?.id).not.toBe(first?.id)
    await world.stripe.webhookEndpoints.del(second?.id ?? '')
    await world.ensure()
    expect(await world.endpoints()).toMatchObject([{ status: 'enabled' }])
  })

  const event = JSON.stringify({ id: 'evt_1', object: 'event', type: 'customer.updated', created: 0, data: {} })

  /** Returns the secrets with which deliveries are accepted, and checks that each of them is. */
  async function accepted(world: Awaited<ReturnType<typeof endpointWorld>>): Promise<readonly string[]> {
    const secrets = await ownSecrets(world.endpointDeps)
    for (const secret of secrets) {
      const timestamp = Math.floor(world.clock.now() / 1000)
      const signature = world.stripe.webhooks.generateTestHeaderString({ payload: event, secret, timestamp })
      expect(world.processor.delivery({ body: event, signature, secrets })).toMatchObject({ id: 'evt_1' })
    }
    return secrets
  }

  it('still accepts deliveries to the replaced endpoint, even while the creation of the new endpoint fails', async () => {
    const world = await endpointWorld()
    await world.ensure()
    const [former] = await accepted(world)
    const moved = `https://new.example.com${eventsPath}`
    world.control.fail({ kind: 'close_before', method: 'POST', path: '/v1/webhook_endpoints', count: null })
    await expect(world.ensure(moved)).rejects.toThrow()
    expect(await accepted(world)).toEqual([former])
    world.control.clearFaults()
    await world.ensure(moved)
    const secrets = await accepted(world)
    expect(secrets).toHaveLength(2)
    expect(secrets[1]).toBe(former)
    // A later look at the endpoint forgets nothing.
    await world.ensure(moved)
    expect(await accepted(world)).toEqual(secrets)
  })

  it('replaces the old endpoint even if the account has as many endpoints as the processor allows', async () => {
    const world = await endpointWorld()
    await world.ensure()
    const [former] = await accepted(world)
    const others = 16 - (await world.endpoints()).length
    for (let index = 0; index < others; index++)
      await world.stripe.webhookEndpoints.create({
        url: `https://example.com/${String(index)}`,
        enabled_events: ['*'],
      })
    const moved = `https://new.example.com${eventsPath}`
    await world.ensure(moved)
    const urls = (await world.endpoints()).map((endpoint) => endpoint.url)
    expect(urls).toHaveLength(16)
    expect(urls).toContain(moved)
    expect(urls).not.toContain(url)
    expect((await accepted(world))[1]).toBe(former)
  })

  it('follows a change of the public URL, and leaves the endpoint of another service unchanged', async () => {
    const world = await endpointWorld()
    const other = await mirrorWorld()
    const elsewhere = { ...world.endpointDeps, store: other.store, newId: () => `other-${String(Math.random())}` }
    await ensureEndpoint(elsewhere, `https://staging.example.com${eventsPath}`, world.signal)
    await world.ensure()
    await world.ensure(`https://new.example.com${eventsPath}`)
    const urls = (await world.endpoints()).map((endpoint) => endpoint.url).sort()
    expect(urls).toEqual([`https://new.example.com${eventsPath}`, `https://staging.example.com${eventsPath}`])
  })

  it('is created with a new idempotency key after its creation was refused', async () => {
    const world = await endpointWorld()
    await expect(world.ensure('not a url')).rejects.toMatchObject({ kind: 'rejected' })
    await world.ensure()
    expect(await world.endpoints()).toMatchObject([{ url }])
  })

  it('receives the deliveries of the sandbox', async () => {
    const world = await endpointWorld()
    const { id } = await world.subscribed(await world.monthly(1500))
    await world.fill()
    const secrets = () => ownSecrets(world.endpointDeps)
    const deliver = createDeliveries({ ...world.deps, secrets, onMarked: () => undefined })
    const server = createServer((request, response) => {
      const parts: Buffer[] = []
      request.on('data', (part: Buffer) => parts.push(part))
      request.on('end', () => {
        const signature = request.headers['stripe-signature']
        deliver(Buffer.concat(parts).toString(), typeof signature === 'string' ? signature : null).then(
          () => response.writeHead(200).end(),
          () => response.writeHead(400).end(),
        )
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    await world.ensure(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}${eventsPath}`)
    await world.settle()
    await world.stripe.subscriptions.cancel(id)
    await expect.poll(async () => (await world.store.mirror.stale(10)).map((one) => one.id)).toContain(id)
  })
})
