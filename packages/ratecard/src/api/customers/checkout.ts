// Operations for a tenant: prices, checkout, managing subscriptions, and reporting usage.
import { Type } from 'typebox'
import type { Price } from '../../document/schema/schema.ts'
import { maxItemsTogether } from '../../document/schema/prices/items-together.ts'
import { TenantInvoices } from './invoices.ts'
import { refusedCodesPerHour } from '../server/limits.ts'
import { mirrorErrors } from './money.ts'
import { customerErrors, keyErrors, keyHeader, operations, pageQuery } from '../notation/operation.ts'
import { closed, document, Moment, nullable, shape, sharedSchema, Time, type Inside } from '../notation/schema.ts'
import { Entitlements, FeatureCheck, TenantSubscriptions } from './tenants.ts'

const Url = (description: string) => Type.String({ minLength: 1, maxLength: 2000, description })
export const tenant_id = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'Required with a service key. Omit it with a session, which always belongs to one tenant.',
  }),
)

const PriceId = (description: string) => Type.String({ minLength: 1, maxLength: 200, description })
const Quantity = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Not for metered prices. Default 1.' }),
)

export const NewCheckout = shape('NewCheckout', {
  price_id: Type.Optional(
    PriceId('Id of the price in your configuration. To sell several prices, pass `items` instead.'),
  ),
  items: Type.Optional(
    Type.Array(Type.Object({ price_id: PriceId('Configuration id of a price.'), quantity: Quantity }, closed), {
      minItems: 1,
      maxItems: maxItemsTogether,
      description:
        'Several prices to sell together, instead of `price_id` and `quantity`. Recurring prices become one subscription; one-time prices are on its first invoice. The `attached_prices` of each price are added automatically.',
    }),
  ),
  success_url: Url(
    'URL that the customer returns to after paying. With a service key any https URL; with a session the origins in `RATECARD_ALLOWED_REDIRECTS` or, at a sandbox or test account where that is not set, any https URL. Loopback is always allowed.',
  ),
  cancel_url: Url('URL that the customer returns to without paying. The same rules as for `success_url`.'),
  quantity: Quantity,
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
        '`if_required`: a trial starts without a card. Allowed only if there is a trial. If the tenant has already used its trial, the page still asks for a card.',
    }),
  ),
  trial_end: Type.Optional(
    Type.Union([Type.Literal('cancel'), Type.Literal('pause')], {
      description:
        'What happens to the subscription if the trial ends without a card: `cancel` ends it, `pause` pauses it until it is resumed. Allowed only if there is a trial. Default with `payment_method_collection: if_required`: `cancel`.',
    }),
  ),
  currency: Type.Optional(
    Type.String({
      pattern: '^[a-z]{3}$',
      description: 'One of the price’s currencies. Default: the processor chooses.',
      examples: ['usd'],
    }),
  ),
  allow_promotion_codes: Type.Optional(
    Type.Boolean({ description: 'Let the customer enter a promotion code on the page.' }),
  ),
  promotion_code: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500,
      description: `Promotion code as customers type it or, with a service key, its id in your configuration. After ${refusedCodesPerHour} refused codes within an hour, a session gets 429 \`rate_limited\`.`,
    }),
  ),
  allow_duplicate: Type.Optional(
    Type.Boolean({
      description:
        'Sell a recurring price even if the tenant already has a live subscription to the product, or to another product of its `subscription_group`. Both are then billed.',
    }),
  ),
  allow_second_trial: Type.Optional(
    Type.Boolean({
      description:
        'Give a trial even if the tenant already had one of the product or its `subscription_group`. Needs a service key.',
    }),
  ),
  tenant_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description:
        'With a service key: the tenant that buys. Without it the page sells to the tenant of the session cookie in the request or, without a cookie, to a customer that the processor creates when the page is paid (a tenant that is created with its `processor_customer_id` takes it over). Omit it with a session, which always belongs to one tenant.',
    }),
  ),
})

export type NewCheckout = Omit<Inside<typeof NewCheckout>, 'tenantId'>

