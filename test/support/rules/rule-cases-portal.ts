import { changesTo, config, metered, meter, of, portal, price, product, type RuleCase } from './rule-parts.ts'

const features = '#/portal/0/features'
const firstPrice = `${features}/subscription_update/products/0/prices/0`
const withPortal = (...portals: object[]) => config({ portal: portals })

export const portals: RuleCase[] = [
  of('two portal configurations of one id', 'id_duplicate', '#/portal/1/id', withPortal(portal(), portal())),
  of(
    'two default portal configurations',
    'value_invalid',
    '#/portal/1/default',
    withPortal(portal({}, { default: true }), portal({}, { id: 'other', default: true })),
  ),
  of(
    'a portal with a price that does not exist',
    'portal_price_undefined',
    firstPrice,
    withPortal(portal(changesTo('pro_mnthly'))),
  ),
  of(
    'a portal with a product that does not exist',
    'product_undefined',
    `${features}/subscription_update/products/0/product`,
    withPortal(
      portal({
        ...changesTo(),
        subscription_update: {
          default_allowed_updates: ['price'],
          products: [{ product: 'por', prices: ['pro_monthly'] }],
        },
      }),
    ),
  ),
  of(
    'a portal with a price billed by usage',
    'portal_price_invalid',
    firstPrice,
    config({
      meters: [meter()],
      products: [product([metered({ id: 'pro_calls', amount: 2 })])],
      portal: [portal(changesTo('pro_calls'))],
    }),
  ),
  of(
    'a portal with a price listed twice',
    'value_invalid',
    `${features}/subscription_update/products/0/prices/1`,
    withPortal(portal(changesTo('pro_monthly', 'pro_monthly'))),
  ),
  of(
    'a portal in which subscriptions change without payment methods',
    'portal_needs_payment_method',
    `${features}/subscription_update`,
    withPortal(portal({ ...changesTo('pro_monthly'), payment_method_update: { enabled: false } })),
  ),
  of(
    'a portal whose cancellations are invoiced at once',
    'enum_unknown',
    `${features}/subscription_cancel/proration_behavior`,
    withPortal(portal({ subscription_cancel: { mode: 'immediately', proration_behavior: 'always_invoice' } })),
  ),
  of(
    'a portal of all public prices where none can be changed to',
    'portal_products_limit',
    `${features}/subscription_update/products`,
    config({
      products: [product([price({ public: false })])],
      portal: [
        portal({
          payment_method_update: {},
          subscription_update: { default_allowed_updates: ['price'], products: 'public' },
        }),
      ],
    }),
  ),
]
