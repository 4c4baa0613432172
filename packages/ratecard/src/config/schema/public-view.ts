import { isEnterprise } from './ids.ts'
import type { BillingConfig, Meter, Price, Product } from './schema.ts'

/** True if the price is visible to customers. An enterprise price is never visible, even with `public: true`. */
export function isPublic(price: Pick<Price, 'public' | 'enterprise_template' | 'enterprise_id'>): boolean {
  return price.public !== false && !isEnterprise(price)
}

/**
 * States for each member whether the public view contains it. A member without an entry is a compile error, so that each new member needs a
 * decision; see docs/decisions/0036.
 */
type VisibleMembers<Item> = { readonly [Member in keyof Item]-?: boolean }

const shownOfDocument: VisibleMembers<BillingConfig> = {
  $schema: true,
  version: true,
  meters: true,
  products: true,
  features: false,
  webhooks: false,
  coupons: false,
  promotion_codes: false,
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
  prices: true,
  ui: true,
  processor_id: true,
  // Internal data for banks, tax authorities, carriers and the seller: not public.
  statement_descriptor: false,
  tax_code: false,
  shippable: false,
  package_dimensions: false,
  features: false,
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
  public: true,
  default: true,
  ui: true,
  processor_id: true,
  // Internal names of the seller: not public.
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

function shown<Item extends object>(item: Item, members: VisibleMembers<Item>): Item {
  const table: Readonly<Record<string, boolean>> = members
  return Object.fromEntries(Object.entries(item).filter(([member]) => table[member] === true)) as Item
}

/** Returns a price without its private members, as its buyer may see it. */
export function publicPrice(price: Price): Price {
  return shown(price, shownOfPrice)
}

/**
 * Returns the public view of a document: public prices, their products, and the meters that these prices bill. A product whose prices are
 * all hidden is left out; a product without any price is included. The view never contains webhooks, features, coupons or promotion codes.
 */
export function publicView(config: BillingConfig): BillingConfig {
  const view = shown(config, shownOfDocument)
  const products = config.products.flatMap(publicProduct)
  const billed = new Set(products.flatMap(({ prices = [] }) => prices.map((price) => price.meter)))
  // Members keep the order of the document, because the result is served without reordering.
  return {
    ...view,
    ...(view.meters && {
      meters: view.meters.filter(({ id }) => billed.has(id)).map((meter) => shown(meter, shownOfMeter)),
    }),
    products,
  }
}

function publicProduct(whole: Product): Product[] {
  const product = shown(whole, shownOfProduct)
  if (product.prices === undefined || product.prices.length === 0) return [product]
  const prices = product.prices.filter(isPublic)
  return prices.length === 0 ? [] : [{ ...product, prices: prices.map(publicPrice) }]
}
