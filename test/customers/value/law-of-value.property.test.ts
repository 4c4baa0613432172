// The law of value: whatever a session does, in whatever order and at whatever moment of a period, its tenant gets what is paid for or what the
// seller's document gives. Checked against the invoices of the processor alone, not against the rules that the service decides by.
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { admin } from '../../support/app.ts'
import { payPage } from '../../support/shop/pay-page.ts'
import { urls } from '../../support/shop/selling.ts'
import { startUsageShop, type UsageCustomer, type UsageShop } from '../../support/shop/usage-shop.ts'

/** Number of sequences: few on a developer's machine, `LAW_RUNS` where more are asked for. */
const runs = Number(process.env['LAW_RUNS'] ?? 6)
const stormRuns = Number(process.env['LAW_STORM_RUNS'] ?? Math.min(runs, 10))
const actsOfSequence = 30
/** Sequences that share a shop: customers of earlier ones renew with each step of the clock. */
const sequencesOfShop = 5

const monthly = { currency: 'usd', interval: 'month' } as const
/** Every cent of a plan grants a cent of credit. */
const price = (id: string, amount: number, more: object = {}) => ({
  ...{ id, amount, ...monthly, grants_credit: { amount } },
  ...more,
})
const limited = (limit: number, more: object = {}) => ({ features: [{ id: 'calls', limit, ...more }] })
const plan = { subscription_group: 'plan' } as const
/** Most calls that a cent of any plan buys. */
const callsPerCent = 500 / 3000

const document: BillingConfig = {
  version: '1.0.0',
  meters: [{ id: 'calls', display_name: 'Calls', event_name: 'call' }],
  features: [{ id: 'calls', name: 'Calls', type: 'metered', meter: 'calls' }],
  products: [
    { id: 'basic', name: 'Basic', ...plan, ...limited(100), prices: [price('basic', 1000)] },
    {
      ...{ id: 'pro', name: 'Pro', ...plan, ...limited(500) },
      prices: [
        price('pro', 3000),
        price('pro_year', 36_000, { interval: 'year' }),
        price('step', 3300, { public: false }),
      ],
    },
    { id: 'seats', name: 'Seats', ...plan, ...limited(100, { per_quantity: true }), prices: [price('seat', 1000)] },
    { id: 'book', name: 'Book', prices: [{ id: 'book', amount: 5000, currency: 'usd' }] },
  ] as BillingConfig['products'],
  coupons: [{ id: 'welcome', percent_off: 20, duration: 'once' }],
  promotion_codes: [
    { id: 'welcome', code: 'WELCOME', coupon: 'welcome' },
    { id: 'hello', code: 'HELLO', coupon: 'welcome' },
  ],
  portal: [{ id: 'self_service', default: true, features: { invoice_history: {} } }],
}

type Act =
  | {
      readonly act: 'change'
      readonly price: string
      readonly quantity: number
      readonly when?: 'now' | 'period_end'
      readonly code: string | null
    }
  | { readonly act: 'cancel' | 'resume' | 'portal' | 'trial' | 'decline' }
  | { readonly act: 'book'; readonly code: string }
  | { readonly act: 'use'; readonly value: number; readonly enforce: boolean }
  | { readonly act: 'pass'; readonly days: number }
  | { readonly act: 'last_minute' }

const codes = fc.constantFrom('WELCOME', 'HELLO')
const acts: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .record({
        price: fc.constantFrom('basic', 'pro', 'pro_year', 'seat'),
        quantity: fc.constantFrom(1, 2, 5, 40),
        when: fc.constantFrom(undefined, 'now' as const, 'period_end' as const),
        code: fc.option(codes, { freq: 5 }),
      })
      .map(({ when, ...wish }) => ({ act: 'change' as const, ...wish, ...(when === undefined ? {} : { when }) })),
  },
  { weight: 4, arbitrary: fc.constantFrom('cancel' as const, 'resume' as const).map((act) => ({ act })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('portal' as const, 'trial' as const, 'decline' as const).map((act) => ({ act })),
  },
  { weight: 1, arbitrary: codes.map((code) => ({ act: 'book' as const, code })) },
  {
    weight: 6,
    arbitrary: fc.record({
      act: fc.constant('use' as const),
      value: fc.constantFrom(1, 50, 100, 400, 3000),
      enforce: fc.constant(true),
    }),
  },
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 20 }).map((days) => ({ act: 'pass' as const, days })) },
  { weight: 2, arbitrary: fc.constant({ act: 'last_minute' as const }) },
)

