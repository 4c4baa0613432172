// Credit grants at Stripe. The metadata of each grant contains the reason of the grant (e.g. a payment), so that a grant whose response was
// lost is found again.
import type { Stripe } from 'stripe'
import type { ProcessorId } from '../../../catalog/resource.ts'
import type { NewCreditGrant } from '../../credit-grants.ts'
import type { WriteOptions } from '../../processor.ts'
import type { StripeContext } from '../catalog/context.ts'
import { readAll, writeOne } from './single-object.ts'

/** Metadata key on every credit grant that Ratecard makes; its value is the `source` of the grant. */
export const creditKey = 'ratecard_credit'

/** Maximum length of a grant's name at Stripe. */
const maxName = 100

export async function createCreditGrant(
  context: StripeContext,
  { customer, currency, amount, category, name, prices, expiresAt, source }: NewCreditGrant,
  options: WriteOptions,
): Promise<string> {
  const params: Stripe.Billing.CreditGrantCreateParams = {
    customer,
    category,
    name: name.slice(0, maxName),
    amount: { type: 'monetary', monetary: { currency, value: amount } },
    applicability_config: {
      scope: prices === null ? { price_type: 'metered' } : { prices: prices.map((id) => ({ id })) },
    },
    ...(expiresAt === null ? {} : { expires_at: Math.floor(expiresAt / 1000) }),
    metadata: { [creditKey]: source },
  }
  const request = {
    operation: 'POST /v1/billing/credit_grants',
    send: (sending: Stripe.RequestOptions) => context.stripe.billing.creditGrants.create(params, sending),
  }
  const reply = await writeOne(context, request, { object: 'billing.credit_grant', id: null }, options)
  return reply.id
}

export async function findCreditGrant(
  context: StripeContext,
  customer: ProcessorId,
  source: string,
  signal: AbortSignal,
): Promise<string | null> {
  const grants = await readAll<Stripe.Billing.CreditGrant>(
    context,
    'billing.credit_grant',
    {
      operation: 'GET /v1/billing/credit_grants',
      page: (paging, options) => context.stripe.billing.creditGrants.list({ ...paging, customer }, options),
    },
    signal,
  )
  return grants.find(({ metadata }) => metadata?.[creditKey] === source)?.id ?? null
}
