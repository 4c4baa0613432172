// Runs the adapter's suite against Stripe in test mode. Leaves archived objects behind, because Stripe cannot delete most objects.
import { randomBytes } from 'node:crypto'
import Stripe from 'stripe'
import { describe, it } from 'vitest'
import { systemClock } from '../../packages/ratecard/src/base/clock.ts'
import { budgetFor } from '../../packages/ratecard/src/processor/rate-budget.ts'
import { createStripeProcessor } from '../../packages/ratecard/src/processor/stripe/stripe-processor.ts'
import { announceSkip } from '../support/skips.ts'
import { processorContract } from './suite/suite.ts'

const secretKey = process.env['RATECARD_TEST_STRIPE_KEY']

if (secretKey === undefined || !/^(sk|rk)_test_/.test(secretKey)) {
  const reason = 'RATECARD_TEST_STRIPE_KEY holds no test key'
  announceSkip('the processor port on Stripe in test mode', reason, 'account')
  describe('the contract tests of the processor against Stripe in test mode', () => {
    it.skip('are skipped in this run, because RATECARD_TEST_STRIPE_KEY contains no test key', () => undefined)
  })
} else {
  processorContract('Stripe in test mode', async () => {
    const budget = budgetFor({ livemode: false, sandboxUnthrottled: false, clock: systemClock })
    const common = { apiBase: null, budget, clock: systemClock }
    return {
      processor: createStripeProcessor({ ...common, secretKey }),
      stranger: createStripeProcessor({ ...common, secretKey: `sk_test_${randomBytes(12).toString('hex')}` }),
      run: randomBytes(4).toString('hex'),
      livemode: false,
      stripe: new Stripe(secretKey, { telemetry: false }),
    }
  })
}