export const Checkout = shape('Checkout', {
  url: Type.String({ description: 'Where to send the customer.' }),
  session_id: nullable(
    Type.String({
      description: 'Id of the processor’s checkout session; null for a free price, which needs no checkout.',
    }),
  ),
  trial: Type.Optional(
    Type.Literal('used', {
      description: 'The price has a trial, but the tenant has already had one: payment is due at once.',
    }),
  ),
})
export type Checkout = Inside<typeof Checkout>

/** A usage value without loss of precision: a whole number, or a decimal as text, e.g. `"0.25"`. */
const UsageValue = Type.Unsafe<number | string>({
  type: ['integer', 'string'],
  minimum: 0,
  maximum: 999_999_999_999_999,
  pattern: '^\\d{1,15}(\\.\\d{1,12})?$',
  description: 'A whole number, or a decimal as text; never negative.',
})
export const NewUsage = shape('NewUsage', {
  meter: Type.String({ minLength: 1, maxLength: 200, description: 'Id of the meter in your configuration.' }),
  value: UsageValue,
  tenant_id,
  timestamp: Type.Optional(
    Moment(
      'Time of the usage (RFC 3339), at most 35 days ago. A session cannot report a time in the future. Default: the time of the call.',
    ),
  ),
  identifier: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description:
        'Your id of this report. Usage with the same identifier is counted only once, so that a retry is safe.',
    }),
  ),
  enforce: Type.Optional(
    Type.Boolean({
      description:
        'If true and the usage would exceed the allowance of a metered feature, the report is refused (409 `limit_reached`) and nothing is recorded.',
    }),
  ),
  strict: Type.Optional(
    Type.Boolean({
      description:
        'If true and the tenant has no subscription item that bills the meter, the report is refused (409 `meter_not_subscribed`) and nothing is recorded.',
    }),
  ),
})

export type NewUsage = Omit<Inside<typeof NewUsage>, 'tenantId' | 'timestamp'> & {
  /** Time of the usage, epoch milliseconds. */
  readonly timestamp?: number
}

export const Usage = shape('Usage', {
  meter: Type.String(),
  tenant_id: Type.String(),
  value: nullable(UsageValue),
  timestamp: nullable(Time('The `timestamp` of the request; null if it had none, and the time of the call is used.')),
  identifier: Type.String(),
  already_counted: Type.Boolean({
    description:
      'True if an earlier report had the same identifier. Then only the earlier report counts, and `value` and `timestamp` are null, because Ratecard does not store them.',
  }),
  billed: nullable(
    Type.Boolean({
      description:
        'false: the tenant has no subscription item for the meter, so that the usage is not paid for. null: not known yet (it may have bought one a moment ago), or nothing to bill, because the meter only counts an allowance of its plan.',
    }),
  ),
})

export type RecordedUsage = Pick<
  Inside<typeof Usage>,
  'meter' | 'tenantId' | 'identifier' | 'alreadyCounted' | 'billed'
>

const question = {
  feature: Type.String({ minLength: 1, maxLength: 200, description: 'Id of the feature in your configuration.' }),
  used: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 999_999_999_999,
      description: 'Number in use now, as your program counts it. Only for features of type `limit`.',
    }),
  ),
  requested: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 999_999_999_999,
      description: 'How many more the tenant wants to use. Default: 1.',
    }),
  ),
}
/** A single check, or a list of checks in `checks`. The handler rejects a body that contains both, and one that contains neither. */
export const NewFeatureCheck = shape('NewFeatureCheck', {
  ...question,
  feature: Type.Optional(question.feature),
  checks: Type.Optional(
    Type.Array(Type.Object(question, closed), {
      minItems: 1,
      maxItems: 50,
      description: 'Several checks in one request, instead of `feature`.',
    }),
  ),
  tenant_id,
})
export const FeatureChecks = shape('FeatureChecks', {
  checks: Type.Array(sharedSchema(FeatureCheck), { description: 'The results, in the order of the checks.' }),
})

