// The impact of a plan in its form on the wire.
import { Type } from 'typebox'
import type { PriceImpact } from '../service.ts'
import { closed } from './wire-schemas.ts'

export const PriceImpactSchema = Type.Object(
  {
    price_id: Type.String(),
    processor_price_id: Type.String({ description: 'The old one, which subscribers stay on until they are moved.' }),
    action: Type.Enum(['archive', 'replace']),
    subscriptions: Type.Integer({ minimum: 0, description: 'Subscriptions on the price that have not ended.' }),
    subscriptions_without_tenant: Type.Integer({
      minimum: 0,
      description: 'Of these, those of customers that are no tenant.',
    }),
    tenants: Type.Integer({ minimum: 0, description: 'Tenants that these subscriptions belong to.' }),
    monthly: Type.Array(
      Type.Object(
        {
          currency: Type.String(),
          amount: Type.Integer({ minimum: 0, description: 'Minor units, rounded half up once.' }),
          formatted: Type.String({ description: 'The amount as people read it.' }),
        },
        closed,
      ),
      { description: 'Money a month at list price. Empty for metered prices: their money depends on usage.' },
    ),
    usage_based: Type.Boolean(),
  },
  { ...closed, description: 'Whom the plan touches: live subscriptions on a price that it archives or replaces.' },
)

export function priceImpactToWire(impact: PriceImpact) {
  return {
    price_id: impact.priceId,
    processor_price_id: impact.processorPriceId,
    action: impact.action,
    subscriptions: impact.subscriptions,
    subscriptions_without_tenant: impact.subscriptionsWithoutTenant,
    tenants: impact.tenants,
    monthly: impact.monthly.map(({ currency, amount, formatted }) => ({ currency, amount, formatted })),
    usage_based: impact.usageBased,
  }
}
