// Plan and impact of a price with many subscriptions on three generations of it, counted in the mirror.
import { processorId } from '../packages/ratecard/src/catalog/resource.ts'
import { createService } from '../packages/ratecard/src/server/service/service.ts'
import type { BillingConfig } from '../packages/ratecard/src/document/schema/schema.ts'
import { systemClock } from '../packages/ratecard/src/base/clock.ts'
import { newItem, newMirroredPrice, newSubscription } from '../test/store/suite/mirror-records.ts'
import { nobody, startStack, type Stack } from '../test/support/stack.ts'
import { elapsedMs, median, milliseconds, type BenchOptions, type BenchResult } from './support/measure.ts'

const aimMs = 300
const batch = 1_000

const catalogue = (amount: number): BillingConfig => ({
  version: `1.0.${String(amount)}`,
  products: [{ id: 'pro', name: 'Pro', prices: [{ id: 'pro_monthly', amount, currency: 'usd', interval: 'month' }] }],
})

export async function benchMirrorImpact({ quick }: BenchOptions): Promise<BenchResult[]> {
  const count = quick ? 1_200 : 12_000
  const stack = await startStack()
  try {
    for (const amount of [1000, 1100, 1200]) await stack.service.push(catalogue(amount), nobody)
    await fillMirror(stack, count)
    const report = (error: unknown) => {
      throw error
    }
    const service = createService({
      settings: { requireVersionBump: false, workers: 'off' },
      ...{
        store: stack.store,
        processor: stack.processor,
        processorName: 'sandbox',
        processorMode: 'sandbox',
        clock: systemClock,
      },
      // Not started: the mirror holds what was put into it.
      mirror: { pollSeconds: 300, eventsSecret: null, deliverTo: null, limitedReads: false, report },
    })
    const times: number[] = []
    for (let round = 0; round < 11; round++)
      times.push(
        await elapsedMs(async () => {
          const { impact } = await service.push(catalogue(1300), { ...nobody, dryRun: true })
          if (impact[0]?.subscriptions !== count) throw new Error(`${String(impact[0]?.subscriptions)} subscriptions`)
        }),
      )
    await service.close()
    const taken = median(times)
    return [
      {
        name: `plan and impact of a price of ${count.toLocaleString('en')} subscriptions, from the mirror`,
        ours: milliseconds(taken),
        yardstick: 'three generations, every tenant known',
        ratio: '',
        aim: `≤ ${milliseconds(aimMs)}`,
        met: taken <= aimMs,
      },
    ]
  } finally {
    await stack.close()
  }
}

async function fillMirror({ store }: Stack, count: number): Promise<void> {
  const prices = (await store.mappings.byConfigId('price', 'pro_monthly')).map(({ processorId: id }) => id)
  const { mirror } = store
  await mirror.save(
    'price',
    prices.map((id) => newMirroredPrice(id)),
    await mirror.beginRead(),
  )
  for (let from = 0; from < count; from += batch) {
    const subscriptions = Array.from({ length: Math.min(batch, count - from) }, (_, offset) => {
      const index = from + offset
      const price = prices[index % prices.length] ?? ''
      return newSubscription(`sub_${String(index)}`, {
        customer: processorId(`cus_${String(index)}`),
        items: [newItem(`si_${String(index)}`, price, { quantity: (index % 7) + 1 })],
      })
    })
    await mirror.save('subscription', subscriptions, await mirror.beginRead())
  }
  const now = Date.now()
  const state = { account: 'acct', filling: null, eventCursor: '', comparedAt: now, corrections: 0 }
  await mirror.setState({ ...state, readUntil: now, beganAt: now })
}
