// A shop with tenants: a service with a sandbox account and a store, new for each test.
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { duplicateKey } from '../../../packages/ratecard/src/processor/customer-half.ts'
import { nobody, startStack, type Stack, type StackOptions } from '../../support/stack.ts'
import type { NewTenant } from '../../../packages/ratecard/src/api/customers/tenants.ts'
import type { Caller } from '../../../packages/ratecard/src/api/notation/callers.ts'
import type { NewCheckout } from '../../../packages/ratecard/src/api/customers/checkout.ts'
import type { Principal } from '../../../packages/ratecard/src/api/customers/sessions.ts'

export const caller: Caller = { author: 'ada', by: { keyId: 'key_1', keyName: 'ci' }, requestId: 'req_1' }
export const forTenant = (tenantId: string): Principal => ({ kind: 'key', keyId: 'key_1', tenantId })

/** Yearly, monthly, one-time, metered, free and negotiated prices of one product. */
export function kiln(version = '1.0.0', monthlyAmount = 4900): BillingConfig {
  const eur = { currency: 'eur' } as const
  return {
    version,
    meters: [{ id: 'readings', display_name: 'Readings', event_name: 'reading' }],
    products: [
      {
        id: 'kiln',
        name: 'Kiln',
        prices: [
          { id: 'kiln', amount: 9900, ...eur },
          { id: 'kiln_monthly', amount: monthlyAmount, interval: 'month', ...eur },
          { id: 'kiln_monthly_partner', amount: 3900, interval: 'month', enterprise_template: 'partner', ...eur },
          { id: 'kiln_free', amount: 0, interval: 'month', ...eur },
          { id: 'kiln_ask', amount: 0, ...eur },
          { id: 'kiln_usage', amount: 25, interval: 'month', usage_type: 'metered', meter: 'readings', ...eur },
        ],
      },
    ],
    coupons: [{ id: 'quarter', percent_off: 25, duration: 'forever' }],
    promotion_codes: [{ id: 'code_quarter', code: 'QUARTER', coupon: 'quarter' }],
  }
}

export interface World extends Stack {
  buy(
    tenantId: string,
    priceId: string,
    more?: Partial<NewCheckout>,
  ): Promise<{ url: string; sessionId: string | null }>
  /** Gives a tenant several subscriptions at the processor, without the service's check for duplicates. Returns their ids. */
  subscribeUnasked(tenantId: string, priceIds: readonly string[]): Promise<readonly string[]>
  /** Enters a card on the hosted page, as a customer does. */
  pay(url: string): Promise<{ status: number; location: string | null }>
}

interface WorldOptions extends StackOptions {
  /** Default: {@link kiln}. */
  readonly document?: BillingConfig
  readonly tenant?: NewTenant
}

export async function startWorld({ document = kiln(), tenant, ...options }: WorldOptions = {}): Promise<World> {
  const stack = await startStack(options)
  await stack.service.push(document, nobody)
  if (tenant !== undefined) await stack.service.createTenant(tenant, caller)
  const buy: World['buy'] = (tenantId, priceId, more = {}) =>
    stack.service.createCheckout(
      { priceId, successUrl: 'http://127.0.0.1:9/done', cancelUrl: 'http://127.0.0.1:9/back', ...more },
      forTenant(tenantId),
      null,
    )
  const pay: World['pay'] = async (url) => {
    const body = new URLSearchParams({ action: 'pay', email: 'a@b.example', number: '4242 4242 4242 4242' })
    const reply = await fetch(url, { method: 'POST', body, redirect: 'manual' })
    return { status: reply.status, location: reply.headers.get('location') }
  }
  return {
    ...stack,
    buy,
    pay,
    async subscribeUnasked(tenantId, priceIds) {
      for (const priceId of priceIds) await pay((await buy(tenantId, priceId, { allowDuplicate: true })).url)
      const { subscriptions } = await stack.service.tenantSubscriptions(tenantId)
      for (const { id } of subscriptions)
        await stack.stripe.subscriptions.update(id, { metadata: { [duplicateKey]: '' } })
      return subscriptions.map(({ id }) => id)
    },
  }
}
