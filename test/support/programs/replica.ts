// A replica in a separate process, composed of the real parts. Unlike the command it has no rate limit for processor calls, its lease
// duration is configurable, and it can stop itself (SIGSTOP) at a given point of a push.
import { flushCompileCache } from 'node:module'
import { createService } from '../../../packages/ratecard/src/server/service/service.ts'
import { systemClock } from '../../../packages/ratecard/src/base/clock.ts'
import { buildApp } from '../../../packages/ratecard/src/server/http/app.ts'
import type { Processor } from '../../../packages/ratecard/src/processor/processor.ts'
import type { RateBudget } from '../../../packages/ratecard/src/processor/rate-budget.ts'
import { createStripeProcessor } from '../../../packages/ratecard/src/processor/stripe/stripe-processor.ts'
import { createSealer } from '../../../packages/ratecard/src/store/seal.ts'
import { openStore } from '../../../packages/ratecard/src/store/sql/open-store.ts'

export interface ReplicaOrder {
  readonly databaseUrl: string
  readonly masterKey: string
  readonly serviceKey: string
  readonly secretKey: string
  readonly apiBase: string
  readonly leaseMs: number
  /** Runs the feed of the mirror; absent if it is off. */
  readonly mirror?: { readonly pollSeconds: number; readonly eventsSecret: string }
  readonly stop: { readonly at: 'before_sending' | 'after_answer'; readonly write: number } | null
}

const order = JSON.parse(process.argv[2] ?? '{}') as ReplicaOrder
const passed = { before_sending: 0, after_answer: 0 }

function pass(at: keyof typeof passed): void {
  if (++passed[at] === order.stop?.write && at === order.stop.at) process.kill(process.pid, 'SIGSTOP')
}

const budget: RateBudget = {
  take: (operation) => {
    if (!operation.startsWith('GET')) pass('before_sending')
    return Promise.resolve()
  },
}

function stoppable(processor: Processor): Processor {
  return {
    ...processor,
    perform: async (step, options) => {
      const performed = await processor.perform(step, options)
      pass('after_answer')
      return performed
    },
  }
}

const { databaseUrl, masterKey, serviceKey, secretKey, apiBase, leaseMs, mirror } = order
const store = await openStore({ url: databaseUrl, file: '', sealer: createSealer(masterKey), leaseMs })
const service = createService({
  settings: { requireVersionBump: false, workers: 'off' },
  store,
  processor: stoppable(createStripeProcessor({ secretKey, apiBase, budget, clock: systemClock })),
  processorName: 'sandbox',
  processorMode: 'sandbox',
  clock: systemClock,
  // Failures are part of the tests, and retried.
  ...(mirror === undefined
    ? {}
    : { mirror: { ...mirror, deliverTo: null, limitedReads: false, report: () => undefined } }),
})
await service.ensureFirstKey(serviceKey)
const app = await buildApp({
  service,
  settings: { rateLimit: 1000, publicUrl: null, logLevel: 'silent' },
  clock: systemClock,
})
const url = await app.listen({ host: '127.0.0.1', port: 0 })
service.lookups.start()
service.feed?.feeder.start()
// Node writes the compile cache on a regular exit, but a replica is killed.
flushCompileCache()
process.stdout.write(`${JSON.stringify({ url })}\n`)
