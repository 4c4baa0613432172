// What the schema's descriptions say of the processor, sentence by sentence, with the page of its documentation that says the same.
// Every sentence that names the processor is listed here, and the others that state what it does, shows or allows. Pages of the API
// reference were read in the types of the SDK, which have their texts.

/** Date on which the pages were read. */
export const readOn = '2026-11-23'

/** Page of a sentence. Null: no page of the documentation says so; the reference marks the sentence. */
type Source = string | null

const api = (page: string) => `https://docs.stripe.com/api/${page}`
const guide = (page: string) => `https://docs.stripe.com/${page}`

const webhookCreate = api('webhook_endpoints/create')
const meterCreate = api('billing/meter/create')
const usage = guide('billing/subscriptions/usage-based/recording-usage')
const featureCreate = api('entitlements/feature/create')
const productCreate = api('products/create')
const priceCreate = api('prices/create')
const couponCreate = api('coupons/create')
const codeCreate = api('promotion_codes/create')
const rateObject = api('tax_rates/object')
const portalCreate = api('customer_portal/configurations/create')

export const processorFacts: Readonly<Record<string, Source>> = {
  // Webhook endpoints
  'Webhook endpoints that the processor delivers events to.': webhookCreate,
  'A webhook endpoint that the processor delivers events to.': webhookCreate,
  'Event types to deliver, or `*` for all but those that the processor sends only by name.': webhookCreate,
  'Deliver the events of connected accounts instead of your own account’s.': webhookCreate,
  'API version of the endpoint’s events.': webhookCreate,
  'Fixed at creation: another version creates a new endpoint with a new secret.': api('webhook_endpoints/update'),
  // All kinds
  'Up to 50 pairs of text kept on the processor’s object.': api('metadata'),
  // Meters
  'Name of the meter.': meterCreate,
  'Customers do not see it.': meterCreate,
  'Name of the usage events that the meter counts, unique across meters.': usage,
  'The payload contains the processor’s customer id.': meterCreate,
  'Default `stripe_customer_id`.': api('billing/meter-event/create'),
  'Default `value`.': api('billing/meter-event/create'),
  'Window (hour or day) of preaggregated events: only the last event of each window counts.': usage,
  'Default: each event counts.': usage,
  // Features
  'Not sent to the processor, where every feature is on or off.': api('entitlements/active-entitlement/object'),
  'Lookup key at the processor, with which your programs can find the feature.': featureCreate,
  'Fixed at creation: another key creates a new feature.': api('entitlements/feature/update'),
  // Products
  'Name for customers, e.g. on invoices.': productCreate,
  'Longer text about the product for customers.': productCreate,
  'It cannot be changed later.': api('products/update'),
  'Default: `service`.': productCreate,
  'Tax code of the processor, e.g. `txcd_10103001`.': productCreate,
  'Name of one unit on receipts and invoices, in the checkout and in the customer portal.': productCreate,
  'Text on the customer’s card or bank statement, for subscriptions.': productCreate,
  'Addresses of up to 8 images for customers.': productCreate,
  'Up to 15 features that the processor’s own pricing tables list.': productCreate,
  'One feature, as the processor’s pricing tables show it.': productCreate,
  'Inches, up to 2 decimals.': productCreate,
  'Ounces, up to 2 decimals.': productCreate,
  // Prices
  'Number of intervals between bills, at most three years in all.': priceCreate,
  'Amount in minor units for the whole tier.': priceCreate,
  '`graduated`: charged for each tier that the quantity reaches.': null,
  '`volume`: only for the tier reached.': null,
  '`graduated` (the default): each unit at its own tier.': priceCreate,
  '`volume`: all units at the tier reached.': priceCreate,
  'Default: not specified at the processor.': priceCreate,
  'The quantity is divided into packages before it is billed.': priceCreate,
  'Not with tiers.': priceCreate,
  'One-time prices only, in place of `amount`.': null,
  'Lookup key at the processor, with which your programs can find the price.': priceCreate,
  'If an earlier managed price has the new key, the key is moved to this price.': priceCreate,
  'Currency of the credit, which pays invoices in this currency only.': null,
  'Default: it never expires.': api('billing/credit-grant/create'),
  'Default: usage of every meter.': api('billing/credit-grant/create'),
  // Coupons and codes
  'Name on invoices and receipts.': couponCreate,
  'Default: the id of the coupon at the processor.': couponCreate,
  'Unique; case does not matter.': codeCreate,
  'Maximum number of redemptions, not more than those of its coupon.': codeCreate,
  'Only for customers without a successful payment or invoice.': codeCreate,
  'Id of the only customer at the processor who may use it.': codeCreate,
  'Time at which it expires, not later than its coupon.': codeCreate,
  // Taxes
  'Name on invoices and in the checkout.': rateObject,
  'Per cent, 0 to 100 with up to 4 decimals, as text or as a number.': null,
  'If it is removed, a new tax rate replaces this one, because the processor cannot remove it.': null,
  'Jurisdiction, as the customer’s invoice shows it.': rateObject,
  'If false, new sales cannot use the tax rate, and running subscriptions keep it.': rateObject,
  'The processor computes the tax of each sale from the customer’s location.': api('checkout/sessions/create'),
  'The checkout asks business customers for their tax id.': guide('tax/checkout/tax-ids'),
  'Ids of up to 5 active tax rates of each sale.': null,
  // Portal
  'Configurations of the processor’s customer portal.': portalCreate,
  'A configuration of the processor’s customer portal.': portalCreate,
  'URL of the link back to your site, for sessions without a `return_url`.': portalCreate,
  'A page of the processor on which customers sign in by email.': api('customer_portal/configurations/object'),
  'What happens to unused time with `mode: immediately`.': portalCreate,
  'Needs `payment_method_update`.': null,
  'Up to 10 products with the prices that a customer may change to.': portalCreate,
  'Default `unchanged`.': portalCreate,
  'Default: `at_period_end`.': null,
  'Default: `end_trial`.': null,
  'Default 99.': null,
}

/** Sentences about what the product itself does with its objects at the processor, or does not send there: no facts of the processor. */
export const ownSentences: readonly string[] = [
  'The item takes over their history: the objects at the processor and the subscribers.',
  'Id of an object that already exists at the processor: it is adopted instead of created.',
  'Not sent to the processor: Ratecard creates a credit grant there for each payment.',
  'Not sent to the processor.',
  'They are not sent to the processor.',
]

/** Returns the sentences of a description. A point after `e.g` ends none. */
export const sentencesOf = (description: string): string[] => description.split(/(?<=(?<!e\.g)[.!?])\s+(?=[A-Z`"\d])/)
