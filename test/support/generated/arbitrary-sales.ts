// Generators of tax rates, of the taxes of sales, and of portal configurations.
import fc from 'fast-check'
import { isPortalPrice, publicPortalProducts } from '../../../packages/ratecard/src/document/schema/portal-products.ts'
import type {
  Portal,
  PortalFeatures,
  Product,
  Tax,
  TaxRate,
} from '../../../packages/ratecard/src/document/schema/schema.ts'
import { compact, metadata, optional, text, type Members } from './arbitrary-parts.ts'

export function taxRate(id: string): fc.Arbitrary<TaxRate> {
  const members: Members<TaxRate, 'display_name' | 'percentage' | 'inclusive'> = {
    country: optional(fc.constantFrom('DE', 'US')),
    state: optional(fc.constantFrom('CA', 'NY')),
    jurisdiction: optional(fc.constantFrom('Germany', 'US - NY')),
    description: optional(text),
    tax_type: optional(fc.constantFrom('vat', 'sales_tax')),
    active: optional(fc.boolean()),
    metadata: optional(metadata),
  }
  return fc
    .record({
      ...members,
      display_name: fc.constantFrom('VAT', 'Sales tax'),
      percentage: fc.constantFrom<string | number>('19', '8.875', '0', 20, 7.7),
      inclusive: fc.boolean(),
    })
    .map((rest) => compact<TaxRate>({ id, ...rest }))
}

/** Taxes of sales: up to all active rates, or automatic tax. */
export function tax(rates: readonly TaxRate[]): fc.Arbitrary<Tax | undefined> {
  const active = rates.filter((rate) => rate.active !== false).map(({ id }) => id)
  return fc
    .record({
      named: fc.subarray(active),
      automatic: fc.boolean(),
      collect_tax_ids: fc.constantFrom(true as const, undefined),
    })
    .map(({ named, automatic, collect_tax_ids }) => {
      const whole = compact<Tax>({
        collect_tax_ids,
        ...(named.length > 0 ? { rates: named } : { automatic: automatic ? (true as const) : undefined }),
      })
      return Object.keys(whole).length === 0 ? undefined : whole
    })
}

/** Prices that the portal of each configuration offers: some of those that can be offered, or all public ones. */
export function portal(id: string): fc.Arbitrary<(products: readonly Product[]) => Portal> {
  const members: Members<Portal, 'features' | 'default'> = {
    sessions: optional(fc.constant(true)),
    headline: optional(fc.constantFrom('Your plan', 'Manage your plan')),
    privacy_policy_url: optional(fc.constantFrom('https://example.com/privacy')),
    terms_of_service_url: optional(fc.constantFrom('https://example.com/terms')),
    return_url: optional(fc.constantFrom('https://example.com/a', 'https://example.com/b')),
    login_page: optional(fc.record({ enabled: fc.boolean() })),
    metadata: optional(metadata),
  }
  const on = fc.constantFrom({}, { enabled: true }, { enabled: false })
  const cancel = fc.record({
    mode: fc.constantFrom('at_period_end' as const, 'immediately' as const),
    cancellation_reason: fc.record({ options: fc.subarray(['unused' as const, 'other' as const], { minLength: 1 }) }),
  })
  const allowed = fc.subarray(['price' as const, 'quantity' as const, 'promotion_code' as const], { minLength: 1 })
  return fc
    .record({
      ...members,
      customer: optional(
        fc.record({ allowed_updates: fc.subarray(['email' as const, 'name' as const], { minLength: 1 }) }),
      ),
      history: optional(on),
      cancel: optional(cancel),
      update: optional(fc.record({ allowed, all: fc.boolean(), skip: fc.nat(2) })),
    })
    .map(({ customer, history, cancel: cancels, update, ...rest }) => (products: readonly Product[]) => {
      const listed = products.flatMap(({ id: product, prices = [] }) => {
        const sold = prices.filter(isPortalPrice).map((price) => price.id)
        return sold.length === 0 ? [] : [{ product, prices: sold }]
      })
      const chosen = listed.filter((_one, at) => at % 3 !== update?.skip)
      const offers = update?.all === true ? publicPortalProducts({ products: [...products] }) : chosen
      const features = compact<PortalFeatures>({
        customer_update: customer,
        invoice_history: history,
        payment_method_update: update === undefined ? undefined : {},
        subscription_cancel: cancels,
        subscription_update:
          update === undefined || offers.length === 0
            ? undefined
            : { default_allowed_updates: update.allowed, products: update.all ? ('public' as const) : chosen },
      })
      return compact<Portal>({ id, ...rest, features, default: id === 'self_service' ? true : undefined })
    })
}
