// Rendering of stored objects: removes internal members, returns references as ids, and replaces the ids that `expand` names by objects.
import type { Bodies, Body, Kind } from '../../objects/bodies.ts'
import { constants } from '../../objects/constants.ts'
import { invoicePayment } from '../../objects/invoice-payment.ts'
import type { ListOf } from '../../objects/customer-bodies.ts'
import { badRequest, notSupported } from './errors.ts'
import { isKnownExpansion } from './known-expansions.ts'
import { elementsOf, isNode, isRecord, type FormValue } from '../parameters/form.ts'

/**
 * How a member is rendered. `refer`: an id that `expand` replaces by its object (with `always`, also without `expand`). `include`: a member
 * that is returned only if expanded. `within`: contains members with rules of their own, also in lists. `plan`: a price in the older form
 * of a plan.
 */
type Rule =
  | { readonly refer: Kind; readonly always?: true }
  | { readonly include: Rules }
  | { readonly within: Rules }
  | { readonly plan: true }
interface Rules {
  readonly [field: string]: Rule
}

const tiers: Rule = { include: {} }
const customer: Rule = { refer: 'customer' }
const discounts: Rule = { refer: 'discount' }
const clock: Rule = { refer: 'test_helpers.test_clock' }

const pretaxCredits: Rule = {
  within: {
    credit_balance_transaction: { refer: 'billing.credit_balance_transaction' },
    discount: { refer: 'discount' },
  },
}

const taxRates: Rule = { refer: 'tax_rate', always: true }
const itemRules: Rules = {
  tax_rates: taxRates,
  price: { refer: 'price', always: true },
  plan: { plan: true },
  discounts,
}
const lineRules: Rules = {
  discounts,
  pretax_credit_amounts: pretaxCredits,
  subscription: { refer: 'subscription' },
  pricing: { within: { price_details: { within: { price: { refer: 'price' } } } } },
}
const listOf = (within: Rules): Rule => ({ within: { data: { within } } })

const paymentRules: Rules = {
  invoice: { refer: 'invoice' },
  payment: { within: { payment_intent: { refer: 'payment_intent' } } },
}

