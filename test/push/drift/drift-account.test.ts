import { expect, test } from 'vitest'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { nobody, startStack } from '../../support/stack.ts'
import { startedForEach } from '../../support/started.ts'

const stack = startedForEach(startStack)

const shop: BillingConfig = {
  version: '1.0.0',
  products: [{ id: 'pro', name: 'Pro', prices: [{ id: 'pro_once', amount: 1000, currency: 'usd' }] }],
}

test('drift and pull with the key of another processor account are refused with account_mismatch, like a push', async () => {
  await stack.service.push(shop, nobody)
  const mine = (await stack.store.facts.get('processor_account')) ?? ''
  await stack.store.facts.set('processor_account', 'acct_another live')
  await expect(stack.service.drift()).rejects.toMatchObject({
    code: 'account_mismatch',
    message: `This environment belongs to the processor account acct_another live; the key is of ${mine}.`,
  })
  await expect(stack.service.pull()).rejects.toMatchObject({ code: 'account_mismatch' })
  await stack.store.facts.set('processor_account', mine)
  expect((await stack.service.drift()).inSync).toBe(true)
  expect((await stack.service.pull()).document.products).toHaveLength(1)
})
