import type Stripe from 'stripe'

/** A customer with a default card: without one, the processor refuses a subscription with an immediate charge. */
export async function payingCustomer(stripe: Stripe, params: Stripe.CustomerCreateParams = {}): Promise<string> {
  const { id: customer } = await stripe.customers.create(params)
  await giveCard(stripe, customer)
  return customer
}

/** Attaches the same card to an existing customer. */
export async function giveCard(stripe: Stripe, customer: string): Promise<void> {
  const { id: card } = await stripe.paymentMethods.attach('pm_card_visa', { customer })
  await stripe.customers.update(customer, { invoice_settings: { default_payment_method: card } })
}
