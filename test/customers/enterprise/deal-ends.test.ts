// Deals that end: the service takes the negotiated prices away at their date, whichever replica runs then.
import { expect, onTestFinished, test } from 'vitest'
import { toRfc3339 } from '../../../packages/ratecard/src/base/clock.ts'
import type { Service } from '../../../packages/ratecard/src/server/service/service.ts'
import { serviceOver } from '../../support/parts.ts'
import { caller, gold, negotiated, nothing, tenantShop } from '../../support/shop/tenant-shop.ts'

const day = 86_400_000

/** A shop whose service has a clock of its own: the tenant `t` bought `pro_monthly` for $10.00, which costs $12.00 since. */
async function dealShop(items: Readonly<Record<string, number | null>> = { pro_monthly: 2 }) {
  const at = { ms: Date.now() }
  const clock = { now: () => at.ms }
  const shop = await tenantShop(negotiated(), { clock })
  const customer = await shop.tenant('t')
  const { id } = await shop.subscribe(customer, items)
  const signed = await shop.processorPrice('pro_monthly')
  await shop.reprice('1.1.0', 'pro_monthly', 1200)
  const apply = (endsAt: number | null, then?: 'base' | 'signed', target = gold) =>
    shop.service.applyEnterprise('t', target, {
      ...caller,
      dryRun: false,
      endsAt,
      ...(then === undefined ? {} : { then }),
    })
  return {
    ...{ ...shop, clock, customer, id, signed, apply },
    pass: (days: number) => {
      at.ms += days * day
    },
    tenantNow: () => shop.service.findTenant('t'),
    /** Another replica over the same store and account. */
    replica: (): Service => {
      const service = serviceOver({ store: shop.store, processor: shop.processor, clock })
      onTestFinished(() => service.close())
      return service
    },
  }
}
const noDeal = { enterpriseTemplate: null, enterpriseId: null, enterpriseEndsAt: null, enterpriseThen: null }

test('a deal ends exactly at its end date, the tenant pays the base price of that day from then on, and no extra invoice is created', async () => {
  const shop = await dealShop()
  const endsAt = shop.clock.now() + 10 * day
  expect(await shop.apply(endsAt)).toMatchObject({ pricesSwapped: 1, endsAt, then: 'base' })
  expect(await shop.tenantNow()).toMatchObject({
    enterpriseTemplate: 'gold',
    enterpriseEndsAt: endsAt,
    enterpriseThen: 'base',
  })
  shop.pass(9)
  await shop.service.waitingJobs.continueDue()
  expect(await shop.items(shop.id)).toEqual({ pro_monthly_gold: 2 })
  const invoices = (await shop.invoices(shop.customer)).length
  shop.pass(1)
  await shop.service.waitingJobs.continueDue()
  expect(await shop.items(shop.id)).toEqual({ pro_monthly: 2 })
  expect(await shop.tenantNow()).toMatchObject(noDeal)
  expect((await shop.invoices(shop.customer)).length).toBe(invoices)
  const [entry] = (await shop.service.tenantAudit('t', { limit: 1, offset: 0 })).items
  expect(entry).toMatchObject({
    ...{ action: 'deal_ended', author: null, by: null },
    before: { enterprise_template: 'gold', enterprise_ends_at: toRfc3339(endsAt), enterprise_then: 'base' },
    after: { enterprise_template: null, enterprise_ends_at: null, enterprise_then: null },
    result: { prices_swapped: 1 },
  })
})

test('a deal with the option `signed` ends at the price of the original purchase, even if that price was replaced in the meantime', async () => {
  const shop = await dealShop()
  await shop.apply(shop.clock.now() + 30 * day, 'signed')
  shop.pass(31)
  await shop.service.waitingJobs.continueDue()
  const { data } = await shop.stripe.subscriptionItems.list({ subscription: shop.id })
  expect(data).toMatchObject([{ price: { id: shop.signed, unit_amount: 1000 }, quantity: 2 }])
  expect((await shop.stripe.prices.retrieve(shop.signed)).active).toBe(false)
  expect((await shop.service.drift()).inSync).toBe(true)
  expect(await shop.tenantNow()).toMatchObject(noDeal)
})

