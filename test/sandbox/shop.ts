import type Stripe from 'stripe'
import { test } from 'vitest'
import { sandboxForTest, type TestSandbox } from '../support/sandbox.ts'

type Params = Partial<Stripe.PriceCreateParams>

export interface Shop extends TestSandbox {
  readonly product: string
  /** Creates a price of the product, by default one-time and 10 dollars. */
  price(params?: Params): Promise<Stripe.Price>
}

/** A sandbox with one product. */
export async function shop(): Promise<Shop> {
  const sandbox = await sandboxForTest()
  const product = (await sandbox.stripe.products.create({ name: 'P' })).id
  return {
    ...sandbox,
    product,
    price: (params = { unit_amount: 1000 }) => sandbox.stripe.prices.create({ currency: 'usd', product, ...params }),
  }
}

/** The SDK's types require its decimal class, but at run time a text works too. */
export function decimal(text: string): Stripe.Decimal {
  return text as unknown as Stripe.Decimal
}

/** `test` with {@link shop}: `async ({ shop }) => …`. */
export const shopTest = test.extend('shop', () => shop())
