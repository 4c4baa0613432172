// The billing plugin of Better Auth sells plans to its users, with the sandbox as its Stripe and a real SQLite as its database.
import { createServer, type RequestListener, type Server } from 'node:http'
import Database from 'better-sqlite3'
import type Stripe from 'stripe'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { listenLocally } from '../../support/listen.ts'
import { payPage } from '../../support/shop/pay-page.ts'
import { systemClock } from '../../../packages/ratecard/src/base/clock.ts'
import { startSandbox, type Sandbox } from '../../../packages/sandbox/src/server.ts'
import { clientOf } from '../../support/sandbox.ts'
import { holds } from './holds.ts'
import { install, type Installed } from './installed.ts'
import { authPlugin } from './outcomes.ts'

/** What the tests use of the library. */
interface Library {
  betterAuth(options: object): object
}
interface Plugin {
  stripe(options: object): object
}

const key = 'sk_test_auth_plugin'

let installed: Installed
let sandbox: Sandbox
let stripe: Stripe
let server: Server
let base: string
let database: Database.Database
/** Requests of the sandbox's webhook deliveries that the plugin refused. */
const refused: string[] = []

beforeAll(async () => {
  installed = await install('auth-plugin')
  sandbox = await startSandbox({ port: 0, dataDir: null, clock: systemClock })
  stripe = clientOf(sandbox, key)
  let handler: RequestListener = (_request, response) => response.writeHead(503).end()
  server = createServer((request, response) => {
    response.on('finish', () => {
      if (response.statusCode >= 400) refused.push(`${request.url ?? ''} ${String(response.statusCode)}`)
    })
    handler(request, response)
  })
  base = `http://127.0.0.1:${String(await listenLocally(server))}`
  handler = await start()
}, 420_000)
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  database.close()
  await sandbox.close()
  installed.remove()
})

/** Starts the library with two plans, as its guide does it. */
async function start(): Promise<RequestListener> {
  const product = await stripe.products.create({ name: 'Plans' })
  const monthly = async (unitAmount: number) => {
    const { id } = await stripe.prices.create({
      product: product.id,
      currency: 'usd',
      unit_amount: unitAmount,
      recurring: { interval: 'month' },
    })
    return id
  }
  const basic = await monthly(1000)
  const pro = await monthly(3000)
  await stripe.billingPortal.configurations.create({
    features: {
      payment_method_update: { enabled: true },
      subscription_cancel: { enabled: true, mode: 'at_period_end' },
      subscription_update: {
        enabled: true,
        default_allowed_updates: ['price'],
        products: [{ product: product.id, prices: [basic, pro] }],
      },
    },
  })
  const endpoint = await stripe.webhookEndpoints.create({
    url: `${base}/api/auth/stripe/webhook`,
    enabled_events: ['checkout.session.completed', 'customer.subscription.updated', 'customer.subscription.deleted'],
  })
  const Sdk = installed.load('stripe') as typeof Stripe
  const plugin = (installed.load('@better-auth/stripe') as Plugin).stripe({
    stripeClient: new Sdk(key, { host: '127.0.0.1', port: sandbox.port, protocol: 'http', telemetry: false }),
    stripeWebhookSecret: endpoint.secret,
    createCustomerOnSignUp: true,
    subscription: {
      enabled: true,
      plans: [
        { name: 'basic', priceId: basic },
        { name: 'pro', priceId: pro },
      ],
    },
  })
  database = new Database(':memory:')
  const options = {
    baseURL: base,
    secret: 'a secret of thirty-two characters or more',
    database,
    emailAndPassword: { enabled: true },
    plugins: [plugin],
    telemetry: { enabled: false },
  }
  const { getMigrations } = installed.load('better-auth/db/migration') as {
    getMigrations(config: object): Promise<{ runMigrations(): Promise<void> }>
  }
  await (await getMigrations(options)).runMigrations()
  const auth = (installed.load('better-auth') as Library).betterAuth(options)
  const { toNodeHandler } = installed.load('better-auth/node') as { toNodeHandler(auth: object): RequestListener }
  return toNodeHandler(auth)
}

