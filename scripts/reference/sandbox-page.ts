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
  recorded: 'public recordings of the real API at version 2026-08-26.dahlia',
  documented: 'Stripe’s pages',
  threads: 'public issue threads',
  tools: 'the source of Stripe’s own tools: the command-line tool, the Android SDK',
  chosen: 'no source: what the sandbox does until one is found',
} as const

const rules: Readonly<Record<keyof typeof sources, readonly string[]>> = {
  types: [
    'A test clock advances by at most two intervals of its shortest subscription, or by two years without subscriptions',
    'The subtotal of an invoice is already reduced by the discounts of single items',
    '`attempt_count`: a manual attempt counts only if it is the first one',
    'Lists of subscriptions and customers omit objects on test clocks, unless the request names the clock',
    'An invoice contains its first ten lines, and `/lines` the others; a preview contains all lines',
    'Invoices paid by email: a draft for an hour, past due after their due date',
    'A credit note reduces the remaining amount of an open invoice; any amount beyond it must be returned in full',
    'A setup intent attaches its card to the customer; the card becomes the default only on request',
    'A checkout in setup mode has its setup intent from the start, and cancels it when it expires',
    'A phase of a schedule redeems its coupons and codes when it begins; discounts of the subscription continue',
    'A customer’s own discount applies if subscription and invoice have none; only former API versions can set one',
    'A payment that needs authentication is not retried automatically, but its attempts are counted',
    'A failed automatic payment, or a passed due date, makes a customer delinquent',
    'Open invoices of a cancelled subscription are not retried automatically',
    'A paused subscription that is resumed begins a new period and is billed, whatever the result of the payment',
    'Cancelling a schedule prorates and bills at once; cancelling a subscription does so only on request',
    'Pending prorations are invoice items; cancelling the subscription deletes them',
    'A phase that begins in mid-period prorates with its `proration_behavior`',
    'A first invoice that is not paid within 23 hours is voided',
    '`subscription_schedule.expiring` is sent seven days before the end of a schedule, unless the schedule is shorter',
    'The schedule of a subscription whose first invoice was not paid is `aborted`',
    'A subscription that a schedule ends within its first period is billed for that part',
    'A source is the older form of a card: it is a payment method too, and a customer’s first source is the default',
    'A plan is a recurring price; deleting one that is in use is refused',
  ],
  recorded: [
    'A subscription with a charge at the start needs a payment method: 400 `resource_missing`',
    'An incomplete subscription refuses changes of items, trial or end: `status_transition_invalid`',
    'Both parts of a proration are rounded down; their lines have no decimal amount and are not discountable',
    'The period of an item that is added later begins at that time',
    'A trial that begins or ends in mid-period is invoiced at once, with the reason `subscription_update`',
    'Events of renewals name no request; `invoice.paid` comes after `invoice.payment_succeeded`',
    'Pending invoice items are billed with the first invoice and with those of a period, newest first',
    'A manual invoice includes the pending items of the customer, prorations too',
    'An amount without a price gets a price and a product, which lists omit',
    'The messages of errors about invoices, invoice items, days until due and duplicate prices',
    'Deleting a draft deletes its items',
  ],
  documented: [
    '`Stripe-Account` other than the key’s own: 403 `account_invalid`',
    'A proration includes the running discounts',
    'In flexible billing a credit is a share of the amount charged, in classic billing of the item’s current cost',
    'Usage reported while the invoice of its period is a draft is billed when the invoice is finalized',
    'A tiered item has one line per tier; together they equal the rounded total',
    'A meter with `event_time_window` counts the last received event of each window',
    'A declined payment (402) is replayed under its idempotency key, other errors are not',
    'A feature that is attached to a product later counts from the next period of a subscription',
    'An open invoice that credit notes reduce to zero is paid; only credit notes of open invoices can be voided',
    '`pause_collection`: invoices stay drafts, or are void or uncollectible at once',
    '`proration_date` must be in the current period',
    'A finalized invoice has a payment intent, and a charge for each attempt with a card',
    'A card that needs 3-D Secure: the intent is `requires_action`, and the invoice emits `payment_action_required` and `payment_failed`',
    'A bank debit: `processing`, and `charge.pending`, until the bank responds, at the next request or after three minutes',
    'A backdated subscription has one line per period since then; partial periods are prorated',
    'An amount below the minimum charge is paid at once, and moves to the balance for the next invoice',
    'A payment, or a checkout in `payment` mode, below the minimum charge: `amount_too_small`',
    'A refund succeeds at once: `refund.created`, then `charge.refunded`; the invoice stays paid',
    'Usage of a meter event stream: errors are reported in `GET /v2/core/events`',
    '`PUT /_sandbox/usage` with `later`: usage that cannot be counted is accepted, and reported in `GET /v2/core/events`',
  ],
  threads: [
    'A customer has one currency as long as it has a live subscription',
    'Prices of archived products cannot be bought, in subscriptions and in checkout',
    'Archiving a feature is final, and frees its lookup key',
    'Deactivating a meter frees its event name',
    'A portal session without saved settings and without a configuration is refused; the first configuration is the default',
    'An invoice whose card needs 3-D Secure: 402 `invoice_payment_intent_requires_action`',
    'The first invoice of a subscription that a schedule starts is a draft for an hour',
  ],
  tools: [
    '`GET /v1/payment_pages/:id` returns a checkout, `POST …/confirm` pays it with a card, as its page does',
    'Which test accounts pay',
    'A test clock that stops within ten days of the end of a schedule sends `subscription_schedule.expiring` early',
    'Cancelling a schedule that has not begun, with `invoice_now: false` and `prorate: false`, emits `canceled`, then `aborted`',
  ],
  chosen: [
    'An unknown `Stripe-Version`: 400. A known one is accepted; the response names the sandbox’s own version',
    'The rounding error of one tier’s line is added to the next line',
    'Automatic tax is always 0, because there are no tax registrations; the customer needs a country',
    '`GET /v1/prices` without `active` lists archived prices too',
    'The id of a deleted coupon or product can be used again',
    'A credit note by `amount` has one line',
    'Credit notes of invoices with taxes or discounts are refused',
    'The fields of a payment page beyond `id`, `session_id` and the amounts, and its error messages',
    'A paused invoice that is void does not use the customer’s balance',
    'A coupon of a phase that has expired by the time the phase begins has no effect',
    '`use_stripe_sdk` of an intent that needs 3-D Secure contains the URL of a page of the sandbox, not what Stripe.js reads',
    'After a failed authentication: `payment_intent.payment_failed`, then `invoice.payment_failed`',
    'A declined bank debit has the code `payment_intent_payment_attempt_failed`',
    'A request without `Stripe-Version` may use parameters of former versions',
    'Order of the events of a payment: `charge.*`, `payment_intent.*`, `invoice.*`',
    'A partial first period, up to the anchor, is billed with a line like a proration',
    'The part of a period that a schedule ends is rounded down, and its line is a proration',
    'The expired token of a meter event session: 401 `billing_meter_event_session_expired`',
    'A schedule that releases its subscription emits `completed`, then `released`',
    'Searches find new objects at once; `PUT /_sandbox/search` sets a delay',
  ],
}

