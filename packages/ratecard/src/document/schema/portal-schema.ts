// Schema of configurations of the customer portal. Members have the processor's names, but refer to objects by their ids in the document.
import { Type } from 'typebox'
import { closed, Id, Metadata, PreviousIds, ProcessorId, WebAddress } from './fields.ts'

const Enabled = Type.Optional(
  Type.Boolean({ description: 'If false, the feature is off, as if it were not listed. Default: true.' }),
)

/** Maximum number of products of one configuration. Source: the processor's documentation of `products`. */
export const maxPortalProducts = 10

export const PortalProduct = Type.Object(
  {
    product: Id('Id of a product.', 'pro'),
    prices: Type.Array(Id('Id of a recurring price of the product.', 'pro_monthly'), {
      minItems: 1,
      description: 'Ids of the recurring prices that a customer may change to.',
    }),
    adjustable_quantity: Type.Optional(
      Type.Object(
        {
          enabled: Type.Boolean({ description: 'Whether the customer may change the quantity.' }),
          minimum: Type.Optional(Type.Integer({ minimum: 0, maximum: 999_999, description: 'Default 1.' })),
          maximum: Type.Optional(Type.Integer({ minimum: 1, maximum: 999_999, description: 'Default 99.' })),
        },
        { ...closed, description: 'Limits of the quantity. Default: not adjustable.' },
      ),
    ),
  },
  { ...closed, description: 'A product whose prices a customer may change to.' },
)

const CustomerUpdate = Type.Object(
  {
    enabled: Enabled,
    allowed_updates: Type.Array(Type.Enum(['address', 'email', 'name', 'phone', 'shipping', 'tax_id']), {
      minItems: 1,
      description: 'Details that the customer may change.',
      examples: [['email', 'address', 'tax_id']],
    }),
  },
  { ...closed, description: 'The customer can change its details.' },
)

const Switch = (description: string) => Type.Object({ enabled: Enabled }, { ...closed, description })

export const cancellationReasons = [
  'customer_service',
  'low_quality',
  'missing_features',
  'other',
  'switched_service',
  'too_complex',
  'too_expensive',
  'unused',
] as const

const prorationBehaviors = ['none', 'create_prorations', 'always_invoice'] as const
/** Of a cancellation. The processor refuses `always_invoice` there. */
const cancelProrationBehaviors = ['none', 'create_prorations'] as const

const SubscriptionCancel = Type.Object(
  {
    enabled: Enabled,
    mode: Type.Optional(
      Type.Enum(['at_period_end', 'immediately'], {
        description: 'When a cancelled subscription ends. Default: `at_period_end`.',
      }),
    ),
    proration_behavior: Type.Optional(
      Type.Enum(cancelProrationBehaviors, {
        description: 'What happens to unused time with `mode: immediately`. Default: `none`.',
      }),
    ),
    cancellation_reason: Type.Optional(
      Type.Object(
        {
          enabled: Enabled,
          options: Type.Array(Type.Enum(cancellationReasons), {
            minItems: 1,
            description: 'Reasons that the customer can choose from.',
            examples: [['too_expensive', 'unused', 'other']],
          }),
        },
        { ...closed, description: 'Ask the customer for the reason. Default: do not ask.' },
      ),
    ),
  },
  { ...closed, description: 'The customer can cancel its subscriptions.' },
)

const SubscriptionUpdate = Type.Object(
  {
    enabled: Enabled,
    default_allowed_updates: Type.Array(Type.Enum(['price', 'promotion_code', 'quantity']), {
      minItems: 1,
      description: 'What the customer may change about a subscription.',
      examples: [['price']],
    }),
    products: Type.Union(
      [Type.Literal('public'), Type.Array(PortalProduct, { minItems: 1, maxItems: maxPortalProducts })],
      {
        description: `Up to ${String(maxPortalProducts)} products with the prices that a customer may change to. \`"public"\`: every public price that is billed by quantity in an interval, also those of later versions.`,
        examples: ['public', [{ product: 'pro', prices: ['pro_monthly', 'pro_yearly'] }]],
      },
    ),
    proration_behavior: Type.Optional(
      Type.Enum(prorationBehaviors, { description: 'What happens to unused time. Default: `none`.' }),
    ),
    billing_cycle_anchor: Type.Optional(
      Type.Enum(['now', 'unchanged'], { description: 'Whether a new period begins. Default `unchanged`.' }),
    ),
    trial_update_behavior: Type.Optional(
      Type.Enum(['end_trial', 'continue_trial'], {
        description: 'What happens to a trial when the subscription is changed. Default: `end_trial`.',
      }),
    ),
    schedule_at_period_end: Type.Optional(
      Type.Object(
        {
          conditions: Type.Array(
            Type.Object(
              {
                type: Type.Enum(['decreasing_item_amount', 'shortening_interval'], {
                  description: 'Change to a lower amount or to a shorter interval.',
                }),
              },
              { ...closed, description: 'One kind of change.' },
            ),
            { minItems: 1, maxItems: 2, description: 'Changes that wait for the end of the period.' },
          ),
        },
        { ...closed, description: 'Changes that wait for the end of the period. Default: none.' },
      ),
    ),
  },
  { ...closed, description: 'The customer can change its subscriptions. Needs `payment_method_update`.' },
)

export const PortalFeatures = Type.Object(
  {
    customer_update: Type.Optional(CustomerUpdate),
    invoice_history: Type.Optional(Switch('The customer can see its invoices.')),
    payment_method_update: Type.Optional(Switch('The customer can change its payment methods.')),
    subscription_cancel: Type.Optional(SubscriptionCancel),
    subscription_update: Type.Optional(SubscriptionUpdate),
  },
  { ...closed, description: 'What a customer can do in the portal. A feature that is not listed is off.' },
)

export const Portal = Type.Object(
  {
    id: Id('Your id of the portal configuration; `POST /api/v1/billing/portal` names it.', 'self_service'),
    default: Type.Optional(
      Type.Boolean({
        description:
          'Use this configuration if a request names none. At most one configuration may be the default. Not sent to the processor.',
      }),
    ),
    sessions: Type.Optional(
      Type.Boolean({
        description:
          'Whether a request with a session may name this configuration. Sessions may always name the default. Default: false. Not sent to the processor.',
      }),
    ),
    headline: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 60,
        description: 'Text at the top of the portal.',
        examples: ['Manage your plan'],
      }),
    ),
    privacy_policy_url: Type.Optional(WebAddress('URL of your privacy policy.', 'https://example.com/privacy')),
    terms_of_service_url: Type.Optional(WebAddress('URL of your terms of service.', 'https://example.com/terms')),
    return_url: Type.Optional(
      WebAddress(
        'URL of the link back to your site, for sessions without a `return_url`.',
        'https://example.com/account',
      ),
    ),
    login_page: Type.Optional(
      Type.Object(
        { enabled: Type.Boolean({ description: 'Whether the login page is open.' }) },
        { ...closed, description: 'A page of the processor on which customers sign in by email. Default: off.' },
      ),
    ),
    features: PortalFeatures,
    metadata: Type.Optional(Metadata),
    previous_ids: Type.Optional(PreviousIds),
    processor_id: Type.Optional(ProcessorId),
  },
  { ...closed, description: 'A configuration of the processor’s customer portal.' },
)
