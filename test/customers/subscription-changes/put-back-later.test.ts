// A schedule that an unpaid upgrade took off cannot always be put back. Then the tenant can still do everything, no other price is
// scheduled, and the audit trail says what is missing.
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../packages/ratecard/src/base/clock.ts'
import { startSandbox } from '../../../packages/sandbox/src/server.ts'
import { begin, day, planDocument, startChangingShop } from '../../support/shop/changing-shop.ts'
import type { Answer, Subscriber } from '../../support/shop/changing-shop.ts'
import { rewritingProxy } from '../../support/programs/rewriting-proxy.ts'
import { nobody } from '../../support/shop/selling.ts'
import { startedForAll } from '../../support/started.ts'
import { gold } from '../../support/shop/tenant-shop.ts'

const clock = { ms: Date.UTC(2031, 3, 2) }
const shop = startedForAll(() =>
  startChangingShop(
    { clock: { now: () => clock.ms } },
    planDocument('1.0.0', ({ products, promotion_codes: codes }) => {
      products.push({
        id: 'max',
        name: 'Max',
        subscription_group: 'plan',
        prices: [{ id: 'max', amount: 12_000, currency: 'usd', interval: 'month' }],
      })
      codes?.push({ id: 'gone', code: 'GONE', coupon: 'third' })
    }),
  ),
)

const toBasic = { items: [{ price_id: 'basic' }] }
const toMax = { items: [{ price_id: 'max' }] }
const twoSeats = { items: [{ price_id: 'max', quantity: 2 }] }

async function card({ customer }: Subscriber, method: string): Promise<void> {
  const { id } = await shop.stripe.paymentMethods.attach(method, { customer })
  await shop.stripe.customers.update(customer, { invoice_settings: { default_payment_method: id } })
}

interface Unpaid {
  readonly from?: string
  readonly down?: object
  readonly up?: object
}

/** A tenant whose scheduled change is taken off by an upgrade that is never paid. */
async function unpaid(id: string, { from = 'pro', down = toBasic, up = toMax }: Unpaid = {}): Promise<Subscriber> {
  const buyer = await shop.subscriber(id, { [from]: 1 })
  expect(await buyer.change(down)).toMatchObject({ status: 'scheduled' })
  await card(buyer, 'pm_card_chargeCustomerFail')
  expect(await buyer.change(up)).toMatchObject({ status: 'payment_required' })
  return buyer
}

async function scheduledOf({ tenant }: Subscriber) {
  const { subscriptions } = await shop.service.tenantSubscriptions(tenant)
  return subscriptions[0]?.scheduled?.items.map(({ priceId }) => priceId) ?? null
}

/** Lets the minutes pass after which the service looks for schedules to put back. Returns what it reports. */
async function later(): Promise<readonly string[]> {
  clock.ms += 10 * 60_000
  return shop.service.waitingJobs.continueDue().then(
    () => [],
    (error: unknown) => (error instanceof AggregateError ? error.errors : [error]).map(String),
  )
}

const unfinished = ({ tenant }: Subscriber) => shop.store.jobs.unfinished('subscription_change', tenant)

/** Results of the rows of the audit trail about a schedule that was put back, or was not. */
async function putBackRows({ tenant }: Subscriber): Promise<readonly Answer[]> {
  const { items } = await shop.store.tenants.audit(tenant, { limit: 100, offset: 0 })
  return items.map(({ result }) => JSON.parse(result ?? '{}') as Answer).filter((result) => 'put_back' in result)
}

const notBack = (detail: string) => [
  expect.objectContaining({ put_back: false, detail: expect.stringContaining(detail) as string }),
]

test('if the processor refuses a restored schedule permanently, one failure is reported, and the tenant can still change, cancel and resume', async () => {
  const buyer = await unpaid('code', { down: { ...toBasic, promotion_code: 'GONE' } })
  await buyer.pass(1)
  const [code] = (await shop.stripe.promotionCodes.list({ code: 'GONE' })).data
  await shop.stripe.promotionCodes.update(code?.id ?? '', { active: false })
  expect(await later()).toEqual([expect.stringContaining('was not put back')])
  expect(await putBackRows(buyer)).toEqual(notBack('was not put back'))
  expect(await unfinished(buyer)).toEqual([])
  expect(await later()).toEqual([])
  await card(buyer, 'pm_card_visa')
  expect(await buyer.change(toMax)).toMatchObject({ status: 'changed' })
  expect(await buyer.ask('cancel')).toMatchObject({ cancel_at_period_end: true })
  expect(await buyer.ask('resume')).toMatchObject({ cancel_at_period_end: false })
})

