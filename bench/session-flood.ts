// What others wait for while one customer's session sends 200 requests at once: another tenant's checkout and preview, and a seller's plan.
import type { BillingConfig } from '../packages/ratecard/src/document/schema/schema.ts'
import { payingCustomer } from '../test/support/shop/paying-customer.ts'
import { elapsedMs, median, type BenchOptions, type BenchResult } from './support/measure.ts'
import { caller, openShop, type Shop } from './support/shop.ts'
import type { Principal } from '../packages/ratecard/src/api/customers/sessions.ts'

const document: BillingConfig = {
  version: '1.0.0',
  products: [
    {
      ...{ id: 'pro', name: 'Pro' },
      prices: [
        { id: 'pro', amount: 1000, currency: 'usd', interval: 'month' },
        { id: 'pro_year', amount: 10_000, currency: 'usd', interval: 'year' },
      ],
    },
    { id: 'book', name: 'Book', prices: [{ id: 'book', amount: 500, currency: 'usd' }] },
  ],
}
const atOnce = 200
const urls = { successUrl: 'http://127.0.0.1:9/done', cancelUrl: 'http://127.0.0.1:9/back' }

export async function benchSessionFlood({ quick }: BenchOptions): Promise<BenchResult[]> {
  const shop = await openShop()
  try {
    await shop.push(document)
    const [flood, calm] = [await sessionOf(shop, 'flood'), await sessionOf(shop, 'calm')]
    await shop.limit(40)
    const preview = (principal: Principal) =>
      shop.service.previewChange({ items: [{ priceId: 'pro_year' }] }, principal)
    const works = {
      checkout: () => shop.service.createCheckout({ ...urls, priceId: 'book' }, calm, null),
      preview: () => preview(calm),
      plan: () => shop.service.push({ ...document, version: '1.1.0' }, { ...caller, dryRun: true }),
    }
    const rounds = quick ? 3 : 7
    const before = await timesOf(works, rounds)
    let stopped = false
    const flooding = Promise.all(
      Array.from({ length: atOnce }, async () => {
        while (!stopped) await preview(flood).catch(() => new Promise((resolve) => setTimeout(resolve, 5)))
      }),
    )
    const during = await timesOf(works, rounds)
    stopped = true
    await flooding
    return (['checkout', 'preview', 'plan'] as const).map((name) => {
      const ratio = during[name] / before[name]
      return {
        name: `${name} while one session has ${String(atOnce)} previews under way`,
        ours: `${during[name].toFixed(0)} ms`,
        yardstick: `${before[name].toFixed(0)} ms without them`,
        ratio: `${ratio.toFixed(1)}×`,
        aim: '≤ 2×',
        met: ratio <= 2,
      }
    })
  } finally {
    await shop.close()
  }
}

async function sessionOf({ service, stripe, prices }: Shop, id: string): Promise<Principal> {
  const customer = await payingCustomer(stripe, { name: id })
  await service.createTenant({ id, name: id, processorCustomerId: customer }, caller)
  await stripe.subscriptions.create({ customer, items: [{ price: (await prices()).get('pro') ?? '' }] })
  return { kind: 'session', session: await service.createSession(id, null) }
}

type Works = Readonly<Record<'checkout' | 'preview' | 'plan', () => Promise<unknown>>>

async function timesOf(works: Works, rounds: number) {
  const times = { checkout: [] as number[], preview: [] as number[], plan: [] as number[] }
  for (let round = 0; round < rounds; round++)
    for (const name of ['checkout', 'preview', 'plan'] as const) times[name].push(await elapsedMs(works[name]))
  return { checkout: median(times.checkout), preview: median(times.preview), plan: median(times.plan) }
}
