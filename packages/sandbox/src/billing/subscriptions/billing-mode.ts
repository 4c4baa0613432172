// Billing mode of a subscription or schedule: how its prorations are computed and shown.
import type { BillingModeBody } from '../../objects/customer-bodies.ts'
import { badRequest } from '../../protocol/responses/errors.ts'
import { oneOf, required, shape, type Read } from '../../protocol/parameters/params.ts'

const fields = {
  flexible: shape({ proration_discounts: oneOf('included', 'itemized') }),
  type: required(oneOf('classic', 'flexible')),
}

export const billingModeParam = shape(fields)

/** Returns the billing mode of a request. Default: flexible, and prorations show their amounts after discounts (`included`). */
export function billingModeOf(given: Read<typeof fields> | undefined, name = 'billing_mode'): BillingModeBody {
  const { flexible, type = 'flexible' } = given ?? {}
  if (type === 'flexible')
    return { flexible: { proration_discounts: flexible?.proration_discounts ?? 'included' }, type }
  if (flexible === undefined) return { flexible: null, type }
  throw badRequest(`You can only set \`${name}[flexible]\` if \`${name}[type]\` is \`flexible\`.`, `${name}[flexible]`)
}