test('a cancellation succeeds while the processor refuses new schedules', async () => {
  const buyer = await unpaid('cancels')
  await buyer.pass(1)
  shop.sandbox.control.fail({ kind: 'rate_limit', method: 'POST', path: '/v1/subscription_schedules', count: null })
  const cancelled = await buyer.ask('cancel')
  shop.sandbox.control.clearFaults()
  expect(cancelled).toMatchObject({ cancel_at_period_end: true })
  expect(await unfinished(buyer)).toEqual([])
})

test('a resume that gives up an upgrade succeeds while the processor refuses new schedules, and a later run restores the schedule', async () => {
  const buyer = await unpaid('resumes')
  shop.sandbox.control.fail({ kind: 'rate_limit', method: 'POST', path: '/v1/subscription_schedules', count: null })
  const resumed = await buyer.ask('resume')
  shop.sandbox.control.clearFaults()
  expect(resumed).toMatchObject({ status: 'active' })
  expect(await later()).toEqual([])
  expect(await scheduledOf(buyer)).toEqual(['basic'])
})

test('a retried resume request that gave up an upgrade does not remove the schedule that the first attempt restored', async () => {
  const { tenant: tenantId, ...buyer } = await unpaid('again')
  const principal = { kind: 'key', keyId: 'key', tenantId } as const
  const resume = () => shop.service.resumeSubscription({}, principal, { ...nobody, idempotencyKey: 'once' })
  const first = await resume()
  expect(await resume()).toEqual(first)
  expect(await scheduledOf({ tenant: tenantId, ...buyer })).toEqual(['basic'])
})

test('a restored schedule that begins more than one period ahead still begins at its own date', async () => {
  const buyer = await shop.subscriber('ahead', { pro: 1 })
  const { subscriptionSchedules: schedules } = shop.stripe
  const { id } = await schedules.create({ from_subscription: buyer.subscription })
  const [pro, max] = [await shop.price('pro'), await shop.price('max')]
  const june = begin + 61 * day
  await schedules.update(id, {
    phases: [
      { items: [{ price: pro, quantity: 1 }], start_date: begin, end_date: june },
      { items: [{ price: max, quantity: 1 }], end_date: june + 30 * day },
    ],
  })
  await card(buyer, 'pm_card_chargeCustomerFail')
  expect(await buyer.change({ items: [{ price_id: 'pro', quantity: 3 }] })).toMatchObject({
    status: 'payment_required',
  })
  await buyer.pass(1)
  await card(buyer, 'pm_card_visa')
  expect(await later()).toEqual([])
  expect(await putBackRows(buyer)).toEqual([expect.objectContaining({ put_back: true })])
  await buyer.pass(30)
  expect([await buyer.items(), (await buyer.totals()).at(-1)]).toEqual([{ pro: 1 }, 9000])
  await buyer.pass(31)
  expect([await buyer.items(), (await buyer.totals()).at(-1)]).toEqual([{ max: 1 }, 12_000])
})

test('a schedule is restored if the response to its release was lost and the upgrade failed', async () => {
  const buyer = await shop.subscriber('lost', { pro: 1 })
  await buyer.change(toBasic)
  const { control } = shop.sandbox
  const path = `/v1/subscriptions/${buyer.subscription}`
  const unreadable = () => control.fail({ kind: 'rate_limit', method: 'GET', path, count: null })
  const release = '/v1/subscription_schedules/*/release'
  control.fail({ kind: 'close_after', method: 'POST', path: release, count: null, onStrike: () => void unreadable() })
  expect((await buyer.change(toMax)).status).toBeGreaterThanOrEqual(400)
  control.clearFaults()
  expect(await later()).toEqual([])
  expect([await scheduledOf(buyer), await unfinished(buyer)]).toEqual([['basic'], []])
})