export const SessionPrices = shape('SessionPrices', {
  prices: Type.Array(
    Type.Object(
      {
        base_price_id: Type.String({
          description: 'Configuration id of the public price that the negotiated price replaces.',
        }),
        price: document<Price>('Price'),
      },
      closed,
    ),
    { description: 'Negotiated prices of the tenant; empty if it has none.' },
  ),
})

export type SessionPrices = Inside<typeof SessionPrices>['prices']

const path = '/api/v1/billing'
const all = { tag: 'Checkout', access: 'session', scope: 'write', method: 'POST', bodyLimit: 32 * 1024 } as const

const FlowSubscription = Type.String({ description: 'Id of a running subscription of the tenant.' })

/**
 * A flow of the customer portal. Its members are those of the processor's `flow_data`, but objects are named by their ids in the document.
 */
export const PortalFlow = shape(
  'PortalFlow',
  {
    type: Type.Enum(
      [
        'customer_update',
        'payment_method_update',
        'subscription_cancel',
        'subscription_update',
        'subscription_update_confirm',
      ],
      { description: 'What the customer does on the page.' },
    ),
    subscription_cancel: Type.Optional(
      Type.Object(
        {
          subscription: FlowSubscription,
          retention: Type.Optional(
            Type.Object(
              {
                type: Type.Literal('coupon_offer'),
                coupon_offer: Type.Object(
                  { coupon: Type.String({ description: 'Id of a coupon. Needs a service key.' }) },
                  closed,
                ),
              },
              closed,
            ),
          ),
        },
        closed,
      ),
    ),
    subscription_update: Type.Optional(Type.Object({ subscription: FlowSubscription }, closed)),
    subscription_update_confirm: Type.Optional(
      Type.Object(
        {
          subscription: FlowSubscription,
          items: Type.Array(
            Type.Object(
              {
                id: Type.Optional(Type.String({ description: 'Id of the subscription item. Default: the only item.' })),
                price: Type.Optional(
                  Type.String({
                    description: 'Id of a price in your configuration. Default: the item’s current price.',
                  }),
                ),
                quantity: Type.Optional(Type.Integer({ minimum: 0, description: 'Default: the current quantity.' })),
              },
              closed,
            ),
            { minItems: 1, maxItems: 1 },
          ),
          discounts: Type.Optional(
            Type.Array(
              Type.Object(
                {
                  coupon: Type.Optional(Type.String({ description: 'Id of a coupon. Needs a service key.' })),
                  promotion_code: Type.Optional(Type.String({ description: 'Id of a promotion code, or its code.' })),
                },
                closed,
              ),
              { minItems: 1, maxItems: 1 },
            ),
          ),
        },
        closed,
      ),
    ),
    after_completion: Type.Optional(
      Type.Object(
        {
          type: Type.Enum(['hosted_confirmation', 'portal_homepage', 'redirect']),
          redirect: Type.Optional(
            Type.Object(
              {
                return_url: Url('URL that the customer returns to. The same rules as for `success_url` of a checkout.'),
              },
              closed,
            ),
          ),
          hosted_confirmation: Type.Optional(
            Type.Object({ custom_message: Type.Optional(Type.String({ maxLength: 500 })) }, closed),
          ),
        },
        closed,
      ),
    ),
  },
  'Opens the customer portal at a page for one action, e.g. a cancellation.',
)

export const NewPortal = shape('NewPortal', {
  return_url: Url('URL that the customer returns to. The same rules as for `success_url` of a checkout.'),
  portal_id: Type.Optional(
    Type.String({
      description: 'Id of a portal configuration. Default: the document’s default one, otherwise the processor’s own.',
    }),
  ),
  flow: Type.Optional(PortalFlow),
  tenant_id,
})

export type NewPortal = Omit<Inside<typeof NewPortal>, 'tenantId'>

