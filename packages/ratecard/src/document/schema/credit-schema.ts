// Schema of the credit that a price grants to its buyers.
import { Type, type Static } from 'typebox'
import { closed, CurrencyField, Id, PositiveMinor } from './fields.ts'

/** Maximum number of meters in one list. The processor limits a credit to at most 20 prices. */
const maxMeters = 20

export const GrantsCredit = Type.Object(
  {
    amount: PositiveMinor('Credit for each unit of the quantity, in minor units.', 5000),
    currency: Type.Optional(
      CurrencyField('Currency of the credit, which pays invoices in this currency only. Default: the price’s own.'),
    ),
    expires_after_days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 3650,
        description: 'Number of days after the payment until the credit expires. Default: it never expires.',
        examples: [90],
      }),
    ),
    meters: Type.Optional(
      Type.Array(Id('Meter id.', 'api_calls'), {
        minItems: 1,
        maxItems: maxMeters,
        description: 'Meters whose usage the credit pays for. Default: usage of every meter.',
        examples: [['api_calls']],
      }),
    ),
  },
  {
    ...closed,
    description:
      'Credit for metered usage that the buyer gets for each paid purchase and each paid invoice of the price. Not sent to the processor: Ratecard creates a credit grant there for each payment.',
  },
)

export type GrantsCredit = Static<typeof GrantsCredit>