interface Sequence {
  readonly first: string
  readonly quantity: number
  /** True: the seller has planned a dearer price for the second period, and another one for the third. */
  readonly ramp: boolean
  /** Billing mode of a subscription that the seller made; undefined for one that a page sold. */
  readonly mode: 'classic' | 'flexible' | undefined
  readonly acts: readonly Act[]
}

const sequences: fc.Arbitrary<Sequence> = fc.record({
  first: fc.constantFrom('basic', 'pro', 'pro_year', 'seat'),
  quantity: fc.constantFrom(1, 3),
  ramp: fc.boolean(),
  mode: fc.constantFrom(undefined, 'classic' as const, 'flexible' as const),
  acts: fc.array(acts, { minLength: actsOfSequence, maxLength: actsOfSequence }),
})

interface Run {
  readonly shop: UsageShop
  readonly buyer: UsageCustomer
  /** Calls that were accepted, by all reports. */
  used: number
  /** Pages that were paid with a code. */
  coded: number
  /** Number of changes, each of which rounds an allowance up. */
  changes: number
  /** Phases of the seller's schedule; null once a change at once has taken its place. */
  planned: string | null
}

const customerOf = async ({ shop, buyer }: Run) =>
  (await shop.service.findTenant(buyer.tenant)).processorCustomerId ?? ''

async function act(run: Run, one: Act): Promise<void> {
  const { shop, buyer } = run
  switch (one.act) {
    case 'change': {
      const { price: price_id, quantity, when, code } = one
      const body = {
        items: [{ price_id, quantity: price_id === 'seat' ? quantity : 1 }],
        ...(when === undefined ? {} : { when }),
        ...(code === null ? {} : { promotion_code: code }),
      }
      const done = await buyer.turn(body)
      if (done.http === 200) run.changes++
      if (done['status'] === 'changed') run.planned = null
      return
    }
    case 'cancel':
    case 'resume':
      await buyer.ask(`subscription/${one.act}`, {})
      return
    case 'portal':
      await buyer.ask('portal', { return_url: 'https://shop.example/account' })
      return
    case 'trial':
      await buyer.ask('checkout', { ...urls, price_id: 'pro', trial_period_days: 30 })
      return
    case 'decline': {
      const customer = await customerOf(run)
      const bad = await shop.stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer })
      const { invoice_settings: before } = (await shop.stripe.customers.retrieve(customer)) as {
        invoice_settings: { default_payment_method: string | null }
      }
      const [subscription] = (await shop.stripe.subscriptions.list({ customer })).data
      if (subscription === undefined) return
      const good = String(subscription.default_payment_method ?? before.default_payment_method)
      await shop.stripe.subscriptions.update(subscription.id, { default_payment_method: bad.id })
      await act(run, { act: 'change', price: 'seat', quantity: 40, when: 'now', code: null })
      await buyer.ask('subscription/resume', {})
      await shop.stripe.subscriptions.update(subscription.id, { default_payment_method: good })
      return
    }
    case 'book': {
      const page = await buyer.ask('checkout', { ...urls, price_id: 'book', promotion_code: one.code })
      if (page.http !== 200) return
      await payPage(String(page['url']))
      run.coded++
      return
    }
    case 'use': {
      const answer = await buyer.ask('usage', { meter: 'calls', value: one.value, enforce: one.enforce })
      if (answer.http === 200) run.used += one.value
      return
    }
    case 'pass':
      return shop.pass(one.days)
    case 'last_minute': {
      const [subscription] = (await shop.stripe.subscriptions.list({ customer: await customerOf(run) })).data
      const end = subscription?.items.data[0]?.current_period_end ?? 0
      const days = (end * 1000 - shop.now() - 60_000) / 86_400_000
      // A year is too long a way for one step.
      if (days > 0 && days < 32) await shop.pass(days)
    }
  }
}

