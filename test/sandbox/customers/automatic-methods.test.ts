// Intents that accept the payment methods of the account. Source: docs.stripe.com/changelog/2023-08-16/automatic-payment-methods.
import { describe, expect } from 'vitest'
import { sandboxTest as test } from '../../support/sandbox.ts'
import { refusal } from '../../support/shop/stripe-refusal.ts'

const payment = { amount: 1000, currency: 'usd', payment_method: 'pm_card_visa' } as const
const card = { payment_method: 'pm_card_visa' } as const
const returnUrl = 'https://shop.example/back'

describe('payment and setup intents with automatic payment methods in the sandbox', () => {
  test('return the parameter automatic_payment_methods, and allow redirects by default', async ({
    sandbox: { stripe },
  }) => {
    const asked = { automatic_payment_methods: { enabled: true } }
    for (const intent of [
      await stripe.paymentIntents.create({ ...payment, ...asked }),
      await stripe.setupIntents.create(asked),
    ]) {
      expect(intent.automatic_payment_methods).toEqual({ allow_redirects: 'always', enabled: true })
      expect(intent.payment_method_types).toEqual(['card'])
    }
    expect((await stripe.paymentIntents.create(payment)).automatic_payment_methods).toBeNull()
  })

  test('require a `return_url` when they are confirmed', async ({ sandbox: { stripe } }) => {
    const asked = { automatic_payment_methods: { enabled: true } }
    const expected = { message: expect.stringMatching(/^A `return_url` must be specified/), param: 'return_url' }
    expect(await refusal(stripe.paymentIntents.create({ ...payment, ...asked, confirm: true }))).toMatchObject(expected)
    expect(await refusal(stripe.setupIntents.create({ ...card, ...asked, confirm: true }))).toMatchObject(expected)
    const { id } = await stripe.paymentIntents.create({ ...payment, ...asked })
    expect(await refusal(stripe.paymentIntents.confirm(id))).toMatchObject(expected)
    expect((await stripe.paymentIntents.confirm(id, { return_url: returnUrl })).status).toBe('succeeded')
    const saved = await stripe.setupIntents.create({ ...card, ...asked, confirm: true, return_url: returnUrl })
    expect(saved.status).toBe('succeeded')
  })

  test('need no `return_url` if the payment is off-session or redirects are disallowed', async ({
    sandbox: { stripe },
  }) => {
    const asked = { automatic_payment_methods: { enabled: true } }
    const never = { automatic_payment_methods: { allow_redirects: 'never', enabled: true } } as const
    const paid = [
      await stripe.paymentIntents.create({ ...payment, ...asked, confirm: true, off_session: true }),
      await stripe.paymentIntents.create({ ...payment, ...never, confirm: true }),
      await stripe.setupIntents.create({ ...card, ...never, confirm: true }),
    ]
    expect(paid.map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'succeeded'])
  })

  test('are refused as not supported with `enabled: false` or together with `allowed_payment_method_types`', async ({
    sandbox: { stripe },
  }) => {
    const off = { automatic_payment_methods: { enabled: false } }
    expect(await refusal(stripe.setupIntents.create(off))).toMatchObject({
      message: 'The sandbox does not support `automatic_payment_methods[enabled]=false`.',
    })
    const both = { automatic_payment_methods: { enabled: true }, allowed_payment_method_types: ['card' as const] }
    expect(await refusal(stripe.paymentIntents.create({ ...payment, ...both }))).toMatchObject({
      message: 'The sandbox does not support `automatic_payment_methods` together with `allowed_payment_method_types`.',
    })
  })
})
