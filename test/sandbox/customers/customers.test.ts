import { describe, expect } from 'vitest'
import { sandboxTest as test } from '../../support/sandbox.ts'
import { refusal } from '../../support/shop/stripe-refusal.ts'

describe('customers of the sandbox:', () => {
  test('a customer needs no parameters, and each parameter that is sent is returned', async ({
    sandbox: { stripe },
  }) => {
    expect(await stripe.customers.create()).toMatchObject({
      object: 'customer',
      email: null,
      balance: 0,
      delinquent: false,
      tax_exempt: 'none',
      preferred_locales: [],
    })
    const given = {
      email: 'a@example.test',
      name: 'A',
      phone: '1',
      description: 'd',
      tax_exempt: 'reverse' as const,
      metadata: { tenant: 't' },
    }
    const made = await stripe.customers.create({ ...given, address: { city: 'Kyoto', country: 'JP' } })
    expect(made).toMatchObject({ ...given, address: { city: 'Kyoto', country: 'JP', line1: null } })
  })

  test('an empty text clears the field of a customer, and other fields keep their values', async ({
    sandbox: { stripe },
  }) => {
    const { id } = await stripe.customers.create({ email: 'a@example.test', name: 'A', address: { city: 'Kyoto' } })
    expect(await stripe.customers.update(id, { name: '', address: '' })).toMatchObject({
      email: 'a@example.test',
      name: null,
      address: null,
    })
  })

  test('a deleted customer can still be retrieved, marked as deleted', async ({ sandbox: { stripe } }) => {
    const { id } = await stripe.customers.create({ email: 'a@example.test' })
    await stripe.customers.del(id)
    expect(await stripe.customers.retrieve(id)).toMatchObject({ id, object: 'customer', deleted: true })
    expect((await stripe.customers.list()).data).toEqual([])
    expect(await refusal(stripe.customers.update(id, { name: 'x' }))).toMatchObject({ status: 404 })
    expect(await refusal(stripe.customers.retrieve('cus_nope'))).toMatchObject({
      status: 404,
      message: "No such customer: 'cus_nope'",
    })
  })

  test('the list of customers can be filtered by exact email address', async ({ sandbox: { stripe } }) => {
    const { id } = await stripe.customers.create({ email: 'a@example.test' })
    await stripe.customers.create({ email: 'b@example.test' })
    expect((await stripe.customers.list({ email: 'a@example.test' })).data.map((found) => found.id)).toEqual([id])
    expect((await stripe.customers.list({ email: 'A@example.test' })).data).toEqual([])
  })

  test('unsupported parameters of a customer are refused, not silently ignored', async ({ sandbox: { stripe } }) => {
    expect(await refusal(stripe.customers.create({ business_name: 'Acme' }))).toMatchObject({
      param: 'business_name',
      message: 'The sandbox does not support the parameter `business_name`.',
    })
  })

  test('a customer can be created with a default card', async ({ sandbox: { stripe } }) => {
    const made = await stripe.customers.create({
      payment_method: 'pm_card_visa',
      invoice_settings: { default_payment_method: 'pm_card_visa' },
    })
    const { data } = await stripe.paymentMethods.list({ customer: made.id })
    expect(data).toMatchObject([{ customer: made.id, card: { last4: '4242' } }])
    expect(made.invoice_settings.default_payment_method).toBe(data[0]?.id)
    expect((await refusal(stripe.customers.create({ payment_method: 'pm_no' }))).code).toBe('resource_missing')
    expect((await stripe.customers.list()).data).toHaveLength(1)
  })
})
