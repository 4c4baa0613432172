// Operations on revenue: monthly recurring revenue (MRR) now and day by day, and the tenants that pay it.
import { Type } from 'typebox'
import { Pagination } from '../notation/common.ts'
import {
  Day,
  DayAsked,
  Formatted,
  furtherAmount,
  mainAmount,
  mirrored,
  MoneyOf,
  NullableMinor,
} from '../notation/mirrored.ts'
import { idParams, operations, pageQuery } from '../notation/operation.ts'
import { closed, Count, nullable, shape, Time, type Inside } from '../notation/schema.ts'
import { Pause } from './tenants.ts'

const revenue = {
  ...mainAmount(
    'mrr',
    'Monthly recurring revenue: licensed recurring items that are active or past due, minus discounts that never end, without tax.',
  ),
  ...furtherAmount(
    'usage_last_period',
    'Amount billed for metered items in their last finished period. Not included in `mrr`.',
  ),
}
const movements = {
  ...furtherAmount('new', 'MRR of customers that paid nothing before.'),
  ...furtherAmount('expansion', 'Additional MRR from customers that paid already.'),
  ...furtherAmount('contraction', 'MRR lost from customers that still pay; a positive number.'),
  ...furtherAmount('churn', 'MRR lost from customers that no longer pay; a positive number.'),
  ...furtherAmount('reactivation', 'MRR of customers that came back.'),
}
const Subscriptions = Count('Subscriptions with at least one item that counts towards the MRR.')

export const CurrencyMoney = shape('CurrencyMoney', {
  currency: Type.String(),
  ...revenue,
  subscriptions: Subscriptions,
  tenants: Count('Number of tenants with these subscriptions.'),
  trialing: Count('Subscriptions in a trial. They do not count towards the MRR yet.'),
  past_due: Type.Object(
    {
      ...mainAmount('amount', 'Unpaid amount of tenants whose subscription is past due or unpaid.'),
      tenants: Count('These tenants.'),
    },
    closed,
  ),
  written_off: Type.Object(
    {
      ...mainAmount('amount', 'Amount of invoices that were marked uncollectible.'),
      tenants: Count('Number of tenants with such invoices.'),
    },
    closed,
  ),
  by_product: Type.Array(
    Type.Object(
      {
        product_id: nullable(
          Type.String({ description: 'Configuration id; null sums up everything that is not in the configuration.' }),
        ),
        ...revenue,
        subscriptions: Subscriptions,
      },
      closed,
    ),
    { description: 'Revenue by product id.' },
  ),
  by_price: Type.Array(
    Type.Object(
      {
        price_id: nullable(
          Type.String({ description: 'Configuration id; null sums up everything that is not in the configuration.' }),
        ),
        ...revenue,
        subscriptions: Subscriptions,
        legacy: Type.Object(
          { ...revenue, subscriptions: Subscriptions },
          {
            ...closed,
            description: 'Part of the amount that subscribers pay at its earlier prices.',
          },
        ),
      },
      closed,
    ),
    { description: 'Revenue by price id, including subscribers on their earlier prices.' },
  ),
  last_30_days: Type.Object(
    { ...movements, ...furtherAmount('net', 'Change of the MRR.') },
    { ...closed, description: 'Movements of the 30 days that end at `as_of`.' },
  ),
})
export type CurrencyMoney = Inside<typeof CurrencyMoney>

export const Money = shape('Money', { ...mirrored, currencies: Type.Array(CurrencyMoney, { description: 'By code.' }) })
export type Money = Inside<typeof Money>

