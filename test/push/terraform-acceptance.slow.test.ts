// The acceptance cases of Stripe’s Terraform provider: each can be expressed, pushed and pulled without a loss.
import { describe, expect, it } from 'vitest'
import type { BillingConfig } from '../../packages/ratecard/src/document/schema/schema.ts'
import { validateConfig } from '../../packages/ratecard/src/document/validation/validate.ts'
import { acceptanceCases, someCustomer } from '../fixtures/terraform-acceptance.ts'
import { sharedSandbox } from '../support/shared-sandbox.ts'
import { nobody, type Stack } from '../support/stack.ts'

const { withStack } = sharedSandbox()

async function roundTrip({ service }: Stack, document: BillingConfig): Promise<void> {
  expect(validateConfig(document).errors).toEqual([])
  const { warnings } = await service.push(document, nobody)
  expect(warnings.filter(({ code }) => code === 'not_carried_over')).toEqual([])
  expect((await service.push(document, nobody)).status).toBe('unchanged')
  expect(await service.drift()).toMatchObject({ inSync: true, notes: [] })
  const { document: pulled, unrepresentable } = await service.pull()
  expect(unrepresentable).toEqual([])
  expect(validateConfig(pulled).errors).toEqual([])
  expect((await service.push(pulled, nobody)).status).toBe('unchanged')
}

/** Pulls the account into an empty store and checks that nothing was lost. */
async function fromTheAccountAlone({ service }: Stack, document: BillingConfig): Promise<void> {
  const { document: pulled, unrepresentable } = await service.pull()
  expect(unrepresentable).toEqual([])
  const { details } = await service.push(pulled, nobody)
  expect(details.filter(({ action }) => action === 'replace' || action === 'archive')).toEqual([])
  const said = (config: BillingConfig) =>
    JSON.stringify(config)
      .match(/"metadata":\{[^}]*\}/g)
      ?.sort()
  expect(said(pulled)).toEqual(said(document))
}

describe.each(acceptanceCases)('$name', ({ create, update }) => {
  it('can be written in the document, created, updated and pulled without a loss', async () => {
    const secretKey = `sk_test_acceptance${String(process.pid)}x${String(++accounts)}`
    await withStack(
      async (stack) => {
        const { id: customer } = await stack.stripe.customers.create({ name: 'Customer' })
        const real = (document: BillingConfig) =>
          JSON.parse(JSON.stringify(document).replaceAll(someCustomer, customer)) as BillingConfig
        await roundTrip(stack, real(create))
        await withStack((other) => fromTheAccountAlone(other, real(create)), { secretKey })
        if (update !== undefined) await roundTrip(stack, real(update))
      },
      { secretKey },
    )
  })
})

let accounts = 0
