import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Stripe from 'stripe'
import { describe, expect, onTestFinished } from 'vitest'
import { sandboxForTest, sandboxTest as test, type TestSandbox } from '../../support/sandbox.ts'
import { listenLocally } from '../../support/listen.ts'

interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Starts a receiver of webhooks. `answer` may leave the request open. */
async function receiver(answer: (response: ServerResponse, count: number) => void) {
  const received: Received[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString('utf8')))
    request.on('end', () => {
      received.push({ headers: request.headers, body })
      answer(response, received.length)
    })
  })
  await listenLocally(server)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` }
}

async function stateOf(sandbox: TestSandbox, state: string): Promise<void> {
  await expect.poll(() => sandbox.control.deliveries().map((delivery) => delivery.state)).toEqual([state])
}

describe('webhook deliveries of the sandbox:', () => {
  test('an event is delivered with Stripe’s signature, and only to endpoints that subscribe to the event’s type', async ({
    sandbox,
  }) => {
    const { received, url } = await receiver((response) => response.end())
    const { stripe } = sandbox
    const endpoint = await stripe.webhookEndpoints.create({ url, enabled_events: ['product.created'] })
    await stripe.webhookEndpoints.create({ url, enabled_events: ['price.created'] })
    const product = await stripe.products.create({ name: 'Prodüct' })
    await stateOf(sandbox, 'delivered')
    const [got] = received
    const header = String(got?.headers['stripe-signature'])
    const verify = (payload: string, secret: string) =>
      Stripe.webhooks.constructEvent(payload, header, secret, 300, undefined, sandbox.clock.now())
    const event = verify(got?.body ?? '', endpoint.secret ?? '')
    expect(event).toMatchObject({ type: 'product.created', data: { object: { id: product.id } } })
    expect(() => verify(got?.body ?? '', 'whsec_other')).toThrow()
    expect(() => verify((got?.body ?? '').replace('Prodüct', 'Other'), endpoint.secret ?? '')).toThrow()
    expect(received).toHaveLength(1)
    expect(await stripe.events.retrieve(event.id)).toMatchObject({ pending_webhooks: 0 })
  })

  test('a failed delivery is retried until the endpoint responds with a 2xx status', async () => {
    const sandbox = await sandboxForTest({ retryAfterMs: [1, 1, 1] })
    const { received, url } = await receiver((response, count) => response.writeHead(count < 3 ? 500 : 200).end())
    await sandbox.stripe.webhookEndpoints.create({ url, enabled_events: ['*'] })
    await sandbox.stripe.products.create({ name: 'P' })
    await stateOf(sandbox, 'delivered')
    expect(received).toHaveLength(3)
    expect(sandbox.control.deliveries()[0]?.attempts.map((attempt) => attempt.status)).toEqual([500, 500, 200])
  })

  test('a delivery is marked as failed after its last attempt', async () => {
    const sandbox = await sandboxForTest({ retryAfterMs: [1] })
    const { url } = await receiver((response) => response.writeHead(302, { location: 'http://127.0.0.1:1' }).end())
    await sandbox.stripe.webhookEndpoints.create({ url, enabled_events: ['*'] })
    await sandbox.stripe.products.create({ name: 'P' })
    await stateOf(sandbox, 'failed')
    expect(sandbox.control.deliveries()[0]?.attempts).toHaveLength(2)
  })

  test('an endpoint that does not respond does not delay deliveries to other endpoints', async ({ sandbox }) => {
    const { stripe, url: origin } = sandbox
    const hanging = await receiver(() => undefined)
    const prompt = await receiver((response) => response.end())
    await stripe.webhookEndpoints.create({ url: hanging.url, enabled_events: ['*'] })
    await stripe.webhookEndpoints.create({ url: prompt.url, enabled_events: ['*'] })
    for (let index = 0; index < 20; index++) await stripe.products.create({ name: `P${index}` })
    await expect.poll(() => prompt.received).toHaveLength(20)
    const reply = await fetch(`${origin}/_sandbox/deliveries?limit=2`)
    expect(await reply.json()).toMatchObject({ deliveries: [{ type: 'product.created' }, { type: 'product.created' }] })
    expect(hanging.received.length).toBeLessThan(20)
  })

  test('no event is delivered to an address outside this machine, and the log contains the reason', async ({
    sandbox,
  }) => {
    await sandbox.stripe.webhookEndpoints.create({ url: 'https://example.test/hook', enabled_events: ['*'] })
    await sandbox.stripe.products.create({ name: 'P' })
    expect(sandbox.control.deliveries()).toMatchObject([
      { state: 'not_sent', reason: expect.stringContaining('loopback') as unknown, attempts: [] },
    ])
  })

  test('a refused request causes no delivery, and a disabled endpoint gets no delivery', async ({ sandbox }) => {
    const { url } = await receiver((response) => response.end())
    const { id } = await sandbox.stripe.webhookEndpoints.create({ url, enabled_events: ['*'] })
    await sandbox.stripe.prices.create({ currency: 'usd' }).catch(() => undefined)
    await sandbox.stripe.webhookEndpoints.update(id, { disabled: true })
    await sandbox.stripe.products.create({ name: 'P' })
    expect(sandbox.control.deliveries()).toEqual([])
  })
})
