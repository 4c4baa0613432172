import { describe, expect, test } from 'vitest'
import { operations } from '../../support/stripe-contract.ts'
import { sandboxForTest } from '../../support/sandbox.ts'
import { customerShop } from '../customers/customer-shop.ts'

interface Refused {
  readonly error: { readonly message: string; readonly param?: string; readonly code?: string }
}

async function asker() {
  const { url, apiKey } = await sandboxForTest()
  return async (method: string, path: string, form: Record<string, string> = {}) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}` },
      ...(method === 'POST' ? { body: new URLSearchParams(form) } : {}),
    })
    return { status: response.status, ...((await response.json()) as Refused) }
  }
}

describe('a feature of Stripe’s API that the sandbox lacks:', () => {
  test('a parameter of Stripe’s API is refused as not supported, and any other parameter as unknown', async () => {
    const ask = await asker()
    const base = { mode: 'subscription', success_url: 'https://a.b' }
    expect(
      await ask('POST', '/v1/checkout/sessions', { ...base, 'subscription_data[on_behalf_of]': 'y' }),
    ).toMatchObject({
      status: 400,
      error: {
        message: 'The sandbox does not support the parameter `subscription_data[on_behalf_of]`.',
        param: 'subscription_data[on_behalf_of]',
      },
    })
    expect(
      await ask('POST', '/v1/checkout/sessions', { consent_collection: 'x', shipping_options: 'y' }),
    ).toMatchObject({
      error: { message: 'The sandbox does not support the parameters `consent_collection`, `shipping_options`.' },
    })
    expect(await ask('POST', '/v1/checkout/sessions', { ...base, 'subscription_data[trail]': 'y' })).toMatchObject({
      error: { message: 'Received unknown parameter: subscription_data[trail]', code: 'parameter_unknown' },
    })
    // If a request has an unsupported and an unknown parameter, the unknown one is reported.
    expect(await ask('POST', '/v1/checkout/sessions', { consent_collection: 'x', oops: 'y' })).toMatchObject({
      error: { message: 'Received unknown parameter: oops' },
    })
  })

  test('an enum value of Stripe’s API is refused as not supported, and any other value as invalid', async () => {
    const ask = await asker()
    expect(
      await ask('POST', '/v1/checkout/sessions', { mode: 'payment', ui_mode: 'elements', success_url: 'https://a.b' }),
    ).toMatchObject({
      error: { message: 'The sandbox does not support the value `elements` of `ui_mode`.', param: 'ui_mode' },
    })
    expect(await ask('POST', '/v1/checkout/sessions', { mode: 'gift', success_url: 'https://a.b' })).toMatchObject({
      error: { message: 'Invalid mode: must be one of payment, setup, or subscription' },
    })
  })

  test('an operation of Stripe’s API is refused as not supported, and any other operation as unrecognized', async () => {
    const ask = await asker()
    expect(await ask('GET', '/v1/issuing/cards/ic_1')).toMatchObject({
      status: 400,
      error: { message: 'The sandbox does not support GET /v1/issuing/cards/ic_1.' },
    })
    expect(await ask('GET', '/v1/nonsense')).toMatchObject({ status: 404 })
  })

  test('a parameter of the SDK’s types is never refused as unknown', async () => {
    const { url, apiKey, customer, product } = await customerShop()
    const wrong: string[] = []
    for (const { method, path, params } of operations) {
      const names = Object.keys((params as { properties?: object }).properties ?? {}).filter(
        (name) => name !== 'expand',
      )
      if (names.length === 0) continue
      const form = new URLSearchParams(names.map((name): [string, string] => [`${name}[nonsense_of_the_test]`, 'x']))
      const at = path.includes('/products/') ? product : customer
      const target = `${url}${path.replaceAll('{id}', at)}${method === 'POST' ? '' : `?${form.toString()}`}`
      const answer = await fetch(target, {
        method,
        headers: { authorization: `Bearer ${apiKey}` },
        ...(method === 'POST' ? { body: form } : {}),
      })
      const { error } = (await answer.json()) as Partial<Refused>
      const said = /unknown parameters?: (.*)/.exec(error?.message ?? '')?.[1]?.split(', ') ?? []
      wrong.push(...said.filter((name) => names.includes(name)).map((name) => `${method} ${path} ${name}`))
    }
    expect(wrong).toEqual([])
  })
})

describe('expansions and former endpoints in the sandbox:', () => {
  test('an expansion that only Stripe’s API has is refused as not supported, and any other expansion as impossible', async () => {
    const ask = await asker()
    const asked = async (path: string, expand: string) => {
      const { error } = await ask('GET', `${path}?expand[]=${expand}`)
      return error.message
    }
    for (const [path, expand] of [
      ['/v1/customers/cus_1', 'sources'],
      ['/v1/customers/cus_1', 'tax_ids'],
      ['/v1/customers/cus_1', 'subscriptions'],
      ['/v1/customers', 'data.cash_balance'],
      ['/v1/subscriptions/sub_1', 'application'],
      ['/v1/subscriptions/sub_1', 'latest_invoice.on_behalf_of'],
      ['/v1/invoices', 'data.application'],
      ['/v1/charges/ch_1', 'balance_transaction.source'],
    ] as const) {
      expect(await asked(path, expand)).toBe(`The sandbox does not support the expansion of \`${expand}\`.`)
    }
    for (const [path, expand] of [
      ['/v1/customers/cus_1', 'nonsense'],
      ['/v1/subscriptions/sub_1', 'latest_invoice.nonsense'],
      ['/v1/subscriptions/sub_1', 'status'],
      ['/v1/customers', 'total_count'],
    ] as const) {
      expect(await asked(path, expand)).toBe(`This property cannot be expanded (${expand}).`)
    }
  })

  test('the expansion `total_count` returns the number of all results of a search', async () => {
    const { stripe } = await sandboxForTest()
    for (const name of ['A', 'B', 'C']) await stripe.products.create({ name })
    const search = { query: "active:'true'", limit: 1 }
    expect(await stripe.products.search({ ...search, expand: ['total_count'] })).toMatchObject({ total_count: 3 })
    expect(await stripe.products.search(search)).not.toHaveProperty('total_count')
  })

  test('the former endpoint of upcoming invoices is refused as not supported', async () => {
    const ask = await asker()
    expect(await ask('GET', '/v1/invoices/upcoming?subscription=sub_1')).toMatchObject({
      error: { message: 'The sandbox does not support GET /v1/invoices/upcoming.' },
    })
  })
})
