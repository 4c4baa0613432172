// A shop with tenants for tests: a pushed configuration, customers with real subscriptions at the sandbox, and its clock.
import type Stripe from 'stripe'
import { onTestFinished } from 'vitest'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import type { Service } from '../../../packages/ratecard/src/server/service/service.ts'
import { nobody, startStack, type Stack, type StackOptions } from '../stack.ts'
import { payingCustomer } from './paying-customer.ts'
import type { EnterpriseOutcome, EnterpriseTarget } from '../../../packages/ratecard/src/api/customers/enterprise.ts'
import type { JobReport } from '../../../packages/ratecard/src/api/customers/jobs.ts'

export const caller = { author: 'ada', message: 'new prices', by: null, requestId: 'req_test' }
export const gold: EnterpriseTarget = { kind: 'template', template: 'gold' }
export const nothing: EnterpriseTarget = { kind: 'none' }

/** Configuration price, or processor price if it is not a current one, and quantity of each item; null if it is metered. */
export type Items = Readonly<Record<string, number | null>>

export interface TenantShop extends Stack {
  readonly secretKey: string
  push(document: BillingConfig): Promise<void>
  /** Current processor price of a configuration price. */
  processorPrice(priceId: string): Promise<string>
  /** Creates a tenant with a customer at the processor. Returns the customer's id. */
  tenant(id: string): Promise<string>
  subscribe(
    customer: string,
    items: Items,
    params?: Partial<Stripe.SubscriptionCreateParams>,
  ): Promise<Stripe.Subscription>
  apply(tenant: string, target?: EnterpriseTarget): Promise<EnterpriseOutcome>
  items(subscription: string): Promise<Items>
  /** Invoices, oldest first. */
  invoices(customer: string): Promise<readonly Stripe.Invoice[]>
  lastAmount(customer: string): Promise<number | undefined>
  /** Reports usage of the meter `calls`. */
  use(customer: string, value: number): Promise<void>
  /** Pushes the document of {@link negotiated} with another amount for a price. */
  reprice(version: string, priceId: string, amount: number): Promise<void>
  advance(days: number): void
  /** Resolves with the report when the background job has ended. */
  finished(jobId: string): Promise<JobReport>
}

let shops = 0

export async function tenantShop(document: BillingConfig, options: StackOptions = {}): Promise<TenantShop> {
  const secretKey = `sk_test_shop${String(process.pid)}x${String(++shops)}xxxx`
  const stack = await startStack({ ...options, secretKey })
  onTestFinished(() => stack.close())
  const shop = shopOver(stack, secretKey)
  await shop.push(document)
  return shop
}

/** A shop whose tenant `t` has a subscription to the items. */
export async function soldShop(items: Items, params: Partial<Stripe.SubscriptionCreateParams> = {}) {
  const shop = await tenantShop(negotiated())
  const customer = await shop.tenant('t')
  const { id } = await shop.subscribe(customer, items, params)
  return { shop, customer, id }
}

export function shopOver(stack: Stack, secretKey: string): TenantShop {
  const { stripe, service, store, sandbox } = stack
  const current = async () => {
    const prices = new Map<string, string>()
    for (const entry of await store.mappings.all())
      if (entry.kind === 'price') prices.set(entry.configId, entry.processorId)
    return prices
  }
  const processorPrice = async (priceId: string) => {
    const found = (await current()).get(priceId)
    if (found === undefined) throw new Error(`no price ${priceId}`)
    return found
  }
  const push = async (next: BillingConfig) => {
    await service.push(next, { ...nobody, approveImpact: true })
  }
  const invoices = async (customer: string) => (await stripe.invoices.list({ customer, limit: 100 })).data.reverse()
  return {
    ...stack,
    secretKey,
    processorPrice,
    push,
    reprice: (version, priceId, amount) =>
      push(negotiated(version, (config) => (priceIn(config, priceId).amount = amount))),
    tenant: async (id) => {
      const customer = await payingCustomer(stripe, { name: id })
      await service.createTenant({ id, name: id, processorCustomerId: customer }, caller)
      return customer
    },
    subscribe: async (customer, items, params = {}) => {
      const wanted = await Promise.all(
        Object.entries(items).map(async ([priceId, quantity]) => ({
          price: await processorPrice(priceId),
          ...(quantity === null ? {} : { quantity }),
        })),
      )
      return stripe.subscriptions.create({ customer, items: wanted, ...params })
    },
    apply: (tenant, target = gold) => service.applyEnterprise(tenant, target, { ...caller, dryRun: false }),
    items: async (id) => {
      const names = new Map([...(await current())].map(([name, price]) => [price, name]))
      // The list inside a subscription ends after ten items.
      const items = await stripe.subscriptionItems.list({ subscription: id, limit: 100 })
      return Object.fromEntries(
        items.data.map(({ price, quantity }) => [names.get(price.id) ?? price.id, quantity ?? null]),
      )
    },
    invoices,
    lastAmount: async (customer) => (await invoices(customer)).at(-1)?.total,
    use: async (customer, value) => {
      const payload = { stripe_customer_id: customer, value: String(value) }
      await stripe.billing.meterEvents.create({ event_name: 'call', payload })
    },
    advance: (days) => {
      sandbox.control.advance(Math.round(days * 86_400), secretKey)
    },
    finished: (id) => jobEnd(service, id),
  }
}

async function jobEnd(service: Pick<Service, 'findJob'>, id: string): Promise<JobReport> {
  for (;;) {
    const job = await service.findJob(id)
    if (job.state !== 'running') return job
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/**
 * A product for edge cases: two intervals, a metered price, two templates, a deal, and a price id that is a prefix of another.
 */
export function negotiated(
  version = '1.0.0',
  change: (config: BillingConfig) => void = () => undefined,
): BillingConfig {
  const config: BillingConfig = {
    version,
    meters: [{ id: 'calls', display_name: 'Calls', event_name: 'call' }],
    products: [
      {
        id: 'pro',
        name: 'Pro',
        prices: [
          { id: 'pro', amount: 5000, currency: 'usd', interval: 'month' },
          { id: 'pro_monthly', amount: 1000, currency: 'usd', interval: 'month' },
          { id: 'pro_yearly', amount: 10_000, currency: 'usd', interval: 'year' },
          { id: 'pro_monthly_gold', amount: 800, currency: 'usd', interval: 'month', enterprise_template: 'gold' },
          { id: 'pro_monthly_silver', amount: 900, currency: 'usd', interval: 'month', enterprise_template: 'silver' },
          { id: 'pro_monthly_acme', amount: 700, currency: 'usd', interval: 'month', enterprise_id: 'acme' },
        ],
      },
      {
        id: 'seats',
        name: 'Seats',
        prices: [
          { id: 'seat', amount: 300, currency: 'usd', interval: 'month' },
          { id: 'seat_gold', amount: 200, currency: 'usd', interval: 'month', enterprise_template: 'gold' },
        ],
      },
      {
        id: 'usage',
        name: 'Usage',
        prices: [
          { id: 'calls', amount: 5, currency: 'usd', interval: 'month', usage_type: 'metered', meter: 'calls' },
          {
            id: 'calls_gold',
            amount: 3,
            currency: 'usd',
            interval: 'month',
            usage_type: 'metered',
            meter: 'calls',
            enterprise_template: 'gold',
          },
        ],
      },
    ],
  }
  change(config)
  return config
}

/** The price of a document, for a test to edit. */
export function priceIn(config: BillingConfig, id: string) {
  const found = config.products.flatMap(({ prices }) => prices ?? []).find((price) => price.id === id)
  if (found === undefined) throw new Error(`no price ${id}`)
  return found
}