export const MoneyDay = shape('MoneyDay', {
  day: Day('Day (UTC).'),
  currency: Type.String(),
  ...revenue,
  by_product: Type.Array(
    Type.Object(
      {
        product_id: nullable(
          Type.String({ description: 'Configuration id; null sums up everything that is not in the configuration.' }),
        ),
        ...revenue,
      },
      closed,
    ),
  ),
  ...movements,
  ...furtherAmount(
    'past_due',
    'Amount that tenants with a past due or unpaid subscription owed at the end of the day.',
  ),
})
export type MoneyDay = Inside<typeof MoneyDay>

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
        at: Time('Time at which the push was applied.'),
        by: nullable(Type.String({ description: 'Author of the change. Default: the name of the service key.' })),
      },
      closed,
    ),
    { description: 'Pushes that were applied in that time, oldest first.' },
  ),
})
export type MoneyDays = Inside<typeof MoneyDays>

export const Generation = Type.Enum(['all', 'current', 'legacy'], {
  default: 'all',
  description:
    '`current`: subscribed to the price as it is sold now. `legacy`: subscribed to an earlier price of its id.',
})
export type Generation = Inside<typeof Generation>

export const Subscriber = shape('Subscriber', {
  tenant_id: nullable(Type.String({ description: 'Id of the tenant; null if the customer is not a tenant.' })),
  tenant_name: nullable(Type.String({ description: 'Name of the tenant; null if the customer is not a tenant.' })),
  customer: Type.String({
    description: 'Id of the customer at the processor; empty if the tenant has the price since it was free.',
  }),
  subscription: Type.String(),
  item: Type.String(),
  processor_price_id: Type.String({
    description: 'Id of the price at the processor; empty for a free price, which only Ratecard stores.',
  }),
  legacy: Type.Boolean({ description: 'Only subscribers on an earlier price.' }),
  currency: Type.String(),
  amount: NullableMinor('Amount of the price per unit and interval, in minor units; null with tiers.'),
  formatted: nullable(Formatted('`amount`')),
  quantity: nullable(Type.Integer({ minimum: 0, description: 'Quantity of the item; null for a metered price.' })),
  monthly: MoneyOf('Amount that the item adds to the MRR.'),
  status: Type.String({ description: 'Status at the processor: active, trialing, past_due …' }),
  pause: Pause,
  ends_at: nullable(Time('Time at which the subscription ends as planned; null if it continues.')),
  current_period_end: nullable(Time('Time at which the subscription renews.')),
  scheduled_price_id: nullable(
    Type.String({ description: 'Configuration id of the price that the item moves to at the end of the period.' }),
  ),
})
export type Subscriber = Inside<typeof Subscriber>

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
    summary: 'Get the current monthly recurring revenue, by currency, product and price',
    description: 'Read from the mirror, without a call to the processor.',
    answers: { 200: { description: 'The money.', schema: Money } },
    errors: [...mirrorErrors],
  },
  listMoneyDays: {
    ...all,
    path: `${path}/money/days`,
    summary: 'Get the monthly recurring revenue and its movements by day, with the pushes of that time',
    description: 'A day is recorded when it ends (UTC). Days before the mirror was first filled are not available.',
    query: {
      from: DayAsked('First day; 90 days before the last one when absent.'),
      to: DayAsked('Last day (inclusive). Default: today.'),
    },
    answers: { 200: { description: 'The days.', schema: MoneyDays } },
    errors: [...mirrorErrors],
  },
  listSubscribers: {
    ...all,
    path: `${path}/prices/:id/subscribers`,
    summary: 'List the subscribers of a price, and whether each pays the current or an earlier price',
    description: 'Includes all subscriptions that have not ended, also of customers that are not tenants.',
    params: idParams,
    query: { generation: Generation, ...pageQuery },
    answers: { 200: { description: 'A page of subscribers, by tenant id.', schema: Subscribers } },
    errors: ['price_not_found', 'config_not_found', ...mirrorErrors],
  },
})

/** Returns the path of the list of the subscribers of a price. */
export const subscribersPath = (priceId: string): string =>
  moneyOperations.listSubscribers.path.replace(':id', encodeURIComponent(priceId))

/** Calendar days (UTC) from `from` to `to`, both included, e.g. `2026-01-31`. */
export interface DayRange {
  readonly from: string
  readonly to: string
}
