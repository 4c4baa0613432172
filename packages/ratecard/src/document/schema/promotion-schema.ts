import { Type } from 'typebox'
import {
  closed,
  Count,
  CurrencyField,
  Id,
  Metadata,
  Moment,
  PositiveMinor,
  PreviousIds,
  ProcessorId,
  byCurrency,
} from './fields.ts'

const CouponCurrencyOption = Type.Object(
  { amount_off: PositiveMinor('Amount off in minor units of this currency.', 1100) },
  { ...closed, description: 'Amount off in another currency.' },
)

export const Coupon = Type.Object(
  {
    id: Id('Your id of the coupon.', 'welcome_25'),
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 40,
        description: 'Name on invoices and receipts. Default: the id of the coupon at the processor.',
        examples: ['Welcome'],
      }),
    ),
    percent_off: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, maximum: 100, description: 'Percent off, up to 100.', examples: [25, 33.5] }),
    ),
    amount_off: Type.Optional(PositiveMinor('Amount off in minor units; needs `currency`.')),
    currency: Type.Optional(CurrencyField('Currency of `amount_off`.')),
    currency_options: Type.Optional(
      byCurrency(
        CouponCurrencyOption,
        'Amounts off in other currencies, by currency code. Only with `amount_off`, and without the coupon’s own currency.',
        { usd: { amount_off: 1100 } },
      ),
    ),
    duration: Type.Enum(['once', 'repeating', 'forever'], {
      description: 'How long the discount lasts for a customer.',
    }),
    duration_in_months: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1200,
        description: 'Months, when `duration` is `repeating`.',
        examples: [3],
      }),
    ),
    max_redemptions: Type.Optional(Count('Maximum number of redemptions.', 500)),
    redeem_by: Type.Optional(Moment('Last time at which the coupon can be redeemed.')),
    applies_to: Type.Optional(
      Type.Array(Id('Product id.', 'pro'), {
        minItems: 1,
        description: 'Ids of the products to which the coupon applies. Default: all products.',
      }),
    ),
    metadata: Type.Optional(Metadata),
    previous_ids: Type.Optional(PreviousIds),
    processor_id: Type.Optional(ProcessorId),
  },
  { ...closed, description: 'A discount: a percentage or an amount off.' },
)

const CodeCurrencyOption = Type.Object(
  { minimum_amount: PositiveMinor('Minimum order amount in minor units of this currency.', 2700) },
  { ...closed, description: 'Minimum order amount in another currency.' },
)

export const PromotionCode = Type.Object(
  {
    id: Id('Your id of the promotion code.', 'code_hello'),
    code: Type.String({
      pattern: '^[A-Za-z0-9_-]{1,500}$',
      description: 'What customers type. Unique; case does not matter.',
      examples: ['HELLO25'],
    }),
    coupon: Id('Id of the coupon that the code gives.', 'welcome_25'),
    active: Type.Optional(Type.Boolean({ description: 'Whether customers can redeem the code. Default true.' })),
    max_redemptions: Type.Optional(Count('Maximum number of redemptions, not more than those of its coupon.', 200)),
    first_time_transaction: Type.Optional(
      Type.Boolean({ description: 'Only for customers without a successful payment or invoice.' }),
    ),
    minimum_amount: Type.Optional(
      PositiveMinor('Minimum order amount in minor units; needs `minimum_amount_currency`.', 2500),
    ),
    minimum_amount_currency: Type.Optional(CurrencyField('Currency of `minimum_amount`.')),
    currency_options: Type.Optional(
      byCurrency(
        CodeCurrencyOption,
        'Minimum order amounts in other currencies, by currency code. Only with `minimum_amount`, and without its own currency.',
        { usd: { minimum_amount: 2700 } },
      ),
    ),
    customer: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: 'Id of the only customer at the processor who may use it. Default: all customers.',
        examples: ['cus_NffrFeUfNV2Hib'],
      }),
    ),
    expires_at: Type.Optional(Moment('Time at which it expires, not later than its coupon.')),
    metadata: Type.Optional(Metadata),
    previous_ids: Type.Optional(PreviousIds),
    processor_id: Type.Optional(ProcessorId),
  },
  { ...closed, description: 'A code that customers type to get a coupon.' },
)
