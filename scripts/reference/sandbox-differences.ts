// Asks the sandbox which parameters of the SDK's operations it does not support: at the top level, within nested parameters, and as values.
import { startSandbox } from '../../packages/sandbox/src/server.ts'

export interface Schema {
  readonly anyOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly type?: unknown
}

export interface Operation {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly params: Schema
}

/** What the sandbox does not support of an operation: names of parameters, and values such as `ui_mode: elements, form`. */
export interface Difference {
  readonly operation: Operation
  readonly names: readonly string[]
  readonly values: readonly string[]
}

const key = 'sk_test_reference'
const now = Math.floor(Date.UTC(2026, 10, 1) / 1000)

/** Requests that create one object of each kind, so that an operation on it does not fail with 404. */
const seeds = [
  { path: '/v1/products', params: { name: 'P' }, as: 'product' },
  {
    path: '/v1/prices',
    params: { product: '{{product.id}}', currency: 'usd', unit_amount: 0, recurring: { interval: 'month' } },
    as: 'price',
  },
  {
    path: '/v1/billing/meters',
    params: { display_name: 'M', event_name: 'm', default_aggregation: { formula: 'sum' } },
    as: 'meter',
  },
  { path: '/v1/coupons', params: { percent_off: 10 }, as: 'coupon' },
  { path: '/v1/promotion_codes', params: { promotion: { type: 'coupon', coupon: '{{coupon.id}}' } }, as: 'code' },
  { path: '/v1/webhook_endpoints', params: { url: 'https://a.example', enabled_events: ['*'] }, as: 'endpoint' },
  { path: '/v1/customers', params: {}, as: 'customer' },
  { path: '/v1/payment_methods/pm_card_visa/attach', params: { customer: '{{customer.id}}' }, as: 'card' },
  {
    path: '/v1/subscriptions',
    params: { customer: '{{customer.id}}', items: [{ price: '{{price.id}}' }] },
    as: 'subscription',
  },
  { path: '/v1/subscription_schedules', params: { from_subscription: '{{subscription.id}}' }, as: 'schedule' },
  {
    path: '/v1/invoiceitems',
    params: { customer: '{{customer.id}}', amount: 100, currency: 'usd' },
    as: 'item',
  },
  {
    path: '/v1/invoices',
    params: { customer: '{{customer.id}}', pending_invoice_items_behavior: 'include' },
    as: 'invoice',
  },
  { path: '/v1/invoices/{{invoice.id}}/finalize', params: {}, as: 'open' },
  { path: '/v1/credit_notes', params: { invoice: '{{invoice.id}}', amount: 1 }, as: 'note' },
  { path: '/v1/setup_intents', params: {}, as: 'setup' },
  {
    path: '/v1/payment_intents',
    params: { amount: 100, currency: 'usd', confirm: true, payment_method: 'pm_card_visa' },
    as: 'paid',
  },
  { path: '/v1/refunds', params: { payment_intent: '{{paid.id}}' }, as: 'refund' },
  {
    path: '/v1/plans',
    params: { product: '{{product.id}}', currency: 'usd', amount: 1, interval: 'month' },
    as: 'plan',
  },
  { path: '/v1/customers/{{customer.id}}/sources', params: { source: 'tok_visa' }, as: 'source' },
  { path: '/v1/payment_intents', params: { amount: 100, currency: 'usd' }, as: 'intent' },
  {
    path: '/v1/billing_portal/configurations',
    params: { features: { subscription_cancel: { enabled: true } } },
    as: 'configuration',
  },
  { path: '/v1/tax_rates', params: { display_name: 'T', percentage: 1, inclusive: true }, as: 'rate' },
  {
    path: '/v1/billing/credit_grants',
    params: {
      customer: '{{customer.id}}',
      amount: { type: 'monetary', monetary: { currency: 'usd', value: 100 } },
      applicability_config: { scope: { price_type: 'metered' } },
    },
    as: 'grant',
  },
  { path: '/v1/entitlements/features', params: { lookup_key: 'f', name: 'F' }, as: 'feature' },
  { path: '/v1/test_helpers/test_clocks', params: { frozen_time: now }, as: 'clock' },
  {
    path: '/v1/checkout/sessions',
    params: {
      mode: 'subscription',
      success_url: 'https://a.example',
      line_items: [{ price: '{{price.id}}', quantity: 1 }],
    },
    as: 'session',
  },
] as const

