// A shop with a mirror that sells an API with credits.
import type { BillingConfig, Price } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { ServiceError } from '../../../packages/ratecard/src/base/errors/service-error.ts'
import { mirrorSettings } from '../../support/mirror.ts'
import { urls } from '../../support/shop/selling.ts'
import { tenantShop, type TenantShop } from '../../support/shop/tenant-shop.ts'
import type { Credits } from '../../../packages/ratecard/src/api/customers/credits.ts'

const usd = { currency: 'usd' } as const
const monthly = { ...usd, interval: 'month' } as const

/** A plan with usage and an included credit, and a top-up. `plan` changes the plan's price. */
export const creditDocument = (version = '1.0.0', plan: Partial<Price> = {}): BillingConfig => ({
  version,
  meters: [{ id: 'calls', display_name: 'Calls', event_name: 'call' }],
  products: [
    {
      id: 'api',
      name: 'API',
      prices: [
        { id: 'usage', amount: 5, ...monthly, usage_type: 'metered', meter: 'calls' },
        {
          ...{ id: 'plan', amount: 2900, ...monthly },
          grants_credit: { amount: 1000, expires_after_days: 45, meters: ['calls'] },
          ...plan,
        },
        { id: 'top_up', amount: 5000, ...usd, grants_credit: { amount: 6000 } },
      ],
    },
  ],
})

export interface CreditWorld extends TenantShop {
  readonly customer: string
  /** Advances the clock of the service and of the sandbox, but not the account's. */
  later(ms: number): void
  /** Lets the mirror catch up, grants what is owed, and returns the tenant's credits. */
  credits(): Promise<Credits>
  /** The tenant's balance in minor units; 0 without credit. */
  balance(): Promise<number>
  buyTopUp(quantity?: number): Promise<void>
}

/** Starts the shop with a tenant `t` whose customer has a card. */
export async function creditWorld(document = creditDocument()): Promise<CreditWorld> {
  let aheadMs = 0
  const clock = { now: () => Date.now() + aheadMs }
  const shop = await tenantShop(document, { mirror: mirrorSettings, clock })
  const customer = await shop.tenant('t')
  const { service } = shop
  const caughtUp = async (since: number): Promise<Credits> => {
    for (;;) {
      service.feed?.feeder.start()
      service.feed?.feeder.wake()
      const credits = await service.tenantCredits('t').catch((error: unknown) => {
        if (error instanceof ServiceError && error.code === 'mirror_filling') return null
        throw error
      })
      // Events of an account whose clock is ahead are marked with a time in the future, which `asOf` does not show.
      if (credits !== null && credits.asOf >= since && (await shop.store.mirror.staleCount()) === 0)
        return service.tenantCredits('t')
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  const credits = async () => {
    await caughtUp(clock.now())
    await service.waitingJobs.continueDue()
    return caughtUp(clock.now())
  }
  return {
    ...shop,
    customer,
    later: (ms) => {
      aheadMs += ms
    },
    credits,
    balance: async () => (await credits()).balance[0]?.amount ?? 0,
    buyTopUp: async (quantity = 1) => {
      const request = {
        items: [{ priceId: 'top_up', quantity }],
        ...{ successUrl: urls.success_url, cancelUrl: urls.cancel_url },
      }
      const { url } = await service.createCheckout(request, { kind: 'key', keyId: 'key', tenantId: 't' }, null)
      const body = new URLSearchParams({ action: 'pay', email: 'buyer@example.test', number: '4242424242424242' })
      const paid = await fetch(url, { method: 'POST', body, redirect: 'manual' })
      if (paid.status !== 303) throw new Error(`the checkout was not paid: ${String(paid.status)}`)
    },
  }
}
