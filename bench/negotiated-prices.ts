import type { BillingConfig, Price } from '../packages/ratecard/src/document/schema/schema.ts'
import { limitsFor } from '../packages/ratecard/src/processor/rate-budget.ts'
import { elapsedMs, median, milliseconds, type BenchOptions, type BenchResult } from './support/measure.ts'
import { caller, goldMoved, openShop, populateGold, type Shop } from './support/shop.ts'
import { payingCustomer } from '../test/support/shop/paying-customer.ts'

/** Items per subscription: the maximum that the processor allows. */
const items = 20
/** Latency per call in milliseconds, about that of the real processor. */
const latencyMs = 400
const templates = ['gold', 'silver'] as const

export async function benchNegotiatedPrices(options: BenchOptions): Promise<BenchResult[]> {
  return [await applyToOne(options), await moveMany(options)]
}

/**
 * Moves one tenant back and forth between two templates, compared with the same two calls made by the SDK alone. The difference is the
 * journal: each of its writes is on disk before the next call.
 */
async function applyToOne({ quick }: BenchOptions): Promise<BenchResult> {
  const shop = await openShop()
  try {
    await shop.push(catalogue(items, { gold: 800, silver: 900 }))
    const prices = await shop.prices()
    const bases = Array.from({ length: items }, (_, index) => `price_${String(index)}`)
    const [customer, bare] = await Promise.all([subscribe(shop, prices, bases), subscribe(shop, prices, bases)])
    await shop.service.createTenant({ id: 't', name: 't', processorCustomerId: customer }, caller)
    const ours: number[] = []
    const floor: number[] = []
    const rounds = quick ? 4 : 60
    const warmUp = 4
    for (let round = 0; round < warmUp + rounds; round++) {
      const template = templates[round % 2] ?? 'gold'
      const apply = await elapsedMs(async () => {
        const target = { kind: 'template', template } as const
        const { pricesSwapped } = await shop.service.applyEnterprise('t', target, { ...caller, dryRun: false })
        if (pricesSwapped !== items) throw new Error(`swapped ${String(pricesSwapped)} of ${String(items)}`)
      })
      const calls = await elapsedMs(() =>
        bareSwap(shop, bare, bases, (base) => prices.get(`${base}.${template}`) ?? ''),
      )
      if (round < warmUp) continue
      ours.push(apply)
      floor.push(calls)
    }
    const ratio = median(ours) / median(floor)
    return {
      name: `negotiated prices for a tenant with ${String(items)} items`,
      ours: milliseconds(median(ours)),
      yardstick: `the 2 calls it needs, through the SDK ${milliseconds(median(floor))}`,
      ratio: `${ratio.toFixed(2)}×`,
      aim: null,
      met: true,
    }
  } finally {
    await shop.close()
  }
}

/** The minimum of calls for a swap: one read of the subscription and one update of all its items. */
async function bareSwap(
  { stripe }: Shop,
  customer: string,
  bases: readonly string[],
  priceOf: (base: string) => string,
): Promise<void> {
  const { data } = await stripe.subscriptions.list({ customer, limit: 100 })
  const [subscription] = data
  if (subscription === undefined) throw new Error('no subscription')
  await stripe.subscriptions.update(subscription.id, {
    proration_behavior: 'none',
    items: subscription.items.data.map(({ id, quantity }, index) => ({
      id,
      price: priceOf(bases[index] ?? ''),
      quantity: quantity ?? 1,
    })),
  })
}

/** Moves every tenant of a template to its new price, with the rate limit of a test key at the processor. */
async function moveMany({ quick, tenants = quick ? 30 : 1000 }: BenchOptions & { readonly tenants?: number }) {
  const shop = await openShop()
  try {
    await shop.push(catalogue(1, { gold: 800, silver: 900 }))
    const prices = await shop.prices()
    await populateGold(shop, { to: tenants }, () => subscribe(shop, prices, ['price_0.gold']))
    await shop.push(catalogue(1, { gold: 700, silver: 900 }))
    await shop.limit(latencyMs)
    const before = shop.calls()
    const took = await elapsedMs(() => goldMoved(shop, tenants))
    const calls = shop.calls() - before
    const rate = limitsFor({ livemode: false }).perSecond
    const floor = (calls / rate) * 1000 + latencyMs
    const ratio = took / floor
    return {
      name: `${tenants.toLocaleString('en')} tenants moved to a template’s new price at ${String(rate)} calls/s of ${String(latencyMs)} ms`,
      ours: `${(took / 1000).toFixed(1)} s`,
      yardstick: `its ${calls.toLocaleString('en')} calls at that rate ${(floor / 1000).toFixed(1)} s`,
      ratio: `${ratio.toFixed(2)}×`,
      aim: '≤ 1.15×',
      met: ratio <= 1.15,
    }
  } finally {
    await shop.close()
  }
}

async function subscribe({ stripe }: Shop, prices: ReadonlyMap<string, string>, ids: readonly string[]) {
  const customer = await payingCustomer(stripe, { name: 'bench' })
  await stripe.subscriptions.create({
    customer,
    items: ids.map((id) => ({ price: prices.get(id) ?? id, quantity: 3 })),
  })
  return customer
}

function catalogue(bases: number, amounts: Readonly<Record<(typeof templates)[number], number>>): BillingConfig {
  const monthly = { currency: 'usd', interval: 'month' } as const
  const prices = Array.from({ length: bases }, (_, index): Price[] => {
    const id = `price_${String(index)}`
    const negotiated = templates.map((template): Price => ({
      ...monthly,
      id: `${id}.${template}`,
      amount: amounts[template],
      base_price: id,
      enterprise_template: template,
    }))
    return [{ ...monthly, id, amount: 1000 }, ...negotiated]
  })
  return { version: '1.0.0', products: [{ id: 'product', name: 'Product', prices: prices.flat() }] }
}