/** Rules of each kind of object. `*` matches any key of a map. */
const rules: { readonly [K in Kind]: Rules } = {
  product: { default_price: { refer: 'price' } },
  price: {
    product: { refer: 'product' },
    tiers,
    currency_options: { include: { tiers, '*': { within: { tiers } } } },
  },
  'billing.meter': {},
  coupon: { applies_to: { include: {} }, currency_options: { include: {} } },
  promotion_code: {
    promotion: { within: { coupon: { refer: 'coupon' } } },
    customer: { refer: 'customer' },
    restrictions: { within: { currency_options: { include: {} } } },
  },
  webhook_endpoint: {},
  customer: {
    discount: { refer: 'discount', always: true },
    test_clock: clock,
    invoice_settings: { within: { default_payment_method: { refer: 'payment_method' } } },
  },
  tax_rate: {},
  'entitlements.feature': {},
  product_feature: { entitlement_feature: { refer: 'entitlements.feature', always: true } },
  'entitlements.active_entitlement': { feature: { refer: 'entitlements.feature' } },
  event: {},
  'v2.core.event': {},
  payment_method: { customer },
  subscription: {
    customer,
    default_payment_method: { refer: 'payment_method' },
    default_tax_rates: taxRates,
    discounts,
    items: listOf(itemRules),
    latest_invoice: { refer: 'invoice' },
    pending_update: { within: { discounts, subscription_items: { within: itemRules } } },
    pending_setup_intent: { refer: 'setup_intent' },
    schedule: { refer: 'subscription_schedule' },
    test_clock: clock,
  },
  subscription_item: itemRules,
  subscription_schedule: {
    customer,
    subscription: { refer: 'subscription' },
    test_clock: clock,
    default_settings: { within: { default_payment_method: { refer: 'payment_method' } } },
    phases: {
      within: {
        default_payment_method: { refer: 'payment_method' },
        default_tax_rates: taxRates,
        items: { within: { price: { refer: 'price' }, tax_rates: taxRates } },
      },
    },
  },
  discount: {
    customer,
    promotion_code: { refer: 'promotion_code' },
    source: { within: { coupon: { refer: 'coupon' } } },
  },
  invoice: {
    confirmation_secret: { include: {} },
    customer,
    default_payment_method: { refer: 'payment_method' },
    default_tax_rates: taxRates,
    discounts,
    lines: listOf(lineRules),
    payments: { include: { data: { within: paymentRules } } },
    test_clock: clock,
    total_pretax_credit_amounts: pretaxCredits,
    parent: { within: { subscription_details: { within: { subscription: { refer: 'subscription' } } } } },
  },
  invoice_payment: paymentRules,
  invoiceitem: {
    customer,
    invoice: { refer: 'invoice' },
    pricing: { within: { price_details: { within: { price: { refer: 'price' } } } } },
    tax_rates: taxRates,
    test_clock: clock,
  },
  credit_note: { customer, invoice: { refer: 'invoice' } },
  'billing.credit_grant': { customer, test_clock: clock },
  'billing.credit_balance_transaction': {
    credit: { within: { credits_application_invoice_voided: { within: { invoice: { refer: 'invoice' } } } } },
    credit_grant: { refer: 'billing.credit_grant' },
    debit: { within: { credits_applied: { within: { invoice: { refer: 'invoice' } } } } },
    test_clock: clock,
  },
  'billing.credit_balance_summary': { customer },
  payment_intent: { customer, latest_charge: { refer: 'charge' }, payment_method: { refer: 'payment_method' } },
  refund: {
    balance_transaction: { refer: 'balance_transaction' },
    charge: { refer: 'charge' },
    customer,
    payment_intent: { refer: 'payment_intent' },
  },
  setup_intent: { customer, payment_method: { refer: 'payment_method' } },
  charge: {
    balance_transaction: { refer: 'balance_transaction' },
    customer,
    payment_intent: { refer: 'payment_intent' },
  },
  balance_transaction: {},
  'billing.meter_event': {},
  'test_helpers.test_clock': {},
  'checkout.session': {
    customer,
    invoice: { refer: 'invoice' },
    line_items: { include: { data: { within: { price: { refer: 'price', always: true } } } } },
    payment_intent: { refer: 'payment_intent' },
    setup_intent: { refer: 'setup_intent' },
    subscription: { refer: 'subscription' },
    discounts: { within: { coupon: { refer: 'coupon' }, promotion_code: { refer: 'promotion_code' } } },
  },
  // The products are left out unless they are expanded. Source: the SDK's type, in which `products` is optional.
  'billing_portal.configuration': {
    features: { within: { subscription_update: { within: { products: { include: {} } } } } },
  },
  'billing_portal.session': {},
}

/** Expanded paths as a tree: `['product.default_price']` is `{ product: { default_price: {} } }`. */
export interface ExpandTree {
  [field: string]: ExpandTree
}

function emptyTree(): ExpandTree {
  return Object.create(null) as ExpandTree
}

export const nothingExpanded: Readonly<ExpandTree> = emptyTree()

const maxDepth = 4

/** Reads the parameter `expand[]`. Throws the API's error if it is malformed. */
export function readExpand(value: FormValue | undefined): readonly string[] {
  if (value === undefined) return []
  const elements = isNode(value) ? elementsOf(value) : undefined
  if (elements === undefined) throw badRequest('Invalid array', 'expand')
  return elements.map((element, index) => {
    if (isNode(element) || element === '') throw badRequest('Invalid string', `expand[${index}]`)
    if (element.split('.').length > maxDepth) {
      throw badRequest(`You cannot expand more than ${maxDepth} levels of a property. Property: ${element}`, 'expand')
    }
    return element
  })
}