let cookie = ''

/** Calls a route of the library as a browser on its page does. */
async function call<Result>(route: string, body?: object): Promise<Result> {
  const response = await fetch(`${base}/api/auth${route}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json', origin: base, cookie },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${route}: ${String(response.status)} ${text}`)
  const cookies = response.headers.getSetCookie().map((one) => one.split(';')[0] ?? '')
  if (cookies.length > 0) cookie = cookies.join('; ')
  return JSON.parse(text) as Result
}

interface UserSubscription {
  readonly plan: string
  readonly status: string
  readonly stripeSubscriptionId: string
  readonly cancelAtPeriodEnd: boolean
  readonly cancelAt: string | null
}

const subscriptions = () => call<UserSubscription[]>('/subscription/list')

/** Waits until the plugin has taken the events that make its record as stated. */
async function recorded(expected: object): Promise<void> {
  await vi.waitFor(
    async () => {
      expect(await subscriptions()).toMatchObject([expected])
    },
    { timeout: 60_000, interval: 100 },
  )
  expect(refused).toEqual([])
}

/** Presses a button of the portal page, as the customer does: sends the form in which the button is. */
async function press(url: string, action: string): Promise<void> {
  const page = await (await fetch(url)).text()
  const form = page.split('<form').find((one) => one.includes(`name="action" value="${action}"`)) ?? ''
  const hidden = [...form.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)]
  const fields = hidden.map(([, name = '', value = '']): [string, string] => [name, value])
  const body = new URLSearchParams([...fields, ['action', action]])
  const response = await fetch(url, { method: 'POST', body, redirect: 'manual' })
  if (response.status >= 400) throw new Error(`${action}: ${String(response.status)} ${await response.text()}`)
}

let checkoutUrl = ''
const back = { successUrl: '/thanks', cancelUrl: '/pricing', returnUrl: '/account', disableRedirect: true }

const jobs: Record<keyof typeof authPlugin.jobs, () => Promise<void>> = {
  'creates a customer when a user signs up': async () => {
    await call('/sign-up/email', { email: 'buyer@example.test', name: 'Buyer', password: 'long enough for this' })
    expect((await stripe.customers.list()).data).toMatchObject([{ email: 'buyer@example.test', name: 'Buyer' }])
  },
  'opens a checkout for a plan': async () => {
    const { url } = await call<{ url: string }>('/subscription/upgrade', { plan: 'basic', ...back })
    checkoutUrl = url
    expect((await fetch(url)).status).toBe(200)
  },
  'activates the subscription with the signed events of the payment': async () => {
    await payPage(checkoutUrl)
    await recorded({ plan: 'basic', status: 'active' })
  },
  'lists the subscriptions of the user': async () => {
    expect(await subscriptions()).toMatchObject([
      { plan: 'basic', stripeSubscriptionId: (await stripe.subscriptions.list()).data[0]?.id },
    ])
  },
  'opens the customer portal': async () => {
    const { url } = await call<{ url: string }>('/subscription/billing-portal', back)
    expect((await fetch(url)).status).toBe(200)
  },
  'upgrades to another plan through the portal': async () => {
    const { url } = await call<{ url: string }>('/subscription/upgrade', { plan: 'pro', ...back })
    await press(url, 'confirm')
    await recorded({ plan: 'pro', status: 'active' })
  },
  'cancels at the end of the period through the portal': async () => {
    const { url } = await call<{ url: string }>('/subscription/cancel', back)
    await press(url, 'cancel')
    await recorded({ plan: 'pro', cancelAtPeriodEnd: true })
  },
  'restores the subscription': async () => {
    await call('/subscription/restore', {})
    await recorded({ plan: 'pro', status: 'active', cancelAtPeriodEnd: false })
  },
}

const names = Object.keys(jobs) as (keyof typeof jobs)[]

test.each(names)('the plugin %s', async (name) => {
  await holds(authPlugin.jobs[name], jobs[name])
})