async function laws(run: Run): Promise<void> {
  const { shop, buyer } = run
  const customer = await customerOf(run)
  await shop.service.waitingJobs.continueDue()
  const all = (await shop.stripe.invoices.list({ customer, limit: 100 })).data
  const invoices = all.filter(({ status }) => status === 'paid')
  const discounts = invoices
    .flatMap(({ total_discount_amounts: amounts }) => amounts ?? [])
    .filter(({ amount }) => amount > 0)
  const given = discounts.reduce((sum, { amount }) => sum + amount, 0)
  const value = given + invoices.reduce((sum, { amount_paid: amount }) => sum + amount, 0)
  // A renewal is asked for within an hour, and may be paid within the days of grace that the seller gives.
  const asking = all.filter(
    ({ status, billing_reason: why }) => status !== 'paid' && status !== 'void' && why === 'subscription_cycle',
  )
  // Each invoice rounds its prorations to cents.
  const valueOfCalls = value + all.length + asking.reduce((sum, { subtotal }) => sum + Math.max(0, subtotal), 0)
  const { credits } = (await shop.asAdmin({ url: `${admin}/tenants/${buyer.tenant}/credits` })).json<{
    credits: { amount: number }[]
  }>()
  const granted = credits.reduce((sum, { amount }) => sum + amount, 0)
  const live = (await shop.stripe.subscriptions.list({ customer })).data
  const asked = {
    creditBeyondPaid: Math.max(0, granted - value),
    callsBeyondPaid: Math.max(0, Math.floor(run.used - valueOfCalls * callsPerCent - run.changes)),
    secondSubscriptions: Math.max(0, live.length - 1),
    // Each code is of the one coupon, which is taken once: on a page, or by a change, whose discount stands on one invoice.
    secondDiscounts: Math.max(0, new Set(discounts.map(({ discount }) => String(discount))).size + run.coded - 1),
    planned:
      run.planned === null
        ? null
        : await planOf(run, live[0]?.schedule ?? null, live[0]?.cancel_at_period_end === true),
  }
  expect(asked).toEqual({
    creditBeyondPaid: 0,
    callsBeyondPaid: 0,
    secondSubscriptions: 0,
    secondDiscounts: 0,
    planned: run.planned,
  })
}

/** Later phases of the seller's schedule. A subscription that is cancelled has none meanwhile, and one that has gone its way needs none. */
async function planOf({ shop, planned }: Run, schedule: unknown, isCancelled: boolean): Promise<string | null> {
  if (isCancelled || schedule === null) return planned
  const { phases, metadata } = await shop.stripe.subscriptionSchedules.retrieve(String(schedule))
  // A change that the session has scheduled stands in the place of a phase until it is undone.
  if (metadata?.['ratecard_change']) return planned
  return phasesText(phases.slice(-2))
}

const phasesText = (
  phases: readonly {
    readonly end_date: number
    readonly items: readonly { readonly price: unknown; readonly quantity?: number }[]
  }[],
) =>
  JSON.stringify(
    phases.map(({ end_date: end, items }) => [end, items.map(({ price: one, quantity }) => [one, quantity])]),
  )

async function withRamp(run: Run): Promise<void> {
  const { shop } = run
  const [subscription] = (await shop.stripe.subscriptions.list({ customer: await customerOf(run) })).data
  const { id: step = '' } = (await shop.stripe.prices.list({ lookup_keys: ['step'] })).data[0] ?? {}
  const made = await shop.stripe.subscriptionSchedules.create({ from_subscription: subscription?.id ?? '' })
  const [running] = made.phases
  if (running === undefined) throw new Error('a schedule without a phase')
  const own = running.items.map(({ price: one, quantity }) => ({ price: String(one), quantity: quantity ?? 1 }))
  const month = 30 * 86_400
  const set = await shop.stripe.subscriptionSchedules.update(made.id, {
    end_behavior: 'release',
    phases: [
      { items: own, start_date: running.start_date, end_date: running.end_date },
      { items: [{ price: step, quantity: 1 }], end_date: running.end_date + month, proration_behavior: 'none' },
      { items: [{ price: step, quantity: 2 }], end_date: running.end_date + 2 * month, proration_behavior: 'none' },
    ],
  })
  run.planned = phasesText(set.phases.slice(-2))
}

let made = 0
let shared: { shop: UsageShop; left: number } | null = null

