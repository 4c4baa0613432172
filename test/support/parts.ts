// Single parts of the product for tests that put them together in their own way, e.g. a second replica or a restarted service.
// `startStack` starts all of them at once.
import Stripe from 'stripe'
import { type Clock, systemClock } from '../../packages/ratecard/src/base/clock.ts'
import { createService, type ServiceOptions } from '../../packages/ratecard/src/server/service/service.ts'
import { unlimitedBudget } from '../../packages/ratecard/src/processor/rate-budget.ts'
import { createStripeProcessor } from '../../packages/ratecard/src/processor/stripe/stripe-processor.ts'
import type { StripeProcessorOptions } from '../../packages/ratecard/src/processor/stripe/stripe-processor.ts'

/** The adapter with a short backoff and without a rate limit. */
export function adapterTo(
  apiBase: string,
  secretKey: string,
  options: Partial<Pick<StripeProcessorOptions, 'budget' | 'clock'>> = {},
) {
  return createStripeProcessor({
    secretKey,
    apiBase,
    budget: unlimitedBudget,
    clock: systemClock,
    firstWaitMs: 1,
    ...options,
  })
}

type ServiceParts = Pick<ServiceOptions, 'store' | 'processor'> & { readonly clock?: Clock }

/** A service without workers. */
export const serviceOver = ({ store, processor, clock = systemClock }: ServiceParts) =>
  createService({
    settings: { requireVersionBump: false, workers: 'off' },
    store,
    processor,
    processorName: 'sandbox',
    processorMode: 'sandbox',
    clock,
  })

/** A Stripe client of an account at the sandbox, without retries. */
export const stripeAt = (port: number, secretKey: string): Stripe =>
  new Stripe(secretKey, { host: '127.0.0.1', port, protocol: 'http', maxNetworkRetries: 0, telemetry: false })
