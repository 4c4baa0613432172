// A process that rotates a webhook's secret (or ends the overlap) and kills itself (SIGKILL) at the n-th point: before and after
// every write of the journal, and before every call that goes out to the processor. Composed of the real parts.
import { createService } from '../../packages/ratecard/src/composition/compose.ts'
import { systemClock } from '../../packages/ratecard/src/clock.ts'
import { createStripeProcessor } from '../../packages/ratecard/src/processor/stripe/stripe-processor.ts'
import { createSealer } from '../../packages/ratecard/src/store/seal.ts'
import { openStore } from '../../packages/ratecard/src/store/sql/open-store.ts'
import { killPoints } from './kill-points.ts'

interface Order {
  readonly killAt: number
  readonly url: string | null
  readonly file: string
  readonly masterKey: string
  readonly apiBase: string
  readonly secretKey: string
  readonly overlapMs: number
}

const order = JSON.parse(process.argv[2] ?? '{}') as Order
const { counted, pass, passed } = killPoints(order.killAt)

const store = await openStore({ url: order.url, file: order.file, sealer: createSealer(order.masterKey) })
const jobs = counted(store.jobs, ['open', 'begin', 'settle', 'rotated', 'resume', 'wait', 'end'])
const watched = new Proxy(store, {
  get(object, name) {
    if (name === 'jobs') return jobs
    const value: unknown = Reflect.get(object, name)
    return typeof value === 'function' ? (value as (...args: unknown[]) => unknown).bind(object) : value
  },
})
const processor = createStripeProcessor({
  secretKey: order.secretKey,
  apiBase: order.apiBase,
  budget: {
    take: () => {
      pass()
      return Promise.resolve()
    },
  },
  clock: systemClock,
  firstWaitMs: 1,
})
const service = createService({
  settings: { requireVersionBump: false, workers: 'off' },
  store: watched,
  processor,
  processorName: 'sandbox',
  clock: systemClock,
})
const who = { author: null, by: null, message: null, requestId: null }
await service.rotateWebhook('hook', { ...who, overlapMs: order.overlapMs })
process.stdout.write(JSON.stringify({ points: passed() }))
await service.close()
await store.close()
