import { afterAll } from 'vitest'
import { startTestSandbox, type TestSandbox } from '../support/sandbox.ts'
import { processorOf } from './suite/bench.ts'
import { processorContract } from './suite/suite.ts'

let sandbox: TestSandbox | undefined

processorContract('the sandbox through the Stripe adapter', async () => {
  sandbox = await startTestSandbox()
  return {
    processor: processorOf(sandbox),
    stranger: processorOf(sandbox, { secretKey: 'sk_test_not-a-key' }),
    run: 'x1',
    livemode: false,
    stripe: sandbox.stripe,
  }
})

afterAll(() => sandbox?.close())