test('after several deals in a row, the tenant returns to the price before the first deal', async () => {
  const shop = await dealShop()
  await shop.apply(null, undefined, { kind: 'template', template: 'silver' })
  await shop.apply(shop.clock.now() + day, 'signed')
  shop.pass(2)
  await shop.service.waitingJobs.continueDue()
  expect(Object.keys(await shop.items(shop.id))).toEqual([shop.signed])
})

test('a metered item returns to the originally purchased price at the end of its period, and usage until then is billed at the negotiated price', async () => {
  const shop = await dealShop({ pro_monthly: 1, calls: null })
  const signed = await shop.processorPrice('calls')
  await shop.apply(null)
  shop.advance(32)
  await shop.reprice('1.2.0', 'calls', 9)
  await shop.service.applyEnterprise('t', { kind: 'none', to: 'signed' }, { ...caller, dryRun: false })
  shop.advance(32)
  // The push of `calls` sells `pro_monthly` for $10.00 again, which is the signed price.
  expect(await shop.items(shop.id)).toEqual({ pro_monthly: 1, [signed]: null })
})

test('the plan for the removal of a deal shows the amounts before and after, at the base price and at the originally purchased price', async () => {
  const shop = await dealShop()
  await shop.apply(null)
  const money = async (to: 'base' | 'signed') =>
    (await shop.service.applyEnterprise('t', { kind: 'none', to }, { ...caller, dryRun: true })).monthly
  const usd = (amount: number, formatted: string) => [{ currency: 'usd', amount, formatted }]
  expect(await money('base')).toEqual({ before: usd(1600, '$16.00'), after: usd(2400, '$24.00') })
  expect(await money('signed')).toEqual({ before: usd(1600, '$16.00'), after: usd(2000, '$20.00') })
  expect(await shop.items(shop.id)).toEqual({ pro_monthly_gold: 2 })
})

test('a new deal replaces the end date of the former deal, applying the same deal keeps the date, and null or a removal clears it', async () => {
  const shop = await dealShop()
  const endsAt = shop.clock.now() + 30 * day
  const end = async () => {
    const { enterpriseEndsAt, enterpriseThen } = await shop.tenantNow()
    return [enterpriseEndsAt, enterpriseThen]
  }
  await shop.apply(endsAt, 'signed')
  await shop.service.applyEnterprise('t', gold, { ...caller, dryRun: false })
  expect(await end()).toEqual([endsAt, 'signed'])
  await shop.finished((await shop.service.moveTemplate('gold', caller)).id)
  expect(await end()).toEqual([endsAt, 'signed'])
  await shop.apply(endsAt + day)
  expect(await end()).toEqual([endsAt + day, 'base'])
  await shop.apply(null)
  expect(await end()).toEqual([null, null])
  await shop.apply(endsAt)
  await shop.service.applyEnterprise('t', { kind: 'template', template: 'silver' }, { ...caller, dryRun: false })
  expect(await end()).toEqual([null, null])
  await shop.apply(endsAt)
  await shop.service.applyEnterprise('t', nothing, { ...caller, dryRun: false })
  expect(await end()).toEqual([null, null])
  shop.pass(60)
  await shop.service.waitingJobs.continueDue()
  expect((await shop.service.tenantAudit('t', { limit: 1, offset: 0 })).items[0]?.action).toBe('remove')
})

test('an end date of a deal in the past is refused', async () => {
  const shop = await dealShop()
  await expect(shop.apply(shop.clock.now())).rejects.toMatchObject({ code: 'request_invalid' })
})

