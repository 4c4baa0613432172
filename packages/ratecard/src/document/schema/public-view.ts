import { isEnterprise } from './ids.ts'
import { featureIdOf, type Feature } from './feature-schema.ts'
import type { BillingConfig, Meter, Price, Product } from './schema.ts'

/** True if the price is visible to customers. An enterprise price is never visible, even with `public: true`. */
export function isPublic(price: Pick<Price, 'public' | 'enterprise_template' | 'enterprise_id'>): boolean {
  return price.public !== false && !isEnterprise(price)
}

/**
 * Defines for each member whether the public view contains it. A member without an entry is a compile error, so that every new member gets
 * a decision; see docs/decisions/18-what-the-public-sees.md.
 */
type VisibleMembers<Item> = { readonly [Member in keyof Item]-?: boolean }

const shownOfDocument: VisibleMembers<BillingConfig> = {
  $schema: true,
  version: true,
  meters: true,
  products: true,
  features: true,
  webhooks: false,
  coupons: false,
  promotion_codes: false,
  tax_rates: false,
  extra_currencies: false,
  tax: false,
  portal: false,
}

const shownOfProduct: VisibleMembers<Product> = {
  id: true,
  name: true,
  description: true,
  type: true,
  unit_label: true,
  url: true,
  images: true,
  marketing_features: true,
  subscription_group: true,
  features: true,
  prices: true,
  ui: true,
  processor_id: true,
  // Internal data of the seller, and data for banks, tax authorities and carriers. It is not public.
  statement_descriptor: false,
  tax_code: false,
  shippable: false,
  package_dimensions: false,
  grandfather_features: false,
  metadata: false,
  previous_ids: false,
}

const shownOfPrice: VisibleMembers<Price> = {
  id: true,
  amount: true,
  unit_amount_decimal: true,
  tiers: true,
  currency: true,
  interval: true,
  interval_count: true,
  usage_type: true,
  meter: true,
  billing_scheme: true,
  tiers_mode: true,
  tax_included_in_price: true,
  currency_options: true,
  transform_quantity: true,
  custom_unit_amount: true,
  trial_period_days: true,
  attached_prices: true,
  grants_credit: true,
  public: true,
  default: true,
  ui: true,
  processor_id: true,
  // Internal names of the seller: not public.
  lookup_key: false,
  nickname: false,
  enterprise_template: false,
  enterprise_id: false,
  base_price: false,
  percent_off_base: false,
  metadata: false,
  previous_ids: false,
}

const shownOfMeter: VisibleMembers<Meter> = {
  id: true,
  display_name: true,
  event_name: true,
  default_aggregation: true,
  customer_mapping: true,
  value_settings: true,
  processor_id: true,
  event_time_window: false,
  previous_ids: false,
}

const shownOfFeature: VisibleMembers<Feature> = {
  id: true,
  name: true,
  type: true,
  unit: true,
  processor_id: true,
  // Internal ids of the seller: not public.
  lookup_key: false,
  meter: false,
  metadata: false,
  previous_ids: false,
}

function visibleMembers<Item extends object>(item: Item, members: VisibleMembers<Item>): Item {
  const table: Readonly<Record<string, boolean>> = members
  return Object.fromEntries(Object.entries(item).filter(([member]) => table[member] === true)) as Item
}

/** Returns a price without its private members, as its buyer may see it. */
export function publicPrice(price: Price): Price {
  return visibleMembers(price, shownOfPrice)
}

/**
 * Returns the public view of a document. It contains public prices, their products with their limits, and all meters. A product whose prices are all hidden is left out, but a product without any price is included. The view never contains webhooks,
 * coupons, promotion codes, taxes, portal configurations, or features that are only on or off.
 */
export function publicView(config: BillingConfig): BillingConfig {
  const { features = [], ...view } = visibleMembers(config, shownOfDocument)
  const products = config.products.flatMap(publicProduct)
  const limited = new Set(products.flatMap(({ features = [] }) => features.map(featureIdOf)))
  // Members keep the order of the document, because the result is served without reordering.
  return {
    ...view,
    ...(view.meters && { meters: view.meters.map((meter) => visibleMembers(meter, shownOfMeter)) }),
    products,
    ...(limited.size > 0 && {
      features: features.filter(({ id }) => limited.has(id)).map((feature) => visibleMembers(feature, shownOfFeature)),
    }),
  }
}

function publicProduct(whole: Product): Product[] {
  const product = withLimitsOnly(visibleMembers(whole, shownOfProduct))
  if (product.prices === undefined || product.prices.length === 0) return [product]
  const prices = product.prices.filter(isPublic)
  return prices.length === 0 ? [] : [{ ...product, prices: prices.map(publicPrice) }]
}

/** Returns the product with only those features that have a limit, because pricing pages show limits. */
function withLimitsOnly({ features, ...product }: Product): Product {
  const limits = (features ?? []).filter((entry) => typeof entry !== 'string')
  return limits.length === 0 ? product : { ...product, features: limits }
}
