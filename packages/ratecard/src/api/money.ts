// Operations on revenue: monthly recurring revenue (MRR) now and day by day, and the tenants that pay it.
import { Type } from 'typebox'
import { Pagination } from './notation/common.ts'
import { Day, DayAsked, Formatted, further, leading, mirrored, MoneyOf, NullableMinor } from './notation/mirrored.ts'
import { idParams, operations, pageQuery } from './notation/operation.ts'
import { closed, Count, nullable, shape, Time } from './notation/schema.ts'

const revenue = {
  ...leading(
    'mrr',
    'Monthly recurring revenue: licensed recurring items that are active or past due, less discounts for ever, without tax.',
  ),
  ...further('usage_last_period', 'Amount billed for metered items in their last finished period; not part of `mrr`.'),
}
const movements = {
  ...further('new', 'MRR of customers that paid nothing before.'),
  ...further('expansion', 'Additional MRR from customers that paid already.'),
  ...further('contraction', 'MRR lost from customers that still pay; a positive number.'),
  ...further('churn', 'MRR lost from customers that no longer pay; a positive number.'),
  ...further('reactivation', 'MRR of customers that came back.'),
}
const Subscriptions = Count('Subscriptions with an item that counts.')

export const CurrencyMoney = shape('CurrencyMoney', {
  currency: Type.String(),
  ...revenue,
  subscriptions: Subscriptions,
  tenants: Count('Tenants of these subscriptions.'),
  trialing: Count('Subscriptions in a trial; they count nothing yet.'),
  past_due: Type.Object(
    {
      ...leading('amount', 'What tenants owe whose subscription is past due or unpaid.'),
      tenants: Count('These tenants.'),
    },
    closed,
  ),
  written_off: Type.Object(
    { ...leading('amount', 'What uncollectible invoices asked.'), tenants: Count('Tenants that owed it.') },
    closed,
  ),
  by_product: Type.Array(
    Type.Object(
      {
        product_id: nullable(Type.String({ description: 'Config id; null for everything that is not in the config.' })),
        ...revenue,
        subscriptions: Subscriptions,
      },
      closed,
    ),
    { description: 'By product id.' },
  ),
  by_price: Type.Array(
    Type.Object(
      {
        price_id: nullable(Type.String({ description: 'Config id; null for everything that is not in the config.' })),
        ...revenue,
        subscriptions: Subscriptions,
        legacy: Type.Object(
          { ...revenue, subscriptions: Subscriptions },
          { ...closed, description: 'The part on earlier generations of the price.' },
        ),
      },
      closed,
    ),
    { description: 'By price id; earlier generations of a price are part of it.' },
  ),
  last_30_days: Type.Object(
    { ...movements, ...further('net', 'Change of the MRR.') },
    { ...closed, description: 'Movements of the 30 days that end at `as_of`.' },
  ),
})
export const Money = shape('Money', { ...mirrored, currencies: Type.Array(CurrencyMoney, { description: 'By code.' }) })

export const MoneyDay = shape('MoneyDay', {
  day: Day('The day, UTC.'),
  currency: Type.String(),
  ...revenue,
  by_product: Type.Array(
    Type.Object(
      {
        product_id: nullable(Type.String({ description: 'Config id; null for everything that is not in the config.' })),
        ...revenue,
      },
      closed,
    ),
  ),
  ...movements,
  ...further('past_due', 'Amount owed at the end of the day by tenants with a past due or unpaid subscription.'),
})
export const MoneyDays = shape('MoneyDays', {
  ...mirrored,
  days: Type.Array(MoneyDay, {
    description: 'Completed days since the mirror was first filled, oldest first, then by currency.',
  }),
  pushes: Type.Array(
    Type.Object(
      {
        revision: Type.Integer({ minimum: 1 }),
        version: Type.String(),
        at: Time('When it was applied.'),
        by: nullable(Type.String({ description: 'Author of the change. Default: the name of the service key.' })),
      },
      closed,
    ),
    { description: 'Price lists that took effect in that time, oldest first.' },
  ),
})

export const Generation = Type.Enum(['all', 'current', 'legacy'], {
  default: 'all',
  description: '`current`: on the price as it is sold now; `legacy`: on an earlier generation of it.',
})
export const Subscriber = shape('Subscriber', {
  tenant_id: nullable(Type.String({ description: 'null when the customer is not a tenant.' })),
  customer: Type.String({
    description: 'At the processor; empty for a tenant that has the price from when it was free.',
  }),
  subscription: Type.String(),
  item: Type.String(),
  processor_price_id: Type.String({ description: 'Empty for a free price, which only Ratecard stores.' }),
  legacy: Type.Boolean({ description: 'On an earlier generation of the price.' }),
  currency: Type.String(),
  amount: NullableMinor('Amount of the price per unit and interval, in minor units; null with tiers.'),
  formatted: nullable(Formatted('`amount`')),
  quantity: nullable(Type.Integer({ minimum: 0, description: 'null for a metered price.' })),
  monthly: MoneyOf('Its part of the MRR.'),
  status: Type.String({ description: 'Status at the processor: active, trialing, past_due …' }),
  current_period_end: nullable(Time('When it renews.')),
  scheduled_price_id: nullable(
    Type.String({ description: 'Config id of the price to which the item moves at the end of the period.' }),
  ),
})
export const Subscribers = shape('Subscribers', {
  ...mirrored,
  subscribers: Type.Array(Subscriber),
  pagination: Pagination,
})

const path = '/api/v1/billing/admin'
const all = { tag: 'Money', access: 'service_key', scope: 'read', method: 'GET' } as const
/** Errors of operations that read the mirror, which is the store's copy of the processor's data: the mirror is not complete yet, or off. */
export const mirrorErrors = ['mirror_filling', 'mirror_off'] as const

export const moneyOperations = operations({
  getMoney: {
    ...all,
    path: `${path}/money`,
    summary: 'Monthly recurring revenue now, by currency, product and price',
    description: 'Read from the mirror: no call to the processor.',
    answers: { 200: { description: 'The money.', schema: Money } },
    errors: [...mirrorErrors],
  },
  listMoneyDays: {
    ...all,
    path: `${path}/money/days`,
    summary: 'Monthly recurring revenue and its movements, day by day, and the pushes of that time',
    description: 'A day is recorded when it ends (UTC). Days before the mirror was first filled are not available.',
    query: {
      from: DayAsked('First day; 90 days before the last one when absent.'),
      to: DayAsked('Last day, included; today when absent.'),
    },
    answers: { 200: { description: 'The days.', schema: MoneyDays } },
    errors: [...mirrorErrors],
  },
  listSubscribers: {
    ...all,
    path: `${path}/prices/:id/subscribers`,
    summary: 'Who is subscribed to a price, on which generation of it',
    description: 'Subscriptions that have not ended, including those of customers that are not tenants.',
    params: idParams,
    query: { generation: Generation, ...pageQuery },
    answers: { 200: { description: 'A page of subscribers, by tenant id.', schema: Subscribers } },
    errors: ['price_not_found', 'config_not_found', ...mirrorErrors],
  },
})
