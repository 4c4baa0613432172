// The real parts in one process: in-memory store, sandbox processor, Stripe adapter over HTTP, service.
import type Stripe from 'stripe'
import { createService } from '../../packages/ratecard/src/server/service/service.ts'
import type { Service, ServiceOptions } from '../../packages/ratecard/src/server/service/service.ts'
import { systemClock, type Clock } from '../../packages/ratecard/src/base/clock.ts'
import type { Snapshot } from '../../packages/ratecard/src/catalog/resource.ts'
import type { Processor } from '../../packages/ratecard/src/processor/processor.ts'
import { startSandbox, type Sandbox } from '../../packages/sandbox/src/server.ts'
import { createSealer, generateMasterKey } from '../../packages/ratecard/src/store/seal.ts'
import { openStore } from '../../packages/ratecard/src/store/sql/open-store.ts'
import type { Store } from '../../packages/ratecard/src/store/store.ts'
import { adapterTo, stripeAt } from './parts.ts'

export interface Stack {
  readonly service: Service
  readonly store: Store
  readonly processor: Processor
  readonly sandbox: Sandbox
  /** Stripe client of the same account, for edits made outside of Ratecard and for unmanaged objects. */
  readonly stripe: Stripe
  /** Number of write requests that the sandbox answered so far. */
  writes(): number
  snapshot(): Promise<Snapshot>
  close(): Promise<void>
}

export interface StackOptions {
  readonly sandbox?: Sandbox
  readonly secretKey?: string
  readonly requireVersionBump?: boolean
  readonly allowedRedirects?: readonly string[] | null
  readonly impactThreshold?: number
  /** Name of the server's environment. Default: it does not know its own. */
  readonly environment?: string
  readonly clock?: Clock
  /** Options of a worker host. Default: no workers. */
  readonly workers?: ServiceOptions['workers']
  /** Address of the processor for the adapter. Default: the sandbox. */
  readonly apiBase?: string
  /** Settings of the mirror, whose feed runs then. Default: no mirror. */
  readonly mirror?: ServiceOptions['mirror']
}

let accounts = 0

/** Starts a stack with its own account and store. Pass a sandbox to share one server between many stacks. */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const clock = options.clock ?? systemClock
  let writes = 0
  const secretKey = options.secretKey ?? `sk_test_${String(process.pid)}x${String(++accounts)}xxxxxxxx`
  const sandbox =
    options.sandbox ??
    (await startSandbox({
      port: 0,
      dataDir: null,
      clock,
      portalSavedFor: [secretKey],
      observe: ({ method }) => {
        if (method !== 'GET') writes++
      },
    }))
  const store = await openStore({ url: null, file: ':memory:', sealer: createSealer(generateMasterKey()), clock })
  const processor = adapterTo(options.apiBase ?? sandbox.url, secretKey, { clock })
  const service = createService({
    settings: {
      requireVersionBump: options.requireVersionBump ?? false,
      workers: 'off',
      allowedRedirects: options.allowedRedirects ?? null,
      impactThreshold: options.impactThreshold ?? null,
      environment: options.environment ?? null,
    },
    store,
    processor,
    processorName: 'sandbox',
    processorMode: 'sandbox',
    clock,
    ...(options.workers === undefined ? {} : { workers: options.workers }),
    ...(options.mirror === undefined ? {} : { mirror: options.mirror }),
  })
  service.feed?.feeder.start()
  return {
    service,
    store,
    processor,
    sandbox,
    stripe: stripeAt(sandbox.port, secretKey),
    writes: () => writes,
    snapshot: () => processor.snapshot({ signal: AbortSignal.timeout(30_000) }),
    close: async () => {
      await service.close()
      await store.close()
      if (options.sandbox === undefined) await sandbox.close()
    },
  }
}

export const nobody = { author: null, by: null, message: null }