export const checkoutOperations = operations({
  listSessionPrices: {
    tag: 'Checkout',
    access: 'session',
    scope: 'read',
    method: 'GET',
    path: `${path}/session/prices`,
    summary: 'List the negotiated prices of a tenant',
    description:
      'Each negotiated price replaces a price of the public list. To sell it, pass the id of the public price to a checkout.',
    query: { tenant_id },
    answers: { 200: { description: 'The tenant’s own prices.', schema: SessionPrices } },
    errors: ['config_not_found', 'tenant_not_found'],
  },
  listSessionSubscriptions: {
    tag: 'Checkout',
    access: 'session',
    scope: 'read',
    method: 'GET',
    path: `${path}/session/subscriptions`,
    summary: 'List the subscriptions of the session’s tenant',
    description: 'Same response as the route under `admin/tenants/{id}`, which needs a service key.',
    query: { tenant_id },
    answers: { 200: { description: 'The subscriptions, oldest first.', schema: TenantSubscriptions } },
    errors: ['tenant_not_found', ...customerErrors],
  },
  listSessionInvoices: {
    tag: 'Checkout',
    access: 'session',
    scope: 'read',
    method: 'GET',
    path: `${path}/session/invoices`,
    summary: 'List the finalized invoices of the session’s tenant, newest first',
    description: 'Same response as the route under `admin/tenants/{id}`, which needs a service key.',
    query: { ...pageQuery, tenant_id },
    answers: { 200: { description: 'A page of invoices.', schema: TenantInvoices } },
    errors: ['tenant_not_found', ...mirrorErrors],
  },
  getEntitlements: {
    tag: 'Checkout',
    access: 'session',
    scope: 'read',
    method: 'GET',
    path: `${path}/entitlements`,
    summary: 'List the features that the session’s tenant may use',
    description: 'Same response as the route under `admin/tenants/{id}`, which needs a service key.',
    query: { tenant_id },
    answers: { 200: { description: 'The features.', schema: Entitlements } },
    errors: ['tenant_not_found', ...customerErrors],
  },
  checkEntitlements: {
    ...all,
    scope: 'read',
    path: `${path}/entitlements/check`,
    summary: 'Check whether a tenant may use more of a feature',
    description:
      'Read from the mirror, without a call to the processor. For a feature of type `limit`, pass how many are `used`; without `used`, only `requested` is compared with the limit.',
    body: NewFeatureCheck,
    answers: {
      200: {
        description: 'The result; for `checks`, an object with all results in the same order.',
        schema: Type.Union([sharedSchema(FeatureCheck), FeatureChecks]),
      },
    },
    errors: ['feature_not_found', 'config_not_found', 'tenant_not_found', ...customerErrors],
  },
  createCheckout: {
    ...all,
    path: `${path}/checkout`,
    summary: 'Send a tenant to the checkout of one or several prices',
    description:
      'A tenant with negotiated prices is sold its own price instead of the list price. A free price with an interval starts immediately, and `url` is the success URL.',
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
      'quantity_invalid',
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
    body: NewPortal,
    answers: {
      200: {
        description: 'Where to send the customer.',
        schema: Type.Object({ url: Type.String({ description: 'Where to send the customer.' }) }, closed),
      },
    },
    errors: [
      'tenant_not_found',
      'portal_not_found',
      'price_not_found',
      'checkout_invalid',
      'quantity_invalid',
      'not_allowed',
      'tenant_busy',
      ...customerErrors,
    ],
  },
  recordUsage: {
    ...all,
    path: `${path}/usage`,
    summary: 'Record usage of a meter',
    description:
      'A session can report only usage of its own tenant, for meters that sum or count, and no time in the future. Meters with the formula `last` or with `event_time_window` need a service key, because a later report replaces earlier ones.',
    headers: keyHeader,
    body: NewUsage,
    answers: { 200: { description: 'The usage is recorded.', schema: Usage } },
    errors: [
      'meter_not_found',
      'meter_not_subscribed',
      'limit_reached',
      'config_not_found',
      'tenant_not_found',
      'conflict',
      'not_allowed',
      'checkout_invalid',
      'tenant_busy',
      ...customerErrors,
      ...keyErrors,
    ],
  },
})