export async function sandboxPage(): Promise<string> {
  const contract = JSON.parse(readFileSync(contractFile, 'utf8')) as {
    readonly api_version: string
    readonly operations: readonly Operation[]
  }
  const rows = await missing(contract.operations)
  return page('The sandbox and Stripe', 'the SDK’s types, by asking the sandbox (scripts/reference/sandbox-page.ts)', [
    `The part of Stripe’s API, version ${code(contract.api_version)}, that the sandbox supports. It refuses other parameters and values of Stripe with
“The sandbox does not support …”, and unknown ones with Stripe’s own messages.`,
    '## Operations',
    `${contract.operations.length} operations of the SDK are supported; all others are refused with “The sandbox does not support …”.
In addition, for Stripe’s command-line tool: ${paymentPages.map(({ method, path }) => code(`${method} ${path}`)).join(', ')}.`,
    table(
      ['Operation', 'Unsupported parameters'],
      rows.map(({ operation, names }) => [
        code(`${operation.method} ${operation.path}`),
        names.length === 0 ? 'none' : names.map(code).join(', '),
      ]),
    ),
    '## Rules and their sources',
    table(
      ['Rule', 'Source'],
      Object.entries(rules).flatMap(([source, own]) => own.map((rule) => [rule, source])),
    ),
    '## The sources',
    table(
      ['Source', 'Meaning'],
      Object.entries(sources).map(([name, what]) => [name, what]),
    ),
    `Every request and response in the tests is checked against the SDK’s types. The tests of the Stripe adapter always run against the sandbox,
and against Stripe itself if ${code('RATECARD_TEST_STRIPE_KEY')} contains a test key; they have not been run against Stripe for this version.`,
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
