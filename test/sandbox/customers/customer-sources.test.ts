// Cards as older programs use them: a token becomes a source of a customer, which pays by default and is also a payment method.
import type Stripe from 'stripe'
import { expect } from 'vitest'
import { idOf, sandboxForTest, sandboxTest as test } from '../../support/sandbox.ts'

async function told({ stripe }: { readonly stripe: Stripe }): Promise<[string, unknown][]> {
  const { data } = await stripe.events.list({ limit: 100 })
  return data.map(({ type, data: { previous_attributes: before } }): [string, unknown] => [type, before]).toReversed()
}

test('a customer’s first source becomes the default source, and pays an invoice', async ({ sandbox }) => {
  const { stripe } = sandbox
  const { id: customer } = await stripe.customers.create()
  const card = await stripe.customers.createSource(customer, { source: 'tok_mastercard', metadata: { a: '1' } })
  expect(card).toMatchObject({
    ...{ object: 'card', brand: 'MasterCard', last4: '4444', customer, metadata: { a: '1' } },
  })
  expect((await stripe.customers.retrieve(customer)) as Stripe.Customer).toMatchObject({ default_source: card.id })
  expect(await told(sandbox)).toEqual([
    ['customer.created', undefined],
    ['customer.source.created', undefined],
    ['customer.updated', { default_source: null }],
  ])
  await stripe.invoiceItems.create({ customer, amount: 2000, currency: 'usd' })
  const drafted = await stripe.invoices.create({ customer, pending_invoice_items_behavior: 'include' })
  expect((await stripe.invoices.pay(drafted.id)).status).toBe('paid')
  expect((await stripe.paymentMethods.list({ customer })).data.map(({ id }) => id)).toEqual([card.id])
})

test('a source can be updated, and after the deletion of the default source the newest remaining source becomes the default', async () => {
  const sandbox = await sandboxForTest()
  const { stripe } = sandbox
  const { id: customer, default_source: first } = await stripe.customers.create({ source: 'tok_visa' })
  const second = await stripe.customers.createSource(customer, { source: 'tok_amex' })
  expect((await stripe.customers.listSources(customer)).data.map(({ id }) => id).toSorted()).toEqual(
    [idOf(first), second.id].toSorted(),
  )
  const before = (await told(sandbox)).length
  const changed = await stripe.customers.updateSource(customer, idOf(first), { name: 'Ada', address_city: 'London' })
  expect(changed).toMatchObject({ name: 'Ada', address_city: 'London', address_country: null })
  expect(await stripe.customers.deleteSource(customer, idOf(first))).toMatchObject({
    ...{ id: first, object: 'card', deleted: true },
  })
  expect((await told(sandbox)).slice(before)).toEqual([
    ['customer.source.updated', { name: null, address_city: null }],
    ['customer.source.deleted', undefined],
    ['customer.updated', { default_source: first }],
  ])
  expect((await stripe.customers.retrieve(customer)) as Stripe.Customer).toMatchObject({ default_source: second.id })
  await expect(stripe.customers.retrieveSource(customer, idOf(first))).rejects.toMatchObject({ statusCode: 404 })
  await stripe.paymentMethods.detach(second.id)
  expect((await stripe.customers.retrieve(customer)) as Stripe.Customer).toMatchObject({ default_source: null })
})

test('a card attached as a payment method is not listed as a source, and an unsupported test token is refused with its name', async () => {
  const { stripe } = await sandboxForTest()
  const { id: customer } = await stripe.customers.create()
  const { id } = await stripe.paymentMethods.attach('pm_card_visa', { customer })
  expect((await stripe.customers.listSources(customer)).data).toEqual([])
  await expect(stripe.customers.retrieveSource(customer, id)).rejects.toMatchObject({ statusCode: 404 })
  await expect(stripe.customers.createSource(customer, { source: 'tok_visa_debit' })).rejects.toThrow(
    'The sandbox does not support the test token `tok_visa_debit`.',
  )
  await expect(stripe.customers.createSource(customer, { source: 'tok_visa', validate: true })).rejects.toThrow(
    'The sandbox does not support the parameter `validate`.',
  )
  await expect(stripe.customers.createSource(customer, { source: 'tok_chargeDeclined' })).rejects.toMatchObject({
    statusCode: 402,
  })
})
