// Parts of the rule cases' documents. No part violates a rule by itself.
import type { IssueCode } from '../../../packages/ratecard/src/base/errors/codes.ts'

/** `pointer` is the location of the document's only issue. */
export interface RuleCase {
  readonly name: string
  readonly code: IssueCode
  readonly pointer: string
  readonly document: Record<string, unknown>
}

export type Fields = Record<string, unknown>

export const price = (fields: Fields = {}): Fields => ({
  id: 'pro_monthly',
  amount: 1200,
  currency: 'usd',
  interval: 'month',
  ...fields,
})
export const tiered = (fields: Fields = {}): Fields => ({
  id: 'pro_tiers',
  currency: 'usd',
  interval: 'month',
  billing_scheme: 'tiered',
  tiers: [
    { up_to: 10, unit_amount: 5 },
    { up_to: 'inf', unit_amount: 3 },
  ],
  ...fields,
})
export const metered = (fields: Fields = {}): Fields => price({ usage_type: 'metered', meter: 'calls', ...fields })
export const partner = (fields: Fields = {}): Fields =>
  price({ id: 'pro_monthly_partner', amount: 900, public: false, enterprise_template: 'partner', ...fields })
export const product = (prices: Fields[], fields: Fields = {}): Fields => ({
  id: 'pro',
  name: 'Pro',
  prices,
  ...fields,
})
export const feature = (fields: Fields = {}): Fields => ({ id: 'sso', name: 'Single sign-on', ...fields })
export const meter = (fields: Fields = {}): Fields => ({
  id: 'calls',
  display_name: 'Calls',
  event_name: 'call',
  ...fields,
})
export const coupon = (fields: Fields = {}): Fields => ({ id: 'ten', percent_off: 10, duration: 'once', ...fields })
export const code = (fields: Fields = {}): Fields => ({ id: 'code_ten', code: 'TEN', coupon: 'ten', ...fields })
export const webhook = (fields: Fields = {}): Fields => ({
  id: 'hook',
  url: 'https://example.test/hook',
  events: ['invoice.paid'],
  ...fields,
})
export const taxRate = (fields: Fields = {}): Fields => ({
  id: 'vat',
  display_name: 'VAT',
  percentage: '19',
  inclusive: false,
  ...fields,
})
export const portal = (features: Fields = {}, fields: Fields = {}): Fields => ({
  id: 'self_service',
  features,
  ...fields,
})
/** Features of a portal configuration in which customers change to these prices of the product `pro`. */
export const changesTo = (...prices: string[]): Fields => ({
  payment_method_update: { enabled: true },
  subscription_update: { default_allowed_updates: ['price'], products: [{ product: 'pro', prices }] },
})
export const config = (fields: Fields = {}): Fields => ({ version: '1.0.0', products: [product([price()])], ...fields })
export const withPrices = (...prices: Fields[]): Fields => config({ products: [product(prices)] })
export const without = (fields: Fields, name: string): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name))

/** A small document without errors and warnings. */
export const validDocument = (): Fields =>
  config({
    meters: [meter()],
    products: [product([price({ default: true }), tiered(), metered({ id: 'pro_calls', amount: 2 }), partner()])],
    webhooks: [webhook()],
    coupons: [coupon()],
    promotion_codes: [code()],
    tax_rates: [taxRate()],
    tax: { rates: ['vat'], collect_tax_ids: true },
    portal: [portal(changesTo('pro_monthly'), { default: true, headline: 'Your plan' })],
  })

export const firstPrice = '#/products/0/prices/0'
export const secondPrice = '#/products/0/prices/1'
export const of = (name: string, issue: IssueCode, pointer: string, document: Fields): RuleCase => ({
  name,
  code: issue,
  pointer,
  document,
})
