// Rules about configurations of the customer portal.
import type { Issue } from '../../base/errors/issue.ts'
import { maxPortalProducts } from '../schema/portal-schema.ts'
import { idsOf, undefinedReference } from './document-rules.ts'
import { entryName, errorIssue, quoteValue, type Draft, type Entry, type ProductDraft, type Rule } from './draft.ts'
import { isEnterpriseDraft } from './enterprise-rules.ts'

const isOn = (feature: Entry, features: Entry, name: string): boolean =>
  features.has(name) && feature.value('enabled') !== false

/** Checks the products of each portal configuration: their number, and that customers can change to their prices. */
export const portalProducts: Rule = (draft) =>
  draft.portals.flatMap((portal) => {
    const update = portal.child('features').child('subscription_update')
    const products = update.value('products')
    if (products === 'public') return publicIssues(draft, portal, update)
    const seen = new Set<string>()
    return update.entries('products').flatMap((entry) => {
      const id = entry.text('product')
      if (id === undefined) return []
      const repeated = seen.has(id)
      seen.add(id)
      if (repeated)
        return [
          errorIssue(
            'value_invalid',
            entry.at('product'),
            `The product ${quoteValue(id)} is listed twice.`,
            'Combine the two entries into one.',
          ),
        ]
      return productIssues(draft, entry, id)
    })
  })

function publicIssues({ products }: Draft, portal: Entry, update: Entry): Issue[] {
  const sold = products.filter(({ prices }) =>
    prices.some((price) => unfitOf(price) === null && price.value('public') !== false && !isEnterpriseDraft(price)),
  )
  if (sold.length > 0 && sold.length <= maxPortalProducts) return []
  return [
    errorIssue(
      'portal_products_limit',
      update.at('products'),
      `${entryName('portal configuration', portal)} has "public", which are ${String(sold.length)} products; the processor takes 1 to ${String(maxPortalProducts)}.`,
      'List the products that customers may change to.',
    ),
  ]
}

function productIssues(draft: Draft, entry: Entry, id: string): Issue[] {
  const found = draft.products.find(({ product }) => product.text('id') === id)
  if (found === undefined) {
    const known = idsOf(draft.products.map(({ product }) => product))
    return [undefinedReference(draft, 'product_undefined', entry.at('product'), { kind: 'product', id, known })]
  }
  const seen = new Set<string>()
  return entry.list('prices').flatMap((price, index) => {
    if (typeof price !== 'string') return []
    const pointer = `${entry.at('prices')}/${String(index)}`
    const repeated = seen.has(price)
    seen.add(price)
    return repeated
      ? [
          errorIssue(
            'value_invalid',
            pointer,
            `The price ${quoteValue(price)} is listed twice.`,
            'Remove one of the two.',
          ),
        ]
      : priceIssues(draft, found, price, pointer)
  })
}

function priceIssues(draft: Draft, { prices }: ProductDraft, id: string, pointer: string): Issue[] {
  const price = prices.find((one) => one.text('id') === id)
  if (price === undefined)
    return [undefinedReference(draft, 'portal_price_undefined', pointer, { kind: 'price', id, known: idsOf(prices) })]
  const unfit = unfitOf(price)
  return unfit === null
    ? []
    : [
        errorIssue(
          'portal_price_invalid',
          pointer,
          `${entryName('price', price)} ${unfit}.`,
          'Remove it from the list.',
        ),
      ]
}

/** Returns the reason why a customer cannot change to the price in the portal; null if the customer can. */
function unfitOf(price: Entry): string | null {
  if (!price.has('interval')) return 'is a one-time price, so a subscription cannot change to it'
  if (price.text('usage_type') === 'metered') return 'is billed by usage, which the portal does not offer'
  if (isFree(price)) return 'is free, so it does not exist at the processor'
  return null
}

/** Like `isLocalPrice`, for a price that may be malformed. */
function isFree(price: Entry): boolean {
  const decimal = price.text('unit_amount_decimal')
  const isZero = price.number('amount') === 0 || (decimal !== undefined && /^0+(\.0+)?$/.test(decimal))
  const linked = price.text('processor_id') ?? price.text('id')
  return (
    isZero &&
    !price.has('tiers') &&
    !price.has('currency_options') &&
    !isEnterpriseDraft(price) &&
    linked === price.text('id')
  )
}

/**
 * Checks that a portal in which customers change subscriptions also lets them change their payment method. Reason: the processor refuses
 * any other configuration.
 */
export const portalNeedsPaymentMethod: Rule = ({ portals }) =>
  portals.flatMap((portal) => {
    const features = portal.child('features')
    const [update, payment] = ['subscription_update', 'payment_method_update'].map((name) => features.child(name))
    if (update === undefined || payment === undefined) return []
    if (!isOn(update, features, 'subscription_update') || isOn(payment, features, 'payment_method_update')) return []
    return [
      errorIssue(
        'portal_needs_payment_method',
        features.at('subscription_update'),
        `${entryName('portal configuration', portal)} has \`subscription_update\` without \`payment_method_update\`.`,
        'Add `payment_method_update: { enabled: true }`.',
      ),
    ]
  })

/** Checks that at most one configuration is the default. */
export const oneDefaultPortal: Rule = ({ portals }) => {
  const [first, ...others] = portals.filter((portal) => portal.value('default') === true)
  return others.map((portal) =>
    errorIssue(
      'value_invalid',
      portal.at('default'),
      `${entryName('portal configuration', portal)} is a second default; the first is at ${first?.pointer ?? '#'}.`,
      'Keep one.',
    ),
  )
}
