// A shop with allowances, whose service, sandbox and customers share one clock that tests move.
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { billing, startTestApp, type TestApp } from '../app.ts'
import { buildApp } from '../../../packages/ratecard/src/server/http/app.ts'
import { mirrored, mirrorSettings } from '../mirror.ts'
import { createService } from '../../../packages/ratecard/src/server/service/service.ts'
import { payingCustomer } from './paying-customer.ts'
import { buy, cookieOf, nobody } from './selling.ts'

/** Body of a response, with its HTTP status as `http`. */
export type UsageAnswer = { readonly http: number } & Readonly<Record<string, unknown>>

export interface UsageShop extends TestApp {
  /** Present time of the shop, epoch milliseconds. */
  now(): number
  pass(days: number): Promise<void>
  /** A tenant that bought a price on a page or, in a billing mode, whose subscription the seller made at the processor. */
  customer(id: string, priceId: string, quantity?: number, mode?: 'classic' | 'flexible'): Promise<UsageCustomer>
}

export interface UsageCustomer {
  readonly tenant: string
  /** Calls a route below `/api/v1/billing` with a fresh session of the tenant. */
  ask(route: string, body: object): Promise<UsageAnswer>
  /** Returns a function like `ask` whose requests have one session. */
  sameSession(): UsageCustomer['ask']
  /** The same with the service key. */
  askByKey(route: string, body: object): Promise<UsageAnswer>
  /** Previews and changes, as the tenant's session. */
  turn(body: object): Promise<UsageAnswer>
  /** The same with the service key. */
  turnByKey(body: object): Promise<UsageAnswer>
  /** Reports usage of the meter `calls` that is held against the allowance. Returns the HTTP status. */
  use(value: number): Promise<number>
  /** Limit and used amount of the feature `calls`. */
  calls(): Promise<{ readonly limit: unknown; readonly used: unknown }>
}

/** `replicas`: with two, requests of sessions go to one and the other in turns. */
export async function startUsageShop(document: BillingConfig, { replicas = 1 } = {}): Promise<UsageShop> {
  let ahead = 0
  const now = () => Date.now() + ahead
  const app = await startTestApp({ mirror: mirrorSettings, clock: { now } })
  await app.push(document)
  const inject = [(request: Parameters<TestApp['inject']>[0]) => app.inject(request)]
  const second = replicas === 1 ? null : await secondReplica(app, now)
  if (second !== null) inject.push((request) => second.app.inject(request))
  let turn = 0
  const toReplica = (request: Parameters<TestApp['inject']>[0]) =>
    inject[turn++ % inject.length]?.(request) ?? app.inject(request)
  const call = async (request: ReturnType<TestApp['inject']>): Promise<UsageAnswer> => {
    const response = await request
    return { http: response.statusCode, ...response.json<Record<string, unknown>>() }
  }
  return {
    ...app,
    now,
    async pass(days) {
      ahead += Math.round(days * 86_400_000)
      // The sandbox has the same clock, and renews what is due when it is told to look.
      app.sandbox.control.advance(0)
      await mirrored(app, now())
    },
    async close() {
      await second?.close()
      await app.close()
    },
    async customer(tenant, priceId, quantity = 1, mode) {
      if (mode === undefined) {
        await app.service.createTenant({ id: tenant, name: tenant }, nobody)
        await buy(app, tenant, { price_id: priceId, quantity })
      } else await subscribed(app, tenant, { priceId, quantity, mode })
      await mirrored(app, now())
      const opened = () => app.service.createSession(tenant, null)
      const asIn = async (session: ReturnType<typeof opened>, route: string, payload: object) => {
        const headers = { cookie: cookieOf((await session).value) }
        return call(toReplica({ method: 'POST', url: `${billing}/${route}`, payload, headers }))
      }
      const ask: UsageCustomer['ask'] = (route, body) => asIn(opened(), route, body)
      const sameSession = () => {
        const session = opened()
        return (route: string, body: object) => asIn(session, route, body)
      }
      const askByKey: UsageCustomer['ask'] = (route, body) =>
        call(app.asAdmin({ method: 'POST', url: `${billing}/${route}`, payload: { ...body, tenant_id: tenant } }))
      const turned = async (by: UsageCustomer['ask'], body: object) => {
        const shown = await by('subscription/preview', body)
        if (shown.http !== 200) return shown
        const done = await by('subscription/change', { ...body, preview: shown['preview'] })
        await mirrored(app, now())
        return done
      }
      return {
        ...{ tenant, ask, askByKey, sameSession },
        turn: (body) => turned(ask, body),
        turnByKey: (body) => turned(askByKey, body),
        use: async (value) => (await ask('usage', { meter: 'calls', value, enforce: true })).http,
        calls: async () => {
          const { limit, used } = await askByKey('entitlements/check', { feature: 'calls' })
          return { limit, used }
        },
      }
    },
  }
}

/** Makes a tenant with a subscription that no page sold. */
async function subscribed(
  app: TestApp,
  tenant: string,
  {
    priceId,
    quantity,
    mode,
  }: { readonly priceId: string; readonly quantity: number; readonly mode: 'classic' | 'flexible' },
): Promise<void> {
  const customer = await payingCustomer(app.stripe, { name: tenant })
  await app.service.createTenant({ id: tenant, name: tenant, processorCustomerId: customer }, nobody)
  const price = (await app.store.mappings.all()).findLast(
    ({ kind, configId }) => kind === 'price' && configId === priceId,
  )
  await app.stripe.subscriptions.create({
    ...{ customer, billing_mode: { type: mode } },
    items: [{ price: price?.processorId ?? '', quantity }],
  })
}

/** A second service over the store of the first one, with its own HTTP server. */
async function secondReplica({ store, processor }: TestApp, now: () => number) {
  const service = createService({
    settings: { requireVersionBump: false, workers: 'off' },
    ...{ store, processor, processorName: 'sandbox', processorMode: 'sandbox', clock: { now }, mirror: mirrorSettings },
  })
  const app = await buildApp({
    service,
    settings: { rateLimit: 600, publicUrl: null, allowedRedirects: null, trustedProxies: [], logLevel: 'silent' },
    clock: { now },
  })
  return {
    app,
    close: async () => {
      await app.close()
      await service.close()
    },
  }
}