test('the retry of an interrupted upgrade needs a new preview if the subscription has another schedule by then', async () => {
  const buyer = await shop.subscriber('anew', { pro: 1 })
  await buyer.change(toBasic)
  const { control } = shop.sandbox
  const path = `/v1/subscriptions/${buyer.subscription}`
  control.fail({ kind: 'rate_limit', method: 'POST', path: '/v1/subscription_schedules', count: null })
  control.fail({ kind: 'rate_limit', method: 'POST', path, count: null })
  const shown = await buyer.ask('preview', toMax)
  const body = { ...toMax, preview: shown['preview'] as string }
  expect((await buyer.ask('change', body)).status).toBeGreaterThanOrEqual(400)
  control.clearFaults()
  await shop.stripe.subscriptionSchedules.create({ from_subscription: buyer.subscription })
  expect(await buyer.ask('change', body)).toMatchObject({ code: 'preview_stale' })
  expect(await buyer.items()).toEqual({ pro: 1 })
  expect(await putBackRows(buyer)).toEqual(notBack('another schedule'))
})

/** A shop whose responses of the processor can be changed, with a tenant whose upgrade is not paid. */
async function unpaidBehindProxy(down?: object) {
  const sandbox = await startSandbox({ port: 0, dataDir: null, clock: systemClock })
  onTestFinished(() => sandbox.close())
  const proxy = await rewritingProxy(sandbox.port)
  const own = await startChangingShop({ clock: { now: () => clock.ms }, sandbox, apiBase: proxy.url })
  onTestFinished(() => own.close())
  const buyer = await own.subscriber('invoiced', { pro: 1 })
  if (down !== undefined) await buyer.change(down)
  const { customer } = buyer
  const { id: declined } = await own.stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer })
  await own.stripe.customers.update(customer, { invoice_settings: { default_payment_method: declined } })
  await buyer.change({ items: [{ price_id: 'pro', quantity: 2 }] })
  const latestBecomes = (invoice: string) => {
    proxy.rewrite(({ body }) => {
      const { latest_invoice: latest } = body as Answer
      return latest === undefined || latest === null ? body : { ...(body as Answer), latest_invoice: invoice }
    })
  }
  return { own, buyer, latestBecomes }
}

test('a resume voids the invoice of the given-up upgrade, not a later invoice that the processor returns as the latest', async () => {
  const { own, buyer, latestBecomes } = await unpaidBehindProxy()
  const { customer } = buyer
  const { invoices, invoiceItems } = own.stripe
  const [upgrade] = (await invoices.list({ customer, status: 'open' })).data
  await invoiceItems.create({ customer, amount: 7000, currency: 'usd' })
  const byHand = await invoices.create({
    ...{ customer, collection_method: 'send_invoice', days_until_due: 30, auto_advance: false },
    pending_invoice_items_behavior: 'include',
  })
  await invoices.finalizeInvoice(byHand.id)
  latestBecomes(byHand.id)
  expect(await buyer.ask('resume')).toMatchObject({ status: 'active' })
  expect((await invoices.retrieve(byHand.id)).status).toBe('open')
  expect((await invoices.retrieve(upgrade?.id ?? '')).status).toBe('void')
})

test('a schedule is restored only after the unpaid upgrade expires, even if the processor returns another invoice as the latest', async () => {
  const { own, buyer, latestBecomes } = await unpaidBehindProxy(toBasic)
  latestBecomes('in_other')
  clock.ms += 10 * 60_000
  await own.service.waitingJobs.continueDue()
  expect(await own.store.jobs.unfinished('subscription_change', 'invoiced')).toMatchObject([{ state: 'waiting' }])
  await buyer.pass(1)
  clock.ms += 10 * 60_000
  await own.service.waitingJobs.continueDue()
  const { subscriptions } = await own.service.tenantSubscriptions('invoiced')
  expect(subscriptions[0]?.scheduled?.items).toMatchObject([{ priceId: 'basic' }])
})

