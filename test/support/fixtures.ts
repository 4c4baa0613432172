import { readFileSync } from 'node:fs'
import type { BillingConfig, Meter, Price } from '../../packages/ratecard/src/document/schema/schema.ts'

/** A document of test/fixtures with its variables expanded. */
export function fixture(name: string): BillingConfig {
  const text = readFileSync(new URL(`../fixtures/${name}.json`, import.meta.url), 'utf8')
  return JSON.parse(
    text
      .replaceAll('${PUBLIC_API_ORIGIN}', 'https://api.quillboard.example')
      .replaceAll('${HOOK_BASE}', 'https://hooks.orchard.example'),
  ) as BillingConfig
}

/** A meter of API calls, and its price per call. */
export const callsMeter: Meter = { id: 'calls', display_name: 'Calls', event_name: 'call' }
export const perCall: Price = {
  id: 'calls',
  amount: 5,
  currency: 'usd',
  interval: 'month',
  usage_type: 'metered',
  meter: 'calls',
}

/** One product with `count` monthly prices: `price_0`, `price_1`, … */
export const monthlyPrices = (count: number, version = '1.0.0', amount = 100): BillingConfig => ({
  version,
  products: [
    {
      id: 'p',
      name: 'P',
      prices: Array.from({ length: count }, (_, index) => ({
        id: `price_${String(index)}`,
        amount,
        currency: 'usd' as const,
        interval: 'month' as const,
      })),
    },
  ],
})
