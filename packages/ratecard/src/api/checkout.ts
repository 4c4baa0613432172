// Operations for a tenant: prices, checkout, managing subscriptions, and reporting usage.
import { Type } from 'typebox'
import type { Price } from '../config/schema/schema.ts'
import { customerErrors, keyErrors, keyHeader, operations } from './notation/operation.ts'
import { closed, document, Moment, nullable, shape, shared, Time } from './notation/schema.ts'
import { Entitlements, FeatureCheck } from './tenants.ts'

const Url = (description: string) => Type.String({ minLength: 1, maxLength: 2000, description })
const tenant_id = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'Needed with a service key. A session has a tenant already and may name no other.',
  }),
)

export const NewCheckout = shape('NewCheckout', {
  price_id: Type.String({ minLength: 1, maxLength: 200, description: 'Config id of the price.' }),
  success_url: Url('Where the customer goes after paying; its origin must be allowed.'),
  cancel_url: Url('Where the customer goes instead; its origin must be allowed.'),
  quantity: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Not for metered prices.' })),
  trial_period_days: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 730,
      description: 'Recurring prices only. 0 means no trial, even when the price has one.',
    }),
  ),
  payment_method_collection: Type.Optional(
    Type.Union([Type.Literal('always'), Type.Literal('if_required')], {
      description:
        '`if_required`: the trial begins without a card. Needs a trial. Where the tenant has used its trial of the price, the page asks for a card all the same.',
    }),
  ),
  trial_end: Type.Optional(
    Type.Union([Type.Literal('cancel'), Type.Literal('pause')], {
      description:
        'What becomes of the subscription when the trial ends and there is no card: it ends, or it pauses until it is resumed. Needs a trial; `cancel` when absent and `payment_method_collection` is `if_required`.',
    }),
  ),
  currency: Type.Optional(
    Type.String({
      pattern: '^[a-z]{3}$',
      description: 'One of the price’s currencies. Default: the processor chooses.',
      examples: ['usd'],
    }),
  ),
  allow_promotion_codes: Type.Optional(Type.Boolean({ description: 'Let the customer enter a code.' })),
  promotion_code: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500,
      description:
        'The code as customers type it; with a service key its config id will do. With a session, ten refused codes within an hour are the limit (429 `rate_limited`).',
    }),
  ),
  allow_duplicate: Type.Optional(
    Type.Boolean({
      description:
        'Sell a recurring price also where the tenant has a live subscription to its product, or to another product of its `subscription_group`: both are billed.',
    }),
  ),
  allow_second_trial: Type.Optional(
    Type.Boolean({
      description:
        'Service keys only: give a trial also where the tenant had one of the product or `subscription_group`.',
    }),
  ),
  tenant_id,
})
export const Checkout = shape('Checkout', {
  url: Type.String({ description: 'Where to send the customer.' }),
  session_id: nullable(Type.String({ description: 'null for a free price, which needs no checkout.' })),
  trial: Type.Optional(
    Type.Literal('used', {
      description: 'The price has a trial, but the tenant has already had one: payment is due at once.',
    }),
  ),
})

/** A usage value without loss of precision: a whole number, or a decimal as text, e.g. `"0.25"`. */
const UsageValue = Type.Unsafe<number | string>({
  type: ['integer', 'string'],
  minimum: 0,
  maximum: 999_999_999_999_999,
  pattern: '^\\d{1,15}(\\.\\d{1,12})?$',
  description: 'A whole number, or a decimal as text; never negative.',
})
export const NewUsage = shape('NewUsage', {
  meter: Type.String({ minLength: 1, maxLength: 200, description: 'Config id of the meter.' }),
  value: UsageValue,
  tenant_id,
  timestamp: Type.Optional(
    Moment(
      'Time of the usage, RFC 3339. Default: the time of the call. At most 35 days ago; with a session not later than now.',
    ),
  ),
  identifier: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'The same identifier is counted once.' }),
  ),
  enforce: Type.Optional(
    Type.Boolean({
      description:
        'Refuse the report (409 `limit_reached`) where it would pass an allowance of a metered feature; nothing is recorded then.',
    }),
  ),
  strict: Type.Optional(
    Type.Boolean({
      description:
        'Refuse the report (409 `meter_not_subscribed`) where nobody would pay for it; nothing is recorded then.',
    }),
  ),
})
export const Usage = shape('Usage', {
  meter: Type.String(),
  tenant_id: Type.String(),
  value: nullable(UsageValue),
  timestamp: nullable(Time('As given; null means the time of the call.')),
  identifier: Type.String(),
  already_counted: Type.Boolean({
    description:
      'True: an earlier report with this identifier counts, and this one does not; `value` and `timestamp` are null then, as the earlier ones are not kept here.',
  }),
  billed: Type.Boolean({
    description:
      'False: the tenant has no subscription item for the meter, as of the mirror, so nobody pays for the report. True without a complete mirror.',
  }),
})

