import type Stripe from 'stripe'

/** A customer with a card that pays by default: without one the processor takes no subscription that costs something at once. */
export async function payingCustomer(stripe: Stripe, params: Stripe.CustomerCreateParams = {}): Promise<string> {
  const { id: customer } = await stripe.customers.create(params)
  await giveCard(stripe, customer)
  return customer
}

/** The same card for a customer that is there already. */
export async function giveCard(stripe: Stripe, customer: string): Promise<void> {
  const { id: card } = await stripe.paymentMethods.attach('pm_card_visa', { customer })
  await stripe.customers.update(customer, { invoice_settings: { default_payment_method: card } })
}