/** Returns the differences of the operations, found by sending requests to a sandbox with one object of each kind. */
export async function differences(operations: readonly Operation[]): Promise<Difference[]> {
  const sandbox = await startSandbox({ port: 0, dataDir: null, clock: { now: () => now * 1000 } })
  try {
    const answers = await sandbox.control.seed(key, seeds)
    const ids = new Map<string, string>(seeds.map(({ path }, index) => [path, String(answers[index]?.['id'])]))
    ids.set('/v1/customers/{id}/sources', ids.get('/v1/customers/{{customer.id}}/sources') ?? '')
    ids.set('/v1/payment_methods', ids.get('/v1/payment_methods/pm_card_visa/attach') ?? '')
    const subscription = answers[seeds.findIndex(({ as }) => as === 'subscription')] as {
      readonly items: { readonly data: readonly { readonly id: string }[] }
      readonly latest_invoice: string
    }
    ids.set('/v1/subscription_items', subscription.items.data[0]?.id ?? '')
    ids.set('/v1/invoices', subscription.latest_invoice)
    const found: Difference[] = []
    for (const operation of operations) found.push(await differenceOf(asker(sandbox.url, operation, ids), operation))
    return found
  } finally {
    await sandbox.close()
  }
}

type Ask = (form: ReadonlyMap<string, string>) => Promise<{ readonly message: string; readonly param: string }>

