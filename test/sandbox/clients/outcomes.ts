// What programs that nobody here wrote do against the sandbox. The tests of this folder hold each line, and the page that compares the
// sandbox with Stripe lists them.

/** A job that fails against the sandbox. */
export interface Difference {
  /** Part of the message with which it fails. */
  readonly error: string
  readonly reason: string
}

export type Outcome = 'works' | Difference

export interface ForeignClient {
  readonly title: string
  /** Packages with their versions, as `packages/<folder>/package.json` pins them. */
  readonly versions: readonly string[]
  readonly note?: string
  readonly jobs: Readonly<Record<string, Outcome>>
}

export const sdk = {
  title: 'Stripe’s SDK for Node, the last four major versions',
  versions: ['stripe 20.4.1', 'stripe 21.0.1', 'stripe 22.6.2', 'stripe 23.1.0'],
  jobs: {
    'builds a catalogue: a product, a tiered price, a price in two currencies, a coupon and its promotion code':
      'works',
    'pages through a list, and finds an object by search': 'works',
    'creates a customer with a card and a subscription, and reads its period and its paid invoice': 'works',
    'changes a plan in the middle of a period, after a preview of the invoice': 'works',
    'ends a subscription through a schedule': 'works',
    'sells by checkout, and verifies the signed event of the payment': 'works',
    'opens the customer portal': 'works',
    'bills usage at the end of a period, on a test clock': 'works',
    'refunds a payment': 'works',
    'gets the first result again under the same idempotency key': 'works',
    'tells a declined card from a wrong request': 'works',
    'pays with the payment methods that the account offers': 'works',
    'reads events in its own API version': 'works',
  },
} as const satisfies ForeignClient

export const syncEngine = {
  title: 'Supabase’s sync engine, which copies an account into PostgreSQL',
  versions: ['@supabase/stripe-sync-engine 0.48.5', 'stripe 23.1.0'],
  note: 'It has no option for another host, so the test replaces its public member `stripe` with a client that has one.',
  jobs: {
    'creates its tables': 'works',
    'copies the objects of an existing account': 'works',
    'takes the signed events of a sale and of its end': 'works',
    'copies single objects by id': 'works',
    'copies entitlements and features': 'works',
    'copies tax ids': { error: 'does not support GET /v1/tax_ids', reason: 'The sandbox has no tax ids.' },
    'copies disputes': { error: 'does not support GET /v1/disputes', reason: 'The sandbox has no disputes.' },
    'copies early fraud warnings': {
      error: 'does not support GET /v1/radar/early_fraud_warnings',
      reason: 'The sandbox has no warnings of fraud.',
    },
  },
} as const satisfies ForeignClient

export const authPlugin = {
  title: 'The billing plugin of Better Auth',
  versions: ['@better-auth/stripe 1.7.6', 'better-auth 1.7.6', 'stripe 22.6.2'],
  jobs: {
    'creates a customer when a user signs up': 'works',
    'opens a checkout for a plan': 'works',
    'activates the subscription with the signed events of the payment': 'works',
    'lists the subscriptions of the user': 'works',
    'opens the customer portal': 'works',
    'upgrades to another plan through the portal': 'works',
    'cancels at the end of the period through the portal': 'works',
    'restores the subscription': 'works',
  },
} as const satisfies ForeignClient

export interface RefusedTriggers {
  readonly events: readonly string[]
  /** Part of the message with which the tool ends. */
  readonly error: string
  readonly reason: string
}

/** The tool's list of triggers is longer than what is named here: all others emit their event. */
export const triggers = {
  title: '`stripe trigger` of Stripe’s command-line tool',
  versions: ['@stripe/cli 1.52.0'],
  count: 123,
  /** Triggers that run, and whose name is not the name of an event. */
  sequences: ['subscription.payment_failed', 'subscription.payment_succeeded'],
  refused: [
    {
      events: ['quote.accepted', 'quote.canceled', 'quote.created', 'quote.finalized'],
      error: 'does not support POST /v1/quotes',
      reason: 'The sandbox has no quotes.',
    },
    {
      events: ['payment_link.created', 'payment_link.updated'],
      error: 'does not support POST /v1/payment_links',
      reason: 'The sandbox has no payment links.',
    },
    {
      events: ['charge.dispute.closed', 'charge.dispute.created', 'charge.dispute.updated'],
      error: 'does not support the test card `pm_card_createDispute',
      reason: 'The sandbox has no disputes.',
    },
    {
      events: ['charge.captured', 'payment_intent.amount_capturable_updated'],
      error: '`capture_method`',
      reason: 'The sandbox captures every payment at once.',
    },
    {
      events: [
        'balance.available',
        'payout.created',
        'payout.updated',
        'transfer.created',
        'transfer.reversed',
        'transfer.updated',
      ],
      error: 'does not support the test card `pm_card_bypassPending`',
      reason: 'The sandbox has no payouts and no transfers.',
    },
    {
      events: ['topup.created'],
      error: 'does not support POST /v1/topups',
      reason: 'The sandbox has no payouts and no transfers.',
    },
    {
      events: [
        'cash_balance.funds_available',
        'customer_cash_balance_transaction.created',
        'payment_intent.partially_funded',
      ],
      error: 'does not support',
      reason: 'The sandbox has no bank transfers and no cash balances.',
    },
    {
      events: ['account.application.deauthorized', 'account.updated'],
      error: 'does not support POST /v1/accounts',
      reason: 'The sandbox has no connected accounts.',
    },
    {
      events: [
        'issuing_authorization.request',
        'issuing_authorization.request.eu',
        'issuing_authorization.request.gb',
        'issuing_card.created',
        'issuing_card.created.eu',
        'issuing_card.created.gb',
        'issuing_cardholder.created',
        'issuing_cardholder.created.eu',
        'issuing_cardholder.created.gb',
        'issuing_transaction.created',
        'issuing_transaction.purchase_details_receipt_updated',
        'issuing_transaction.updated',
      ],
      error: 'does not support POST /v1/issuing/cardholders',
      reason: 'The sandbox issues no cards.',
    },
    {
      events: [
        'identity.verification_session.canceled',
        'identity.verification_session.created',
        'identity.verification_session.redacted',
      ],
      error: 'does not support POST /v1/identity/verification_sessions',
      reason: 'The sandbox verifies no identities.',
    },
    {
      events: ['reporting.report_run.succeeded'],
      error: 'does not support POST /v1/reporting/report_runs',
      reason: 'The sandbox has no reports.',
    },
    {
      events: ['v1.billing.meter.error_report_triggered', 'v1.billing.meter.no_meter_found'],
      error: 'https://meter-events.stripe.com',
      reason: 'The tool sends these meter events to Stripe’s own host, whatever `--api-base` says.',
    },
  ] satisfies readonly RefusedTriggers[],
} as const
