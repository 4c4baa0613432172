// The mirror of a shop at the rate limit of a test key: its first fill, a push meanwhile, and the time until a change is visible.
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { createClient } from '@ratecard/client'
import Stripe from 'stripe'
import { halfOf, limitsFor } from '../packages/ratecard/src/processor/rate-budget.ts'
import { documentOf } from './support/catalogue.ts'
import { asked, control } from './large.ts'
import { elapsedMs, median, milliseconds, type BenchOptions, type BenchResult } from './support/measure.ts'
import { load } from './public-read.ts'
import { startProcess, type ServerProcess } from './support/server-process.ts'

/** Service key that serve.ts sets for the service. */
const serviceKey = 'bench-service-key'
const secretKey = 'sk_test_benchMirrorFeed'
/** Calls per second that the fill may make: half of the rate budget. */
const fillsPerSecond = halfOf(limitsFor({ livemode: false })).perSecond
const admin = '/api/v1/billing/admin'

interface World {
  readonly folder: string
  readonly sandbox: ServerProcess
  readonly stripe: Stripe
}

export async function benchMirrorFeed({ quick }: BenchOptions): Promise<BenchResult[]> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'ratecard-bench-'))
  const sandbox = await startProcess('sandbox', path.join(folder, 'sandbox'))
  const { hostname: host, port } = new URL(sandbox.url)
  const stripe = new Stripe(secretKey, { protocol: 'http', host, port, maxNetworkRetries: 0, telemetry: false })
  const world = { folder, sandbox, stripe }
  try {
    return [...(await visibility(world, quick)), ...(await fills(world, quick ? 300 : 12_000, quick))]
  } finally {
    await sandbox.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const startService = (world: World, name: string, settings: Readonly<Record<string, string>> = {}) =>
  startProcess('service', path.join(world.folder, name), {
    STRIPE_SECRET_KEY: secretKey,
    STRIPE_API_BASE: world.sandbox.url,
    ...settings,
  })

const ask = (service: ServerProcess, resource: string) =>
  fetch(`${service.url}${admin}/${resource}`, { headers: { 'x-service-key': serviceKey } })

/** Waits until the first fill of the mirror is complete. */
async function filled(service: ServerProcess): Promise<void> {
  for (;;) {
    const response = await ask(service, 'money')
    await response.arrayBuffer()
    if (response.status === 200) return
    if (response.status !== 503) throw new Error(`The mirror is not being filled: ${String(response.status)}`)
    await pause(20)
  }
}

async function fills(world: World, count: number, quick: boolean): Promise<readonly BenchResult[]> {
  await populate(world, count)
  await control(world.sandbox, 'profile', { method: 'PUT', body: JSON.stringify({ profile: 'sandbox' }) })
  await control(world.sandbox, 'requests', { method: 'DELETE' })
  const service = await startService(world, 'filling')
  try {
    const seconds = (await elapsedMs(() => filled(service))) / 1000
    const lists = (await asked(world.sandbox)).filter(({ path: asks }) => !/^\/v1\/(account|events)$/.test(asks)).length
    const first = fillResult(count, seconds, lists)
    // A push of this size takes longer than the fill of a short run.
    return quick ? [first] : [first, await pushBeside(world, service)]
  } finally {
    await service.stop()
  }
}

function fillResult(count: number, seconds: number, lists: number): BenchResult {
  const floor = lists / fillsPerSecond
  return {
    name: `first fill of the mirror, ${count.toLocaleString('en')} subscriptions`,
    ours: `${seconds.toFixed(1)} s`,
    yardstick: `its ${String(lists)} calls at ${String(fillsPerSecond)} a second ${floor.toFixed(1)} s`,
    ratio: `${(seconds / floor).toFixed(2)}×`,
    aim: '≤ 1.15×',
    met: seconds / floor <= 1.15,
  }
}

/** A push beside the first fill of another service, compared with the same push beside a mirror that is complete. */
async function pushBeside(world: World, complete: ServerProcess): Promise<BenchResult> {
  const push = (service: ServerProcess, prefix: string) => {
    const document = JSON.stringify(documentOf(20, 5)).replaceAll('product_', `${prefix}_`)
    const { admin: client } = createClient({ baseUrl: service.url, serviceKey })
    return elapsedMs(() => client.push(JSON.parse(document) as object))
  }
  const alone = await push(complete, 'alone')
  const filling = await startService(world, 'pushing')
  try {
    const beside = await push(filling, 'beside')
    const { status } = await ask(filling, 'money')
    if (status !== 503) throw new Error('The fill ended before the push.')
    const most = 1.1
    return {
      name: 'push of 20 products × 5 prices during the first fill of the mirror',
      ours: `${(beside / 1000).toFixed(1)} s`,
      yardstick: `the same without a fill ${(alone / 1000).toFixed(1)} s`,
      ratio: `${(beside / alone).toFixed(2)}×`,
      aim: `≤ ${String(most)}×`,
      met: beside / alone <= most,
    }
  } finally {
    await filling.stop()
  }
}

async function populate({ stripe }: World, count: number): Promise<void> {
  const product = await stripe.products.create({ name: 'Pro' })
  const { id: price } = await stripe.prices.create({
    ...{ product: product.id, currency: 'usd', unit_amount: 1000 },
    recurring: { interval: 'month' },
  })
  let next = 0
  const worker = async () => {
    for (let index = next++; index < count; index = next++) {
      const { id: customer } = await stripe.customers.create({ name: `t${String(index)}` })
      await stripe.subscriptions.create({ customer, items: [{ price }], trial_period_days: 30 })
    }
  }
  await Promise.all(Array.from({ length: 16 }, worker))
}

const onePrice = {
  version: '1.0.0',
  features: [{ id: 'api', name: 'API' }],
  products: [
    {
      ...{ id: 'seen', name: 'Seen', features: ['api'] },
      prices: [{ id: 'seen_monthly', amount: 900, currency: 'usd', interval: 'month' }],
    },
  ],
}

/** Time from a change at the processor until the service shows it: by delivered events, and by polls alone. */
async function visibility(world: World, quick: boolean): Promise<readonly BenchResult[]> {
  const { stripe } = world
  const [deliveries, polls] = quick ? [10, 2] : [100, 20]
  const relay = await startRelay()
  const endpoint = await stripe.webhookEndpoints.create({ url: relay.url, enabled_events: ['*'] })
  const secret = { RATECARD_PROCESSOR_EVENTS_SECRET: endpoint.secret ?? '', RATECARD_MIRROR_POLL_SECONDS: '300' }
  const delivered = await startService(world, 'delivered', secret)
  relay.target = `${delivered.url}/api/v1/processor/events`
  try {
    const client = createClient({ baseUrl: delivered.url, serviceKey })
    await client.admin.push(onePrice)
    const [price] = (await stripe.prices.list({ limit: 1 })).data
    const { id: customer } = await stripe.customers.create({ name: 'Seen' })
    const items = [{ price: price?.id ?? '', quantity: 1 }]
    const subscription = await stripe.subscriptions.create({ customer, items, trial_period_days: 30 })
    const item = subscription.items.data[0]?.id ?? ''
    await client.tenants.create({ id: 'seen', name: 'Seen', processorCustomerId: customer })
    await filled(delivered)
    const byDelivery = await seenAfter(delivered, stripe, item, 1_000, deliveries)
    const entitlements = await entitlementsCost(delivered, quick)
    await delivered.stop()
    await stripe.webhookEndpoints.del(endpoint.id)
    const polling = await startService(world, 'delivered', { RATECARD_MIRROR_POLL_SECONDS: '1' })
    try {
      await filled(polling)
      const byPoll = await seenAfter(polling, stripe, item, 10_000, polls)
      return [
        seenResult('by delivery', byDelivery, 1_000),
        seenResult('by a poll each second', byPoll, 2_000),
        entitlements,
      ]
    } finally {
      await polling.stop()
    }
  } finally {
    await relay.close()
    await delivered.stop()
  }
}

/** CPU of the service for a read of what a tenant may use, compared with the public price list. Rounds alternate. */
async function entitlementsCost(service: ServerProcess, quick: boolean): Promise<BenchResult> {
  const headers = { 'x-service-key': serviceKey }
  const read = (seconds: number) =>
    load(service, `${service.url}/api/v1/billing/entitlements?tenant_id=seen`, seconds, headers)
  const readPublic = (seconds: number) => load(service, `${service.url}/api/v1/billing/config`, seconds)
  await readPublic(quick ? 1 : 3)
  await read(quick ? 1 : 3)
  const pairs: (readonly [number, number])[] = []
  for (let round = 0; round < (quick ? 1 : 5); round++)
    pairs.push([(await read(quick ? 1 : 2)).cpuMicroseconds, (await readPublic(quick ? 1 : 2)).cpuMicroseconds])
  const cost = median(pairs.map(([ours, theirs]) => ours / theirs))
  const micros = (values: readonly number[]) => `${median(values).toFixed(1)} µs`
  return {
    name: 'read of a tenant’s entitlements, CPU of the server for a request',
    ours: micros(pairs.map(([ours]) => ours)),
    yardstick: `public price list ${micros(pairs.map(([, theirs]) => theirs))}`,
    ratio: `${cost.toFixed(2)}×`,
    aim: '≤ 3×',
    met: cost <= 3,
  }
}

/** Times (ms) until each of `count` changes of a quantity is shown, ascending. Quantities are `first` and above. */
async function seenAfter(service: ServerProcess, stripe: Stripe, item: string, first: number, count: number) {
  const times: number[] = []
  for (let quantity = first; quantity < first + count; quantity++) {
    await stripe.subscriptionItems.update(item, { quantity, proration_behavior: 'none' })
    const began = performance.now()
    while ((await shownQuantity(service)) !== quantity) {
      if (performance.now() - began > 60_000) throw new Error(`Quantity ${String(quantity)} is not shown.`)
      await pause(5)
    }
    times.push(performance.now() - began)
  }
  return times.sort((a, b) => a - b)
}

async function shownQuantity(service: ServerProcess): Promise<number | null> {
  const response = await ask(service, 'prices/seen_monthly/subscribers')
  const { subscribers = [] } = (await response.json()) as { readonly subscribers?: readonly { quantity: number }[] }
  return subscribers[0]?.quantity ?? null
}

function seenResult(how: string, times: readonly number[], aimMs: number): BenchResult {
  const high = times[Math.floor(times.length * 0.99)] ?? Infinity
  return {
    name: `a change at the processor is visible ${how}, p99 of ${String(times.length)}`,
    ours: milliseconds(high),
    yardstick: `${milliseconds(aimMs)} (p50 ${milliseconds(median(times))})`,
    ratio: `${(high / aimMs).toFixed(2)}×`,
    aim: '≤ 1×',
    met: high <= aimMs,
  }
}

/** Forwards deliveries: the service's address is known only after it has started with the endpoint's secret. */
async function startRelay() {
  const relay = { url: '', target: '', close: () => Promise.resolve() }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const headers = {
        'content-type': 'application/json',
        'stripe-signature': String(request.headers['stripe-signature']),
      }
      fetch(relay.target, { method: 'POST', headers, body: Buffer.concat(chunks) }).then(
        ({ status }) => response.writeHead(status).end(),
        () => response.writeHead(502).end(),
      )
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  relay.url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`
  relay.close = () =>
    new Promise((resolve) => {
      server.closeAllConnections()
      server.close(() => resolve())
    })
  return relay
}