/** Returns a function that sends a request of the operation and returns its error. */
function asker(url: string, { method, path }: Operation, ids: ReadonlyMap<string, string>): Ask {
  const id = (upTo: number): string => ids.get(path.slice(0, upTo - 1)) ?? ''
  const address = `${url}${path.replaceAll('{id}', (_id, at: number) => id(at))}`
  return async (fields) => {
    const form = new URLSearchParams([...fields]).toString()
    const response = await fetch(method === 'POST' ? address : `${address}?${form}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-www-form-urlencoded' },
      ...(method === 'POST' ? { body: form } : {}),
    })
    const { error } = (await response.json()) as {
      readonly error?: { readonly message: string; readonly param?: string }
    }
    return { message: error?.message ?? '', param: error?.param ?? '' }
  }
}

async function differenceOf(ask: Ask, operation: Operation): Promise<Difference> {
  const { expand: _expand, ...members } = membersOf(operation.params)
  const names = Object.keys(members).length === 0 ? [] : await unsupportedIn(ask, operation.params, '', members)
  const values: string[] = []
  const visit = async (schema: Schema, at: string): Promise<void> => {
    values.push(...(await unsupportedValues(ask, operation.params, at, schema)))
    const place = isList(schema) ? `${at}[0]` : at
    const nested = membersOf(schema)
    if (Object.keys(nested).length === 0) return
    const lacking = await unsupportedIn(ask, operation.params, place, nested)
    names.push(...lacking)
    for (const [name, inner] of Object.entries(nested)) {
      const full = `${place}[${name}]`
      if (!lacking.includes(full)) await visit(inner, full)
    }
  }
  for (const [name, inner] of Object.entries(members)) if (!names.includes(name)) await visit(inner, name)
  const shown = (name: string): string => name.replaceAll('[0]', '[]')
  return { operation, names: names.map(shown), values: values.map(shown) }
}

function alternatives(schema: Schema): readonly Schema[] {
  return (schema.anyOf ?? [schema]).flatMap((part) => (part.items === undefined ? [part] : alternatives(part.items)))
}

function isList(schema: Schema): boolean {
  return (schema.anyOf ?? [schema]).some(({ items }) => items !== undefined)
}

function membersOf(schema: Schema): Record<string, Schema> {
  return Object.assign({}, ...alternatives(schema).map(({ properties }) => properties ?? {})) as Record<string, Schema>
}

/** Returns the names of the members at `at` that the sandbox refuses as unsupported. It names all of them in one error. */
async function unsupportedIn(
  ask: Ask,
  params: Schema,
  at: string,
  members: Readonly<Record<string, Schema>>,
): Promise<string[]> {
  const nameOf = (name: string): string => (at === '' ? name : `${at}[${name}]`)
  const form = new Map(Object.keys(members).map((name) => [`${nameOf(name)}[not_a_value]`, 'x']))
  const { message } = await reach(ask, params, at, form)
  const isMember = (name: string): boolean => Object.keys(members).some((member) => nameOf(member) === name)
  const unknown = /^Received unknown parameters?: (.*)$/.exec(message)?.[1]?.split(', ').filter(isMember) ?? []
  if (unknown.length > 0) throw new Error(`The sandbox calls ${unknown.join(', ')} unknown, which the real API has`)
  const said = /does not support the parameters? (.*)\.$/.exec(message)?.[1]
  const refused = said?.split(', ').map((name) => name.replaceAll('`', '')) ?? []
  return refused.filter(isMember)
}

/** Values of one parameter that are listed one by one. */
const maxListed = 80

/** Returns the enum values of a parameter that the sandbox refuses as unsupported, as one text: `name: value, value`. */
async function unsupportedValues(ask: Ask, params: Schema, at: string, schema: Schema): Promise<string[]> {
  const values = alternatives(schema).flatMap((part) => part.enum ?? [])
  const place = isList(schema) ? `${at}[0]` : at
  const found: string[] = []
  for (const value of values) {
    if (typeof value !== 'string' || value === '') continue
    const { message, param } = await reach(ask, params, place, new Map([[place, value]]))
    if (message.startsWith('The sandbox does not support') && param === place) found.push(value)
  }
  if (found.length === 0) return []
  // The versions of the API are many, and refused up to one of them.
  const [first, last] = [found[0] ?? '', found.at(-1) ?? '']
  return [`${at}: ${found.length > maxListed ? `${first} to ${last}` : found.join(', ')}`]
}

/** Sends the request, and again with each parameter that it lacks, until the sandbox reads what is at `at`. Returns that error. */
async function reach(
  ask: Ask,
  params: Schema,
  at: string,
  wanted: ReadonlyMap<string, string>,
): Promise<{ readonly message: string; readonly param: string }> {
  const form = new Map(wanted)
  for (let turns = 0; turns < 20; turns++) {
    const answer = await ask(form)
    const [, lacking] = /^Missing required param: (.+)\.$/.exec(answer.message) ?? []
    if (lacking === undefined || (at !== '' && lacking.startsWith(`${at}[`)) || at === '') return answer
    const [name, value] = sampleOf(params, lacking)
    form.set(name, value)
  }
  throw new Error(`The sandbox does not read ${at}`)
}

/** Returns a value for a required parameter. For one with members, it is a value of its first member. */
function sampleOf(params: Schema, name: string): readonly [name: string, value: string] {
  let at: Schema = params
  for (const part of name.replaceAll(']', '').split('[')) {
    if (!/^\d+$/.test(part)) at = membersOf(at)[part] ?? {}
  }
  const [first] = Object.keys(membersOf(at))
  const place = isList(at) && !/\[\d+\]$/.test(name) ? `${name}[0]` : name
  if (first !== undefined) return sampleOf(params, `${place}[${first}]`)
  const value = alternatives(at).flatMap((part) => part.enum ?? [])[0]
  if (typeof value === 'string') return [place, value]
  const isNumber = alternatives(at).some(({ type }) => type === 'number')
  return [place, samples[name.split('[').at(-1)?.replace(']', '') ?? ''] ?? (isNumber ? '1' : 'x')]
}

/** Values of required parameters that are more than any text. */
const samples: Readonly<Record<string, string>> = {
  currency: 'usd',
  return_url: 'https://a.example',
  success_url: 'https://a.example',
  url: 'https://a.example',
}
