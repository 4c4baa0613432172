// A tenant with random purchases, and random faults: after applying a deal, each item with a negotiated price is on it, with its quantity
// and without an invoice, and the renewal has the exact amount.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ServiceError } from '../../../packages/ratecard/src/base/errors/service-error.ts'
import type { Currency } from '../../../packages/ratecard/src/base/money/currencies.ts'
import type { Sandbox } from '../../../packages/sandbox/src/server.ts'
import { arbitraryCase, cost, documentOf, eventOf, itemsOf } from '../../support/generated/arbitrary-tenant.ts'
import type { Amount, Bought, Case, Offer } from '../../support/generated/arbitrary-tenant.ts'
import { sharedSandbox } from '../../support/shared-sandbox.ts'
import { startStack } from '../../support/stack.ts'
import { gold, nothing, shopOver, type TenantShop } from '../../support/shop/tenant-shop.ts'

/** Currencies with two, three and no decimals, and some that are charged only in multiples of 10 or 100 minor units. */
const someCurrencies: readonly Currency[] = [
  ...(['usd', 'eur', 'gbp', 'aud', 'brl', 'chf', 'inr', 'mxn', 'pln', 'thb', 'huf', 'twd'] as const),
  ...(['jpy', 'krw', 'clp', 'vnd', 'isk', 'ugx', 'kwd', 'bhd'] as const),
]
const runs = Math.ceil(Number(process.env['PROPERTY_RUNS'] ?? someCurrencies.length) / someCurrencies.length)

let accounts = 0
const { sandbox } = sharedSandbox()

const faults = fc.array(
  fc.record({
    kind: fc.constantFrom(
      ...(['error_before', 'error_after', 'close_before', 'close_after', 'cut_body', 'lock_timeout'] as const),
    ),
    path: fc.constantFrom('/v1/subscriptions/*', '/v1/subscription_schedules', '/v1/subscription_schedules/*', '*'),
    skip: fc.nat(4),
    count: fc.integer({ min: 1, max: 4 }),
  }),
  { maxLength: 3 },
)

interface Sold {
  readonly bought: Bought
  readonly offers: readonly Offer[]
  readonly id: string
}

async function sell(shop: TenantShop, one: Case, customer: string): Promise<readonly Sold[]> {
  const sold: Sold[] = []
  for (const bought of one.bought) {
    const offers = itemsOf(one, bought)
    if (offers.length === 0) continue
    const items = Object.fromEntries(offers.map(({ base, metered }) => [base, metered ? null : bought.quantity]))
    const { id } = await shop.subscribe(customer, items, {
      ...(bought.trial ? { trial_period_days: 10 } : {}),
      ...(bought.ending ? { cancel_at_period_end: true } : {}),
    })
    sold.push({ bought, offers, id })
  }
  return sold
}

async function use(shop: TenantShop, one: Case, customer: string, value: number): Promise<void> {
  for (const { base, metered } of one.offers)
    if (metered)
      await shop.stripe.billing.meterEvents.create({
        event_name: eventOf(base),
        payload: { stripe_customer_id: customer, value: String(value) },
      })
}

/** Retries until there is no fault left. */
async function applied(shop: TenantShop, tries = 12) {
  for (let left = tries; ; left--) {
    try {
      return await shop.apply('t', gold)
    } catch (error) {
      if (!(error instanceof ServiceError) || left === 0) throw error
    }
  }
}

/** Expected price of each item: metered items change at period end, and not at all in the last period. */
function wantedItems({ bought, offers }: Sold, former: ReadonlyMap<string, string>, renewed: boolean) {
  return Object.fromEntries(
    offers.map((offer) => {
      const moved = offer.gold !== null && (!offer.metered || (renewed && !bought.ending))
      return [
        moved ? `${offer.base}.gold` : (former.get(offer.base) ?? offer.base),
        offer.metered ? null : bought.quantity,
      ]
    }),
  )
}

/** The end of a trial bills nothing for metered items, and without any other item there is no invoice. */
function renewalOf({ bought, offers }: Sold, usage: number): number | undefined {
  if (bought.trial && offers.every(({ metered }) => metered)) return undefined
  const amountOf = ({ metered, gold: negotiated, first }: Offer): Amount => (metered ? first : (negotiated ?? first))
  return offers.reduce((sum, offer) => {
    if (!offer.metered) return sum + cost(amountOf(offer), bought.quantity)
    return sum + (bought.trial ? 0 : cost(offer.first, usage))
  }, 0)
}

async function firstRenewal(shop: TenantShop, { id }: Sold): Promise<number | undefined> {
  const { data } = await shop.stripe.invoices.list({ subscription: id, limit: 100 })
  return data.filter(({ billing_reason: reason }) => reason === 'subscription_cycle').at(-1)?.total
}

async function holds(one: Case, currency: Currency, orders: readonly Parameters<Sandbox['control']['fail']>[0][]) {
  const secretKey = `sk_test_negotiated${String(++accounts)}xxxxxxxx`
  const stack = await startStack({ sandbox, secretKey })
  try {
    const shop = shopOver(stack, secretKey)
    await shop.push(documentOf(one, currency, 1))
    const customer = await shop.tenant('t')
    const sold = await sell(shop, one, customer)
    const former = new Map<string, string>()
    for (const { base } of one.offers) former.set(base, await shop.processorPrice(base))
    await shop.push(documentOf(one, currency, 2))
    for (const [base, price] of former) if (price === (await shop.processorPrice(base))) former.delete(base)
    await use(shop, one, customer, one.usageBefore)
    const invoices = (await shop.invoices(customer)).length

    for (const order of orders) sandbox.control.fail(order)
    await applied(shop)
    sandbox.control.clearFaults()
    expect(await shop.apply('t', gold)).toMatchObject({ pricesSwapped: 0 })
    for (const each of sold) expect(await shop.items(each.id)).toEqual(wantedItems(each, former, false))
    expect(await shop.invoices(customer)).toHaveLength(invoices)
    expect(await shop.service.findTenant('t')).toMatchObject({ enterpriseTemplate: 'gold', enterpriseId: null })

    await use(shop, one, customer, one.usageAfter)
    for (const interval of ['month', 'year'] as const) {
      shop.advance(interval === 'month' ? 32 : 340)
      for (const each of sold.filter(({ bought }) => bought.interval === interval && !bought.ending)) {
        expect(await shop.items(each.id)).toEqual(wantedItems(each, former, true))
        expect(await firstRenewal(shop, each)).toBe(renewalOf(each, one.usageBefore + one.usageAfter))
      }
    }
    await shop.apply('t', nothing)
    expect(await shop.service.findTenant('t')).toMatchObject({ enterpriseTemplate: null, enterpriseId: null })
    expect(await shop.apply('t', nothing)).toMatchObject({ pricesSwapped: 0 })
  } finally {
    sandbox.control.clearFaults()
    await stack.close()
  }
}

test.each(someCurrencies)(
  'in %s, after a deal was applied with random faults, each item has its negotiated price and the renewal has the exact amount',
  async (currency) => {
    await fc.assert(
      fc.asyncProperty(arbitraryCase, faults, (one, orders) =>
        holds(
          one,
          currency,
          orders.map((order) => ({ ...order, method: 'POST' })),
        ),
      ),
      { numRuns: runs },
    )
  },
)
