import { test } from 'vitest'
import type { Processor } from '../../../packages/ratecard/src/processor/processor.ts'
import { unlimitedBudget } from '../../../packages/ratecard/src/processor/rate-budget.ts'
import { createStripeProcessor } from '../../../packages/ratecard/src/processor/stripe/stripe-processor.ts'
import type { StripeProcessorOptions } from '../../../packages/ratecard/src/processor/stripe/stripe-processor.ts'
import { sandboxForTest, type TestSandbox } from '../../support/sandbox.ts'

/** The adapter to a sandbox, with a backoff of 2 ms. */
export function processorOf(sandbox: TestSandbox, options: Partial<StripeProcessorOptions> = {}): Processor {
  return createStripeProcessor({
    secretKey: sandbox.apiKey,
    apiBase: sandbox.url,
    budget: unlimitedBudget,
    clock: sandbox.clock,
    firstWaitMs: 2,
    ...options,
  })
}

export async function sandboxAndProcessor(options: Partial<StripeProcessorOptions> = {}) {
  const sandbox = await sandboxForTest()
  const secretKey = sandbox.apiKey
  let calls = 0
  const processor = processorOf(sandbox, { secretKey, ...options })
  const signal = AbortSignal.timeout(60_000)
  /** The requests that the sandbox logged, e.g. `POST /v1/products 200`. The status is null if the socket was closed without a response. */
  const requests = () =>
    sandbox.control.requests().map(({ method, path, status }) => `${method} ${path} ${status ?? 'closed'}`)
  const writing = () => ({ idempotencyKey: `key-${++calls}`, signal })
  return { sandbox, processor, signal, requests, writing }
}

/** `test` with an adapter and its sandbox: `async ({ adapter }) => …`. */
export const adapterTest = test.extend('adapter', () => sandboxAndProcessor())
