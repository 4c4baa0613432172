// A shop for tests of changes: plans of one group, seats, two intervals, an add-on, usage and deals, and customers at the sandbox.
import type Stripe from 'stripe'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { admin, billing, startTestApp, type TestApp, type TestAppOptions } from '../app.ts'
import { payingCustomer } from './paying-customer.ts'
import { cookieOf } from './selling.ts'

export const day = 86_400

/**
 * Amounts are chosen so that a day is a whole amount: 30.00 a month is 1.00 a day in April, and 732.00 a year is 2.00 a day in the 366 days
 * from 1 April 2031 on.
 */
export function planDocument(
  version = '1.0.0',
  change: (config: BillingConfig) => void = () => undefined,
): BillingConfig {
  const monthly = { currency: 'usd', interval: 'month' } as const
  const yearly = { currency: 'usd', interval: 'year' } as const
  const config: BillingConfig = {
    version,
    meters: [{ id: 'calls', display_name: 'Calls', event_name: 'call' }],
    products: [
      {
        id: 'basic',
        name: 'Basic',
        subscription_group: 'plan',
        prices: [{ id: 'basic', amount: 3000, ...monthly }],
      },
      {
        id: 'pro',
        name: 'Pro',
        subscription_group: 'plan',
        prices: [
          { id: 'pro', amount: 9000, ...monthly },
          { id: 'pro_yearly', amount: 73_200, ...yearly },
          { id: 'pro_yearly_full', amount: 146_400, ...yearly },
          { id: 'pro_gold', amount: 6000, ...monthly, enterprise_template: 'gold' },
          { id: 'pro_secret', amount: 4500, ...monthly, public: false },
        ],
      },
      { id: 'backup', name: 'Backup', prices: [{ id: 'backup', amount: 600, ...monthly }] },
      {
        id: 'usage',
        name: 'Usage',
        prices: [{ id: 'usage', amount: 2, ...monthly, usage_type: 'metered', meter: 'calls' }],
      },
    ],
    coupons: [{ id: 'third', percent_off: 33, duration: 'forever' }],
    promotion_codes: [{ id: 'third', code: 'THIRD', coupon: 'third' }],
  }
  change(config)
  return config
}

export interface ChangingShop extends TestApp {
  /** Current processor price of a configuration price. */
  price(id: string): Promise<string>
  /** A tenant whose customer lives on its own test clock from 1 April 2031 on, with a subscription to the items. */
  subscriber(
    id: string,
    items: Readonly<Record<string, number | null>>,
    params?: Partial<Stripe.SubscriptionCreateParams>,
  ): Promise<Subscriber>
}

export interface Subscriber {
  readonly tenant: string
  readonly customer: string
  readonly subscription: string
  readonly cookie: string
  /** Calls a route of the subscription with the service key. */
  ask(act: string, body?: object, headers?: Record<string, string>): Promise<Answer>
  /** Calls a route of the subscription with the tenant's session. */
  askOwn(act: string, body?: object, headers?: Record<string, string>): Promise<Answer>
  /** Previews, then changes with the preview. */
  change(body: object): Promise<Answer>
  /** Previews, then changes with the preview, as the tenant's session. */
  changeOwn(body: object): Promise<Answer>
  /** Lets days pass for the customer. */
  pass(days: number): Promise<void>
  live(): Promise<Stripe.Subscription>
  /** Price and quantity of each item by configuration id. */
  items(): Promise<Readonly<Record<string, number | null>>>
  /** Totals of all invoices, oldest first. */
  totals(): Promise<readonly number[]>
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a test reads any member of an answer
export type Answer = Readonly<Record<string, any>>

/** 1 April 2031, 00:00 UTC: a month of 30 days begins. */
export const begin = Date.UTC(2031, 3, 1) / 1000

export async function startChangingShop(
  options: TestAppOptions = {},
  document: BillingConfig = planDocument(),
): Promise<ChangingShop> {
  const test = await startTestApp(options)
  const pushed = await test.push(document)
  if (pushed.statusCode >= 300) throw new Error(pushed.body)
  const mapped = async () =>
    (await test.store.mappings.all())
      .filter(({ kind }) => kind === 'price')
      .map(({ configId, processorId }) => [configId as string, processorId as string] as const)
  const price = async (id: string) => {
    const found = new Map(await mapped()).get(id)
    if (found === undefined) throw new Error(`no price ${id}`)
    return found
  }
  return {
    ...test,
    price,
    async subscriber(id, wanted, params = {}) {
      const { stripe } = test
      const clock = await stripe.testHelpers.testClocks.create({ frozen_time: begin })
      const customer = await payingCustomer(stripe, { name: id, test_clock: clock.id })
      await test.asAdmin({
        method: 'POST',
        url: `${admin}/tenants`,
        payload: { id, name: id, processor_customer_id: customer },
      })
      const items = await Promise.all(
        Object.entries(wanted).map(async ([name, quantity]) => ({
          price: await price(name),
          ...(quantity === null ? {} : { quantity }),
        })),
      )
      const { id: subscription } = await stripe.subscriptions.create({ customer, items, ...params })
      const cookie = cookieOf((await test.service.createSession(id, null)).value)
      const call = async (request: Promise<{ statusCode: number; json: () => object }>): Promise<Answer> => {
        const response = await request
        return { status: response.statusCode, ...response.json() }
      }
      const url = (act: string) => `${billing}/subscription/${act}`
      const ask = (act: string, body: object = {}, headers: Record<string, string> = {}) =>
        call(test.asAdmin({ method: 'POST', url: url(act), payload: { ...body, tenant_id: id }, headers }))
      const askOwn: Subscriber['askOwn'] = (act, body = {}, headers = {}) =>
        call(test.inject({ method: 'POST', url: url(act), payload: body, headers: { cookie, ...headers } }))
      const changed = async (by: Subscriber['ask'], body: object): Promise<Answer> => {
        const shown = await by('preview', body)
        return shown.status === 200 ? by('change', { ...body, preview: shown['preview'] }) : shown
      }
      const live = () => stripe.subscriptions.retrieve(subscription)
      let now = begin
      return {
        ...{ tenant: id, customer, subscription, cookie, ask, live },
        askOwn,
        change: (body) => changed(ask, body),
        changeOwn: (body) => changed(askOwn, body),
        async pass(days) {
          now += Math.round(days * day)
          await stripe.testHelpers.testClocks.advance(clock.id, { frozen_time: now })
        },
        async items() {
          const names = new Map((await mapped()).map(([name, processorId]) => [processorId, name]))
          const { data } = (await live()).items
          return Object.fromEntries(
            data.map((item) => [names.get(item.price.id) ?? item.price.id, item.quantity ?? null]),
          )
        },
        totals: async () =>
          (await stripe.invoices.list({ customer, limit: 100 })).data.map(({ total }) => total).reverse(),
      }
    },
  }
}
