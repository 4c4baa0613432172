import type { BillingConfig } from '../../../../packages/ratecard/src/document/schema/schema.ts'

/** A document with one metered feature. */
export const meteredDocument: BillingConfig = {
  version: '1.0.0',
  meters: [{ id: 'calls', display_name: 'Calls', event_name: 'call' }],
  features: [{ id: 'calls', name: 'Calls', type: 'metered', meter: 'calls' }],
  products: [
    {
      ...{ id: 'pro', name: 'Pro', features: [{ id: 'calls', limit: 100 }] },
      prices: [{ id: 'pro_monthly', amount: 2000, currency: 'usd', interval: 'month' }],
    },
  ],
}