const question = {
  feature: Type.String({ minLength: 1, maxLength: 200, description: 'Config id of the feature.' }),
  used: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 999_999_999_999,
      description: 'Only for features of type `limit`: the number in use, which your program counts.',
    }),
  ),
  requested: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 999_999_999_999, description: 'How many more are wanted. Default 1.' }),
  ),
}
/** A single check, or a list of checks in `checks`. The handler refuses a body with both or neither. */
export const NewFeatureCheck = shape('NewFeatureCheck', {
  ...question,
  feature: Type.Optional(question.feature),
  checks: Type.Optional(
    Type.Array(Type.Object(question, closed), {
      minItems: 1,
      maxItems: 50,
      description: 'Several questions at once, in place of `feature`.',
    }),
  ),
  tenant_id,
})
export const FeatureChecks = shape('FeatureChecks', {
  checks: Type.Array(shared(FeatureCheck), { description: 'The answers, in the order of the questions.' }),
})

export const SessionPrices = shape('SessionPrices', {
  prices: Type.Array(
    Type.Object(
      {
        base_price_id: Type.String({
          description: 'Config id of the public price that the negotiated price replaces.',
        }),
        price: document<Price>('Price'),
      },
      closed,
    ),
    { description: 'Empty for a tenant without a deal.' },
  ),
})

const path = '/api/v1/billing'
const all = { tag: 'Checkout', access: 'session', scope: 'write', method: 'POST', bodyLimit: 32 * 1024 } as const

export const checkoutOperations = operations({
  listSessionPrices: {
    tag: 'Checkout',
    access: 'session',
    scope: 'read',
    method: 'GET',
    path: `${path}/session/prices`,
    summary: 'The prices that a tenant negotiated',
    description:
      'Each of them replaces a price of the public list. Pass the id of that base price to a checkout: the tenant is sold its negotiated price.',
    query: { tenant_id },
    answers: { 200: { description: 'The tenant’s own prices.', schema: SessionPrices } },
    errors: ['config_not_found', 'tenant_not_found'],
  },
  getEntitlements: {
    tag: 'Checkout',
    access: 'session',
    scope: 'read',
    method: 'GET',
    path: `${path}/entitlements`,
    summary: 'The features that the tenant of the session may use',
    description: 'The same as for a service key under the tenant’s own path.',
    query: { tenant_id },
    answers: { 200: { description: 'The features.', schema: Entitlements } },
    errors: ['tenant_not_found', ...customerErrors],
  },
  checkEntitlements: {
    ...all,
    scope: 'read',
    path: `${path}/entitlements/check`,
    summary: 'Ask whether a tenant may use more of a feature',
    description:
      'Answered from the mirror, without a call to the processor. Of a `limit` the caller says how many are `used`; without `used` only the request itself is held against the limit.',
    body: NewFeatureCheck,
    answers: {
      200: {
        description: 'The answer; for `checks` an object with the answers in their order.',
        schema: Type.Union([shared(FeatureCheck), FeatureChecks]),
      },
    },
    errors: ['feature_not_found', 'config_not_found', 'tenant_not_found', ...customerErrors],
  },
  createCheckout: {
    ...all,
    path: `${path}/checkout`,
    summary: 'Send a tenant to the checkout of a price',
    description:
      'A tenant with enterprise pricing gets its own price in place of the base. A free price with an interval begins at once: `url` is then the success URL.',
    headers: keyHeader,
    body: NewCheckout,
    answers: { 200: { description: 'Where to send the customer.', schema: Checkout } },
    errors: [
      'price_not_found',
      'config_not_found',
      'tenant_not_found',
      'price_not_sellable',
      'currency_not_offered',
      'checkout_invalid',
      'already_subscribed',
      'trial_used',
      'tenant_busy',
      ...customerErrors,
      ...keyErrors,
    ],
  },
  createPortal: {
    ...all,
    path: `${path}/portal`,
    summary: 'Send a tenant to the customer portal of the processor',
    body: Type.Object(
      { return_url: Url('Where the customer goes afterwards; its origin must be allowed.'), tenant_id },
      closed,
    ),
    answers: {
      200: {
        description: 'Where to send the customer.',
        schema: Type.Object({ url: Type.String({ description: 'Where to send the customer.' }) }, closed),
      },
    },
    errors: ['tenant_not_found', 'checkout_invalid', 'tenant_busy', ...customerErrors],
  },
  recordUsage: {
    ...all,
    path: `${path}/usage`,
    summary: 'Record usage of a meter',
    description:
      'A session reports usage of its own tenant, of meters that sum or count, and not later than now. Meters with the formula `last`, or with `event_time_window`, take a service key: there a later report replaces earlier ones.',
    headers: keyHeader,
    body: NewUsage,
    answers: { 200: { description: 'It is recorded.', schema: Usage } },
    errors: [
      'meter_not_found',
      'meter_not_subscribed',
      'limit_reached',
      'config_not_found',
      'tenant_not_found',
      'not_allowed',
      'checkout_invalid',
      'tenant_busy',
      ...customerErrors,
      ...keyErrors,
    ],
  },
})