test('a scheduled list price is not restored if a deal of the tenant has begun in the meantime', async () => {
  const buyer = await unpaid('dealt', { from: 'max', down: { items: [{ price_id: 'pro' }] }, up: twoSeats })
  await buyer.pass(1)
  await shop.service.applyEnterprise('dealt', gold, { ...nobody, dryRun: false })
  expect(await later()).toEqual([expect.stringContaining('A deal of the tenant has begun or ended')])
  expect([await scheduledOf(buyer), await buyer.items()]).toEqual([null, { max: 1 }])
  expect(await putBackRows(buyer)).toEqual(notBack('A deal'))
})

test('a schedule is not restored if the subscription’s items have changed in the meantime, and the audit log contains the reason', async () => {
  const buyer = await unpaid('moved')
  await buyer.pass(1)
  await card(buyer, 'pm_card_visa')
  const item = (await buyer.live()).items.data[0]?.id ?? ''
  await shop.stripe.subscriptionItems.update(item, { quantity: 3 })
  expect(await later()).toEqual([expect.stringContaining('other items')])
  expect([await putBackRows(buyer), await unfinished(buyer)]).toEqual([notBack('other items'), []])
})

test('an upgrade that replaced a schedule, and whose response was lost, has exactly one audit log entry', async () => {
  const buyer = await shop.subscriber('audited', { pro: 1 })
  await buyer.change(toBasic)
  const { control } = shop.sandbox
  const path = `/v1/subscriptions/${buyer.subscription}`
  const unreadable = () => control.fail({ kind: 'rate_limit', method: 'GET', path, count: null })
  control.fail({ kind: 'close_after', method: 'POST', path, count: null, onStrike: () => void unreadable() })
  expect((await buyer.change(toMax)).status).toBeGreaterThanOrEqual(400)
  control.clearFaults()
  expect(await later()).toEqual([])
  expect(await later()).toEqual([])
  const { items } = await shop.store.tenants.audit('audited', { limit: 100, offset: 0 })
  const changes = items.filter(({ action }) => action === 'subscription_changed')
  expect(changes.map(({ result }) => (JSON.parse(result ?? '{}') as Answer)['when'])).toEqual(['now', 'period_end'])
  expect([await buyer.items(), await unfinished(buyer)]).toEqual([{ max: 1 }, []])
})

test('an upgrade without a schedule, whose response was lost, has exactly one audit log entry', async () => {
  const buyer = await shop.subscriber('plain', { pro: 1 })
  const { control } = shop.sandbox
  const path = `/v1/subscriptions/${buyer.subscription}`
  const unreadable = () => control.fail({ kind: 'rate_limit', method: 'GET', path, count: null })
  control.fail({ kind: 'close_after', method: 'POST', path, count: null, onStrike: () => void unreadable() })
  expect((await buyer.change(toMax)).status).toBeGreaterThanOrEqual(400)
  control.clearFaults()
  await buyer.ask('resume')
  await buyer.ask('resume')
  const { items } = await shop.store.tenants.audit('plain', { limit: 100, offset: 0 })
  expect(items.filter(({ action }) => action === 'subscription_changed')).toHaveLength(1)
  expect([await buyer.items(), await unfinished(buyer)]).toEqual([{ max: 1 }, []])
})

test('a retry of a refused change gets preview_stale if another change succeeded in the meantime, and does not overwrite that change', async () => {
  const buyer = await shop.subscriber('over', { pro: 1 })
  await shop.stripe.subscriptionSchedules.create({ from_subscription: buyer.subscription })
  const shown = await buyer.ask('preview', toMax)
  const body = { ...toMax, preview: shown['preview'] as string }
  const path = `/v1/subscriptions/${buyer.subscription}`
  shop.sandbox.control.fail({ kind: 'rate_limit', method: 'POST', path, count: null })
  expect((await buyer.ask('change', body)).status).toBeGreaterThanOrEqual(400)
  shop.sandbox.control.clearFaults()
  expect(await buyer.change({ items: [{ price_id: 'pro', quantity: 2 }] })).toMatchObject({ status: 'changed' })
  expect(await buyer.ask('change', body)).toMatchObject({ code: 'preview_stale' })
  expect(await buyer.items()).toEqual({ pro: 2 })
})
