// Parameters of former API versions, which Stripe's command-line tool sends. `test/sandbox/clients/triggers.client.test.ts` runs all triggers of the tool.
import { expect, test } from 'vitest'
import { sandboxForTest } from '../../support/sandbox.ts'
import { checkAnswer, contractVersion } from '../../support/stripe-contract.ts'

test('parameters of former API versions are refused in requests with the current version', async () => {
  const { stripe, control, apiKey, url } = await sandboxForTest({ check: checkAnswer })
  const [made, , price] = await control.seed(apiKey, [
    { path: '/v1/coupons', params: { percent_off: 20 } },
    { path: '/v1/products', params: { name: 'Thing' }, as: 'product' },
    {
      path: '/v1/prices',
      params: { product: '{{product.id}}', unit_amount: '1500', currency: 'usd', recurring: { interval: 'month' } },
    },
    {
      path: '/v1/customers',
      params: { payment_method: 'pm_card_visa', invoice_settings: { default_payment_method: 'pm_card_visa' } },
    },
  ])
  const asked = async (path: string, body: string, version?: string) => {
    const headers = {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/x-www-form-urlencoded',
      ...(version === undefined ? {} : { 'stripe-version': version }),
    }
    return (await fetch(`${url}${path}`, { method: 'POST', headers, body })).status
  }
  const [holder] = (await stripe.customers.list()).data
  const phase = `phases[0][iterations]=1&phases[0][items][0][price]=${String(price?.['id'])}`
  for (const [path, body] of [
    ['/v1/promotion_codes', `coupon=${String(made?.['id'])}`],
    ['/v1/payment_intents', 'amount=100&currency=usd&payment_method_types[]=card'],
    ['/v1/subscription_schedules', `customer=${holder?.id ?? ''}&start_date=now&${phase}`],
  ] as const) {
    expect([path, await asked(path, body, contractVersion)]).toEqual([path, 400])
    expect([path, await asked(path, body, '2024-06-20')]).toEqual([path, 200])
    expect([path, await asked(path, body)]).toEqual([path, 200])
  }
})
