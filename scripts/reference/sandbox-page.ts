// Generates the page that compares the sandbox with the real API: the operations and parameters of the SDK that it supports (found by
// sending requests), and the source of each rule that it follows.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { paymentPages } from '../../packages/sandbox/src/endpoints/checkout/payment-pages.ts'
import { startSandbox } from '../../packages/sandbox/src/server.ts'
import { code, page, table } from './markdown.ts'

interface Operation {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly params: { readonly properties?: Readonly<Record<string, unknown>> }
}

const contractFile = fileURLToPath(new URL('../../test/support/stripe-contract.generated.json', import.meta.url))
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

/** Texts for the kinds of sources that the rules of the sandbox have. */
const sources = {
  types: 'the documentation in the SDK’s types',
  recorded: 'public recordings of the real API at 2026-08-26.dahlia',
  documented: 'Stripe’s pages',
  threads: 'public issue threads',
  tools: 'the source of Stripe’s own tools: the command-line tool, the Android SDK',
  chosen: 'nobody’s word: this is what the sandbox does until somebody knows better',
} as const

const rules: Readonly<Record<keyof typeof sources, readonly string[]>> = {
  types: [
    'A test clock goes two intervals of its shortest subscription at a time, two years without any',
    'What is taken off a single item is in the subtotal of the invoice',
    '`attempt_count`: a try by hand counts only as the first one',
    'Lists of subscriptions and customers leave out test clocks that are not named',
    'Ten lines stand in an invoice, the others in `/lines`; a preview shows all',
    'Invoices by mail: draft for an hour, past due after their day',
    'A credit note lowers what is left of an open invoice; what is more than that is given back in full',
    'A setup intent attaches its card to the customer; the card pays by default only where somebody says so',
    'A checkout in setup mode has its intent from the beginning, and ends it when it expires',
    'A phase of a schedule redeems its coupons and codes when it begins; one that the subscription has goes on',
    'A customer’s own discount holds where subscription and invoice have none; only former versions give one',
    'Such a card is not tried again by itself, but its tries are counted',
    'A failed automatic payment, or a due date that passes, makes a customer delinquent',
    'A cancelled subscription’s open invoices are not tried again by themselves',
    'A paused subscription that is resumed begins a period now, and is billed whatever becomes of the payment',
    'A schedule that is cancelled prorates and bills at once, a subscription only when told to',
    'Prorations that wait are invoice items; those that no invoice took go with a cancelled subscription',
    'A phase that begins in the middle of a period prorates as its `proration_behavior` says',
    'A first invoice that is not paid in 23 hours is voided',
    'The end of a schedule is told of (`subscription_schedule.expiring`) seven days before, but not of one that is shorter',
    'The schedule of a subscription whose first invoice nobody paid is `aborted`',
    'A subscription that a schedule ends within its first period pays for that part',
    'A source is a card under its older shape: a payment method as well, and the first one pays by default',
    'A plan is a recurring price; one that something names is not deleted but refused',
  ],
  recorded: [
    'A subscription that costs something at once needs a card: 400 `resource_missing`',
    'An incomplete subscription takes no change of items, trial or end: `status_transition_invalid`',
    'Both parts of a proration are rounded down; their lines have no decimal and take no discount',
    'An item that is added later begins then',
    'A trial that begins or ends in the middle is invoiced at once, reason `subscription_update`',
    'Renewals name no request; `invoice.paid` comes after `invoice.payment_succeeded`',
    'What waits for an invoice comes with the first one and with those of a period, newest first',
    'An invoice by hand includes what waits for the customer, prorations too',
    'An amount without a price gets a price and a product of its own, which no list shows',
    'The words of refusals of invoices, invoice items, days until due and taken prices',
    'What was on a draft that is deleted goes with it',
  ],
  documented: [
    '`Stripe-Account` other than the key’s own: 403 `account_invalid`',
    'A proration is net of the discounts that run',
    'In flexible billing a credit is part of what was charged, in classic billing of what the item costs now',
    'Usage that comes while the invoice of its period is a draft is on it when it is finalized',
    'A tiered item has a line for each tier; together they are the rounded whole',
    'A meter with `event_time_window` counts the event of each window that came last',
    'A declined payment (402) is repeated under its idempotency key, other refusals are not',
    'A feature that is attached to a product later counts from the next period of a subscription',
    'An open invoice of which credit notes leave nothing is paid; only credit notes of open invoices can be voided',
    '`pause_collection`: invoices are drafts that stay, or are void or uncollectible at once',
    '`proration_date` lies in the running period',
    'An invoice has a payment intent once it is finalized, and a charge for each try of a card',
    'A card whose bank asks: the intent `requires_action`, and the invoice tells `payment_action_required` and `payment_failed`',
    'A bank debit: `processing`, and `charge.pending`, until the bank answers; at the next request, or after three minutes',
    'A subscription that is dated back has a line for each period since then; what is no whole period is in part',
    'What is too small to be charged is paid at once, and waits in the balance for the next invoice',
    'A payment, or a checkout in `payment` mode, below the least charge: `amount_too_small`',
    'A refund succeeds at once: `refund.created`, then `charge.refunded`; the invoice stays paid',
    'Usage of a meter event stream: what does not count is told of in `GET /v2/core/events`',
    '`PUT /_sandbox/usage` with `later`: usage that cannot be counted is taken, and told of in `GET /v2/core/events`',
  ],
  threads: [
    'A customer has one currency as long as a subscription lives',
    'Prices of archived products are not sold, in subscriptions and in checkout',
    'A lookup key of a feature is free once the feature is archived, which is for ever',
    'A deactivated meter gives its event name free',
    'A portal session without saved settings and without a configuration is refused; the configuration that is made first is the default',
    'An invoice that such a card does not pay: 402 `invoice_payment_intent_requires_action`',
    'A subscription that a schedule begins has its first invoice as a draft for an hour',
  ],
  tools: [
    '`GET /v1/payment_pages/:id` shows a checkout, `POST …/confirm` pays it with a card, as its page does',
    'Which test account pays',
    'A test clock that rests within ten days of that end tells already',
    'A schedule that has not begun and is cancelled with `invoice_now: false` and `prorate: false` tells `canceled`, then `aborted`',
  ],
  chosen: [
    '`Stripe-Version` that never was: 400. One that was is taken; the answer has the sandbox’s own version',
    'Where the rounding of one tier’s line goes: to the line after it',
    'Automatic tax is always nothing, as nothing is registered; the customer needs a country',
    '`GET /v1/prices` without `active` lists archived prices as well',
    'The id of a deleted coupon or product may be used again',
    'A credit note by `amount` has one line of its own',
    'Credit notes of invoices with taxes or discounts are refused',
    'The fields of a payment page beyond `id`, `session_id` and the amounts, and the words of its refusals',
    'A paused invoice that is void takes nothing from the customer’s balance',
    'A coupon of a phase that has ended by the time the phase begins takes nothing',
    '`use_stripe_sdk` of an intent that asks has the address of a page of the sandbox, not what Stripe.js reads',
    'After a wrong answer `payment_intent.payment_failed`, then `invoice.payment_failed`',
    'A bank’s no has the code `payment_intent_payment_attempt_failed`',
    'A request without `Stripe-Version` may use the words of former versions',
    'In the order of a payment: `charge.*`, `payment_intent.*`, `invoice.*`',
    'A first part of a period, up to the anchor, is a line as those of prorations are',
    'The part of a period that a schedule ends is rounded down, and its line is a proration',
    'The token of a meter event session that is over: 401 `billing_meter_event_session_expired`',
    'A schedule that releases its subscription tells `completed`, then `released`',
    'Searches find what was just made at once; `PUT /_sandbox/search` holds it back',
  ],
}

