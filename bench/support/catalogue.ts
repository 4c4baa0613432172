import type { BillingConfig, Price } from '../../packages/ratecard/src/document/schema/schema.ts'

const intervals = ['day', 'week', 'month', 'year'] as const

function priceOf(product: number, index: number): Price {
  const interval = intervals[index % intervals.length] ?? 'month'
  const id = `product_${product.toString()}_price_${index.toString()}`
  const common: Price = { id, currency: 'eur', interval, ui: { features: ['One feature', 'Another feature'] } }
  if (index !== 4) return { ...common, amount: 500 + product + index * 100, default: index === 0 }
  const tiers: Price['tiers'] = [
    { up_to: 100, unit_amount: 0 },
    { up_to: 'inf', unit_amount: 5, flat_amount: product },
  ]
  return { ...common, billing_scheme: 'tiered', tiers }
}

/** A document with products of five kinds of prices each; the first price is the default. */
export function documentOf(products: number, prices: number): BillingConfig {
  return {
    version: '1.0.0',
    products: Array.from({ length: products }, (_, product) => ({
      id: `product_${product.toString()}`,
      name: `Product ${product.toString()}`,
      description: 'A product of ordinary length, described in one ordinary sentence.',
      prices: Array.from({ length: prices }, (_, index) => priceOf(product, index)),
      metadata: { team: 'growth', index: product.toString() },
    })),
  }
}
