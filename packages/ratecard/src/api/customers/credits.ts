// Operations on credits: prepaid or promotional money of a tenant that pays for metered usage.
import { Type } from 'typebox'
import { CurrencyField } from '../../document/schema/fields.ts'
import { mirrored } from '../notation/mirrored.ts'
import { actorHeaders, customerErrors, idParams, keyErrors, keyHeader, operations } from '../notation/operation.ts'
import { closed, Moment, nullable, shape, Time, type Inside } from '../notation/schema.ts'

export const CreditBalance = Type.Array(
  Type.Object(
    {
      currency: Type.String(),
      amount: Type.Integer({ description: 'Minor units.' }),
      formatted: Type.String({ description: '`amount`, formatted for display.' }),
    },
    closed,
  ),
  {
    description:
      'Credit that can pay for metered usage now, with one entry per currency. Absent if the response was not read from the mirror.',
  },
)

const meters = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { minItems: 1, maxItems: 20, description })

export const Credit = shape('Credit', {
  id: Type.String({ description: 'The processor’s id of the credit grant.' }),
  state: Type.Enum(['active', 'pending', 'used', 'expired', 'voided'], {
    description: 'State of the credit. `pending`: it starts later. Only an `active` credit pays for usage.',
  }),
  currency: Type.String(),
  amount: Type.Integer({ description: 'Granted amount, minor units.' }),
  formatted: Type.String({ description: '`amount`, formatted for display.' }),
  remaining: Type.Integer({
    description: 'Remaining amount in minor units; 0 after the credit expired or was voided.',
  }),
  remaining_formatted: Type.String({ description: '`remaining`, formatted for display.' }),
  category: nullable(
    Type.Enum(['paid', 'promotional'], {
      description: '`paid`: granted for a payment. `promotional`: given for free, and used before paid credit.',
    }),
  ),
  reason: nullable(Type.String({ description: 'Reason for the credit or, if a price granted it, the price.' })),
  price_id: nullable(
    Type.String({
      description: 'Configuration id of the price that granted the credit; null if it was given by hand.',
    }),
  ),
  paid_by: nullable(Type.String({ description: 'The invoice or checkout session whose payment granted it.' })),
  meters: nullable(
    Type.Array(Type.String(), {
      description: 'Configuration ids of the meters whose usage the credit pays for; null means all meters.',
    }),
  ),
  effective_at: nullable(Time('Time from which the credit can be used.')),
  expires_at: nullable(Time('Time at which the credit expires; null means never.')),
  created_at: Time('Time at which the credit was granted.'),
})
export type Credit = Inside<typeof Credit>

export const Credits = shape('Credits', {
  ...mirrored,
  balance: CreditBalance,
  credits: Type.Array(Credit, { description: 'All credits of the tenant, oldest first; used and expired ones too.' }),
})
export type Credits = Inside<typeof Credits>

export const NewCredit = shape('NewCredit', {
  amount: Type.Integer({
    minimum: 1,
    maximum: 999_999_999_999,
    description: 'Amount in minor units: 5000 is $50.00.',
    examples: [5000],
  }),
  currency: CurrencyField('Currency of the credit. It pays only invoices in this currency.'),
  reason: Type.String({ minLength: 1, maxLength: 100, description: 'Reason for the credit, kept in the audit log.' }),
  expires_at: Type.Optional(Moment('Time at which the rest of the credit expires. Default: never.')),
  meters: Type.Optional(
    meters('Configuration ids of the meters whose usage the credit pays for. Default: all meters.'),
  ),
})

export type NewCredit = Omit<Inside<typeof NewCredit>, 'expiresAt'> & {
  /** Epoch milliseconds. */
  readonly expiresAt?: number
}

const path = '/api/v1/billing/admin/tenants/:id/credits'
const all = { tag: 'Tenants', access: 'service_key' } as const

export const creditOperations = operations({
  listCredits: {
    ...all,
    scope: 'read',
    method: 'GET',
    path,
    summary: 'List the credits of a tenant, with their remaining amounts',
    description:
      'The processor uses credit only when it finalizes an invoice, so the balance does not change during a period.',
    params: idParams,
    answers: { 200: { description: 'The credits.', schema: Credits } },
    errors: ['tenant_not_found', 'mirror_filling', 'mirror_off'],
  },
  addCredit: {
    ...all,
    scope: 'write',
    method: 'POST',
    path,
    summary: 'Give a tenant credit for metered usage',
    description:
      'Creates a promotional credit grant at the processor, which is used before paid credit, and records it in the audit log. If the tenant has no customer yet, one is created.',
    params: idParams,
    headers: { ...keyHeader, ...actorHeaders },
    body: NewCredit,
    answers: { 201: { description: 'The credit.', schema: Credit } },
    errors: ['tenant_not_found', 'config_not_found', 'conflict', 'tenant_busy', ...customerErrors, ...keyErrors],
  },
})

export type CreditBalance = Credits['balance']