test('only one of several replicas ends a deal, even if all of them were down at its end date', async () => {
  const shop = await dealShop()
  await shop.apply(shop.clock.now() + day)
  const replicas = [shop.replica(), shop.replica(), shop.replica()]
  shop.pass(100)
  await Promise.all(replicas.map(({ waitingJobs }) => waitingJobs.continueDue()))
  expect(await shop.items(shop.id)).toEqual({ pro_monthly: 2 })
  const { items } = await shop.service.tenantAudit('t', { limit: 50, offset: 0 })
  expect(items.filter(({ action }) => action === 'deal_ended')).toHaveLength(1)
})

test('a deal whose end the processor refuses is retried, does not delay other deals, and ends once the processor accepts the update', async () => {
  const shop = await dealShop()
  const other = await shop.subscribe(await shop.tenant('u'), { seat: 1 })
  const endsAt = shop.clock.now() + day
  await shop.apply(endsAt)
  await shop.service.applyEnterprise('u', gold, { ...caller, dryRun: false, endsAt: endsAt + 1 })
  shop.sandbox.control.fail({ kind: 'error_before', method: 'POST', path: `/v1/subscriptions/${shop.id}`, count: null })
  shop.pass(2)
  await expect(shop.service.waitingJobs.continueDue()).rejects.toThrow('Not every job')
  expect(await shop.items(other.id)).toEqual({ seat: 1 })
  expect(await shop.tenantNow()).toMatchObject({ enterpriseTemplate: 'gold', enterpriseEndsAt: endsAt })
  shop.sandbox.control.clearFaults()
  await shop.service.waitingJobs.continueDue()
  expect(await shop.items(shop.id)).toEqual({ pro_monthly: 2 })
  expect(await shop.tenantNow()).toMatchObject(noDeal)
})

const writes = [
  ['the activation of the former price', '/v1/prices/*', 0],
  ['the move', '/v1/subscriptions/*', 0],
  ['the archive of the former price', '/v1/prices/*', 1],
] as const
test.each(
  writes.flatMap(([what, path, skip]) =>
    (['close_before', 'close_after', 'error_after'] as const).map((kind) => ({ what, path, skip, kind })),
  ),
)(
  'a lost response ($kind) of $what leaves the item on the originally purchased price, and that price is archived',
  async ({ path, skip, kind }) => {
    const shop = await dealShop()
    await shop.apply(shop.clock.now() + day, 'signed')
    shop.pass(2)
    shop.sandbox.control.fail({ kind, method: 'POST', path, skip, count: 1 })
    await shop.service.waitingJobs.continueDue().catch(() => undefined)
    shop.sandbox.control.clearFaults()
    shop.pass(1)
    await shop.service.waitingJobs.continueDue()
    expect(Object.keys(await shop.items(shop.id))).toEqual([shop.signed])
    expect((await shop.stripe.prices.retrieve(shop.signed)).active).toBe(false)
    expect(await shop.tenantNow()).toMatchObject(noDeal)
  },
)

test('the planned end of a deal is deleted with its tenant', async () => {
  const shop = await dealShop()
  await shop.apply(shop.clock.now() + day)
  await shop.stripe.subscriptions.cancel(shop.id)
  await shop.service.removeTenant('t', caller)
  shop.pass(2)
  await shop.service.waitingJobs.continueDue()
  expect(await shop.store.tenants.dealsDue(shop.clock.now())).toEqual([])
})

test('a running service ends a deal at its end date without a request', async () => {
  const shop = await dealShop()
  const failures: unknown[] = []
  shop.service.waitingJobs.start((error) => failures.push(error))
  // The clock of this test stands still, so the end is reached by moving it: the loop sleeps until then by real time.
  await shop.apply(shop.clock.now() + 50)
  shop.pass(1)
  await expect.poll(async () => shop.items(shop.id), { timeout: 20_000 }).toEqual({ pro_monthly: 2 })
  await expect.poll(async () => (await shop.tenantNow()).enterpriseTemplate, { timeout: 20_000 }).toBeNull()
  expect(failures).toEqual([])
})