/** Checks that `kind` can be expanded along the paths, and returns the paths as a tree. In lists the paths begin with `data.`. */
export function expandTree(kind: Kind, paths: readonly string[], inList: boolean): ExpandTree {
  const tree = emptyTree()
  for (const path of paths) {
    const names = path.split('.')
    const own = inList ? names.slice(1) : names
    if (inList && (names[0] !== 'data' || own.length === 0)) {
      const hint = isExpandable(rules[kind], names) ? ` You may want to try expanding 'data.${path}' instead.` : ''
      throw badRequest(`This property cannot be expanded (${path}).${hint}`)
    }
    if (!isExpandable(rules[kind], own)) throw notExpandable(kind, own, path)
    addPath(tree, own)
  }
  return tree
}

function isExpandable(level: Rules, names: readonly string[]): boolean {
  const [name, ...rest] = names
  if (name === undefined) return true
  const rule = Object.hasOwn(level, name) ? level[name] : level['*']
  if (rule === undefined) return false
  if ('plan' in rule) return false
  if ('refer' in rule) return isExpandable(rules[rule.refer], rest)
  return isExpandable('include' in rule ? rule.include : rule.within, rest)
}

/** Returns the error of a path that cannot be expanded. If the real API can, the sandbox does not support it. */
function notExpandable(kind: Kind, names: readonly string[], path: string): Error {
  if (isKnownExpansion(kind, names)) return notSupported(`the expansion of \`${path}\``, 'expand')
  return badRequest(`This property cannot be expanded (${path}).`)
}

function addPath(tree: ExpandTree, names: readonly string[]): void {
  let at = tree
  for (const name of names) at = at[name] ??= emptyTree()
}

export interface Lookup {
  readonly find: <K extends Kind>(kind: K, id: string) => Bodies[K] | undefined
  /** Current time (seconds). Derived members need it, e.g. `valid` of an expired coupon. */
  readonly now: number
  /** Returns the payment intents of an invoice, for its member `payments`. */
  readonly intentsOf: (invoice: string) => readonly Bodies['payment_intent'][]
}

export type Rendered = Record<string, unknown>

/** Returns the object in the form that the API returns. An id whose object does not exist stays an id. */
export function render(body: Body, tree: ExpandTree, lookup: Lookup): Rendered {
  return renderLevel(withDerived(body, tree, lookup), rules[body.object], tree, lookup)
}

function renderLevel(fields: object, level: Rules, tree: ExpandTree, lookup: Lookup): Rendered {
  const shown: Rendered = {}
  for (const [name, value] of membersOf(fields)) {
    if (name.startsWith('_')) continue
    const rule = level[name] ?? level['*']
    if (rule === undefined) shown[name] = value
    else {
      const seen = renderField(value, rule, tree[name] ?? tree['*'], lookup)
      if (seen !== undefined) shown[name] = seen
    }
  }
  return shown
}

/** Returns the members of an object, including constant members, in the order of the real API: `id`, `object`, then the others by name. */
function membersOf(fields: object): [string, unknown][] {
  const fixed = 'object' in fields ? constants[fields.object as Kind] : undefined
  if (fixed === undefined) return Object.entries(fields)
  const { id, object, ...others }: Rendered = { ...fixed, ...fields }
  const sorted = Object.entries(others).sort(([a], [b]) => (a < b ? -1 : 1))
  return [['id', id], ['object', object], ...sorted]
}

function renderField(value: unknown, rule: Rule, expansion: ExpandTree | undefined, lookup: Lookup): unknown {
  if (Array.isArray(value) && !('include' in rule))
    return value.map((element) => renderField(element, rule, expansion, lookup))
  if ('plan' in rule) return typeof value === 'string' ? planOf(lookup.find('price', value)) : value
  if ('refer' in rule) {
    const subtree = expansion ?? (rule.always === true ? nothingExpanded : undefined)
    if (subtree === undefined || typeof value !== 'string') return value
    const found = lookup.find(rule.refer, value)
    return found === undefined ? value : render(found, subtree, lookup)
  }
  if ('include' in rule) {
    if (expansion === undefined || value === undefined) return undefined
    if (!isRecord(value)) return value
    // `currency_options.tiers` expands the tiers of every currency.
    const everywhere =
      expansion['tiers'] === undefined ? expansion : { ...expansion, '*': { tiers: expansion['tiers'] } }
    return renderLevel(value, withoutOptional(rule.include), everywhere, lookup)
  }
  return isRecord(value) ? renderLevel(value, rule.within, expansion ?? nothingExpanded, lookup) : value
}

