// Tests of the processor port, for any adapter and any server.
import { beforeAll, describe } from 'vitest'
import { accountRules } from './rules-account.ts'
import { customerRules } from './rules-customers.ts'
import { productRules } from './rules-products.ts'
import { promotionRules } from './rules-promotions.ts'
import { webhookRules } from './rules-webhooks.ts'
import { toolsFor, type Bench } from './tools.ts'

export function processorContract(name: string, open: () => Promise<Bench>): void {
  describe(`the processor port on ${name}`, () => {
    const tools = toolsFor(open)
    beforeAll(() => tools.start())

    accountRules(tools)
    productRules(tools)
    promotionRules(tools)
    webhookRules(tools)
    customerRules(tools)
  })
}