export async function sandboxPage(): Promise<string> {
  const contract = JSON.parse(readFileSync(contractFile, 'utf8')) as {
    readonly api_version: string
    readonly operations: readonly Operation[]
  }
  const rows = await missing(contract.operations)
  return page('The sandbox and Stripe', 'the SDK’s types, by asking the sandbox (scripts/reference/sandbox-page.ts)', [
    `What the sandbox has of Stripe’s API, version ${code(contract.api_version)}. Parameters and values that it has not are refused with
“The sandbox does not support …”; those that neither has, with Stripe’s own words.`,
    '## Operations',
    `${contract.operations.length} operations of the SDK are here; each other one of Stripe is answered “The sandbox does not support …”.
Beyond the SDK, for Stripe’s command-line tool: ${paymentPages.map(({ method, path }) => code(`${method} ${path}`)).join(', ')}.`,
    table(
      ['Operation', 'Parameters of Stripe that it does not take'],
      rows.map(({ operation, names }) => [
        code(`${operation.method} ${operation.path}`),
        names.length === 0 ? 'takes all' : names.map(code).join(', '),
      ]),
    ),
    '## Rules, and whose word they rest on',
    table(
      ['Rule', 'Source'],
      Object.entries(rules).flatMap(([source, own]) => own.map((rule) => [rule, source])),
    ),
    '## What was checked against what',
    table(
      ['Source', 'What it is'],
      Object.entries(sources).map(([name, what]) => [name, what]),
    ),
    `Every request and reply of the tests is checked against the SDK’s types. The processor’s contract suite runs against the sandbox always, and
against Stripe itself where ${code('RATECARD_TEST_STRIPE_KEY')} holds a test key; it has not been run against Stripe for this version.`,
  ])
}

async function missing(
  operations: readonly Operation[],
): Promise<{ readonly operation: Operation; readonly names: readonly string[] }[]> {
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
    const rows = []
    for (const operation of operations) rows.push({ operation, names: await refusedBy(sandbox.url, operation, ids) })
    return rows
  } finally {
    await sandbox.close()
  }
}

/** Returns the names of the parameters that the sandbox rejects as unsupported. */
async function refusedBy(
  url: string,
  { method, path, params }: Operation,
  ids: ReadonlyMap<string, string>,
): Promise<string[]> {
  const names = Object.keys(params.properties ?? {}).filter((name) => name !== 'expand')
  if (names.length === 0) return []
  const form = new URLSearchParams(names.map((name): [string, string] => [`${name}[not_a_value]`, 'x'])).toString()
  const id = (upTo: number): string => ids.get(path.slice(0, upTo - 1)) ?? ''
  const address = `${url}${path.replaceAll('{id}', (_id, at: number) => id(at))}`
  const response = await fetch(method === 'POST' ? address : `${address}?${form}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-www-form-urlencoded' },
    ...(method === 'POST' ? { body: form } : {}),
  })
  const { error } = (await response.json()) as { readonly error?: { readonly message: string } }
  const [, said] = /does not support the parameters? (.*)\.$/.exec(error?.message ?? '') ?? []
  return said === undefined ? [] : said.split(', ').map((name) => name.replaceAll('`', ''))
}