/**
 * Returns the rules for the members of an expanded object. For `currency_options` that is only the rule of each currency (`*`), because its
 * rule `tiers` just allows the path `currency_options.tiers`.
 */
function withoutOptional(included: Rules): Rules {
  if (included['*'] !== undefined) return { '*': included['*'] }
  return included
}

/** Returns a price in the older form of a plan. Null for a one-time price. */
export function planOf(price: Bodies['price'] | undefined): Rendered | null {
  if (price?.recurring === undefined || price.recurring === null) return null
  return {
    id: price.id,
    object: 'plan',
    active: price.active,
    amount: price.unit_amount,
    amount_decimal: price.unit_amount_decimal,
    billing_scheme: price.billing_scheme,
    created: price.created,
    currency: price.currency,
    interval: price.recurring.interval,
    interval_count: price.recurring.interval_count,
    livemode: false,
    metadata: price.metadata,
    meter: price.recurring.meter,
    nickname: price.nickname,
    product: price.product,
    tiers_mode: price.tiers_mode,
    transform_usage: price.transform_quantity,
    trial_period_days: price.recurring.trial_period_days,
    usage_type: price.recurring.usage_type,
  }
}

/** Returns the object with its derived members. `payments` of an invoice is computed only if it is expanded, because it needs a query. */
function withDerived(body: Body, tree: ExpandTree, lookup: Lookup): object {
  if (body.object === 'coupon') return { ...body, valid: body.valid && couponIsOpen(body, lookup.now) }
  if (body.object === 'subscription') return { ...body, items: firstPage(body.items) }
  if (body.object === 'invoice') return { ...body, ...listsOfInvoice(body, tree, lookup) }
  if (body.object === 'balance_transaction')
    return { ...body, status: body.available_on <= lookup.now ? 'available' : 'pending' }
  if (body.object === 'billing.credit_balance_summary') return { ...body, id: undefined }
  if (body.object !== 'price') return body
  const own = {
    custom_unit_amount: body.custom_unit_amount,
    tax_behavior: body.tax_behavior,
    ...(body.tiers === undefined ? {} : { tiers: body.tiers }),
    unit_amount: body.unit_amount,
    unit_amount_decimal: body.unit_amount_decimal,
  }
  // An expanded `currency_options` includes the price's own currency.
  return { ...body, currency_options: { [body.currency]: own, ...body.currency_options } }
}

function listsOfInvoice(invoice: Bodies['invoice'], tree: ExpandTree, lookup: Lookup): object {
  const lines = isPreview(invoice) ? invoice.lines : firstPage(invoice.lines)
  if (tree['payments'] === undefined) return { lines }
  const data = lookup.intentsOf(invoice.id).map((intent) => invoicePayment(invoice, intent))
  const url = `/v1/invoice_payments?invoice=${invoice.id}`
  return { lines, payments: firstPage({ object: 'list', data, has_more: false, url }) }
}

/**
 * Returns the first ten elements of an embedded list. Clients fetch the rest in pages. Source: the SDK's documentation of `listLineItems`.
 */
function firstPage<T>(list: ListOf<T>): ListOf<T> {
  return { ...list, data: list.data.slice(0, 10), has_more: list.data.length > 10 }
}

/** True if the invoice is a preview. A preview is not stored, so it contains all of its lines. */
function isPreview(invoice: Bodies['invoice']): boolean {
  return invoice.id.startsWith('upcoming_in_')
}

/** True if the coupon can be redeemed at `now` (seconds). */
export function couponIsOpen(coupon: Bodies['coupon'], now: number): boolean {
  if (coupon.redeem_by !== null && coupon.redeem_by <= now) return false
  return coupon.max_redemptions === null || coupon.times_redeemed < coupon.max_redemptions
}