async function shopWith(replicas: number): Promise<UsageShop> {
  if (shared === null || shared.left === 0) {
    await shared?.shop.close()
    shared = { shop: await startUsageShop(document, { replicas }), left: sequencesOfShop }
  }
  shared.left--
  return shared.shop
}

async function begun(shop: UsageShop, { first, quantity, ramp, mode }: Sequence): Promise<Run> {
  const buyer = await shop.customer(`tenant_${String(++made)}`, first, first === 'seat' ? quantity : 1, mode)
  const run: Run = { shop, buyer, used: 0, coded: 0, changes: 0, planned: null }
  if (ramp && first !== 'pro_year') await withRamp(run)
  return run
}

async function follow(sequence: Sequence): Promise<void> {
  const run = await begun(await shopWith(1), sequence)
  for (const one of sequence.acts) {
    await act(run, one)
    await laws(run)
  }
}

/** What goes wrong during an act: the process dies after some writes of its journal, or the processor loses answers. */
type Trouble =
  | { readonly writes: number }
  | { readonly kind: 'error_after' | 'close_after' | 'cut_body' | 'close_before'; readonly skip: number }

const troubles: fc.Arbitrary<readonly (Trouble | null)[]> = fc.array(
  fc.option(
    fc.oneof(
      fc.record({ writes: fc.nat(6) }),
      fc.record({ kind: fc.constantFrom('error_after', 'close_after', 'cut_body', 'close_before'), skip: fc.nat(2) }),
    ),
    { freq: 3 },
  ),
  { minLength: actsOfSequence, maxLength: actsOfSequence },
)

/** Runs an act of a session in trouble. Its caller sees an error, and does not send it again. */
async function inTrouble(run: Run, one: Act, trouble: Trouble | null): Promise<void> {
  const { sandbox } = run.shop
  const isOwn = one.act === 'pass' || one.act === 'last_minute' || one.act === 'decline' || one.act === 'book'
  if (trouble === null || isOwn) return act(run, one)
  if ('kind' in trouble) sandbox.control.fail({ ...trouble, method: 'POST', count: 1 })
  const revive = 'writes' in trouble ? dieAfter(run.shop, trouble.writes) : null
  await act(run, one)
  revive?.()
  sandbox.control.clearFaults()
  await sandbox.control.land()
  // Whoever gets no answer does not know whether the change was made at once.
  if (one.act !== 'change') return
  run.planned = null
  run.changes++
}

/** Fails each write of the journal from the n-th on, as if the process had died. Returns a function that revives it. */
function dieAfter({ store: { jobs } }: UsageShop, writes: number): () => void {
  let passed = 0
  const spies = (['open', 'begin', 'settle', 'wait', 'end'] as const).map((name) => {
    const method = jobs[name].bind(jobs) as (...args: unknown[]) => Promise<unknown>
    return vi.spyOn(jobs, name as 'end').mockImplementation((...args: unknown[]) => {
      if (++passed > writes) return Promise.reject(new Error('The process has died.'))
      return method(...args) as Promise<void>
    })
  })
  return () => {
    for (const spy of spies) spy.mockRestore()
  }
}

const ended = async () => {
  await shared?.shop.close()
  shared = null
}
const minutes = (count: number) => 60_000 * Math.max(10, count)

describe('the law of value', () => {
  it(
    `holds for ${String(runs)} random sequences of ${String(actsOfSequence)} acts of a session`,
    { timeout: minutes(runs) },
    async () => {
      try {
        await fc.assert(fc.asyncProperty(sequences, follow), { numRuns: runs, endOnFailure: true })
      } finally {
        await ended()
      }
    },
  )

  it(
    `holds for ${String(stormRuns)} of them with two replicas, deaths and lost answers`,
    { timeout: minutes(stormRuns) },
    async () => {
      const property = fc.asyncProperty(sequences, troubles, async (sequence, all) => {
        const run = await begun(await shopWith(2), sequence)
        for (const [index, one] of sequence.acts.entries()) {
          await inTrouble(run, one, all[index] ?? null)
          await laws(run)
        }
      })
      try {
        await fc.assert(property, { numRuns: stormRuns, endOnFailure: true })
      } finally {
        vi.restoreAllMocks()
        await ended()
      }
    },
  )
})
