// A migration at renewal creates a schedule at the processor. In these tests the price changes again before the renewal.
import { expect, test } from 'vitest'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { nobody } from '../../support/stack.ts'
import { caller, negotiated, priceIn, tenantShop, type TenantShop } from '../../support/shop/tenant-shop.ts'

const amount = (version: string, amount: number) =>
  negotiated(version, (config) => (priceIn(config, 'pro_monthly').amount = amount))

/** Creates a subscriber with seven seats at 10, scheduled to change to 12 at the renewal. */
async function onTheWay() {
  const shop = await tenantShop(negotiated())
  const customer = await shop.tenant('small')
  const { id } = await shop.subscribe(customer, { pro_monthly: 7 })
  const first = await shop.processorPrice('pro_monthly')
  await shop.push(amount('1.1.0', 1200))
  const second = await shop.processorPrice('pro_monthly')
  const { id: job } = await migrate(shop)
  const paid = async () => (await shop.invoices(customer)).map(({ total }) => total)
  return { shop, id, job, customer, first, second, paid }
}

async function migrate(shop: TenantShop, to: 'renewal' | 'now' | { readonly at: number } = 'renewal') {
  const { id } = await shop.service.startMigration({ priceId: 'pro_monthly', to }, caller)
  return shop.finished(id)
}
const warned = (warnings: readonly { readonly code: string; readonly detail: string }[]) =>
  warnings.filter(({ code }) => code === 'migration_scheduled').map(({ detail }) => detail)
const approved = { ...nobody, approveImpact: true }

test('a rollback before the renewal date needs an approval, and another migration returns the subscribers to the earlier price', async () => {
  const { shop, id, second, paid, job } = await onTheWay()
  const planned = await shop.service.rollback(1, { ...nobody, dryRun: true })
  expect(warned(planned.warnings)).toEqual([
    expect.stringContaining('1 subscriber is scheduled to move to "pro_monthly" as it is now'),
  ])
  await expect(shop.service.rollback(1, nobody)).rejects.toMatchObject({
    issues: [
      { code: 'migration_scheduled', hint: expect.stringContaining(`jobs cancel ${job} --take-back`) as string },
    ],
  })
  await shop.service.rollback(1, approved)
  const plan = await shop.service.planMigration({ priceId: 'pro_monthly', to: 'now' })
  expect(plan.lines).toMatchObject([
    { tenantId: 'small', fromProcessorPriceId: second, monthlyBefore: 8400, monthlyAfter: 7000, skipped: null },
  ])
  expect(plan.lines[0]?.effective).toBe('period_end')
  expect(await migrate(shop)).toMatchObject({ state: 'done', steps: [{ state: 'succeeded' }] })
  // A second migration has no steps, because these subscribers are already scheduled back to their price.
  expect((await migrate(shop)).stepsTotal).toBe(0)
  const next = await shop.service.push(amount('1.3.0', 1300), { ...nobody, dryRun: true })
  expect(warned(next.warnings)).toEqual([])
  shop.advance(32)
  expect(await shop.items(id)).toEqual({ pro_monthly: 7 })
  expect(await paid()).toEqual([7000, 7000])
})

test('after a second price raise before the renewal date, another migration moves all subscribers to the newest price', async () => {
  const { shop, id, second, paid } = await onTheWay()
  const raised = await shop.service.push(amount('1.2.0', 1500), approved)
  expect(warned(raised.warnings)).toHaveLength(1)
  // A later date does not delay an existing schedule. It leads to the newest price at the same renewal.
  const job = await migrate(shop, { at: Date.now() + 90 * 86_400_000 })
  expect(job.steps[0]).toMatchObject({ state: 'succeeded', result: { items: [{ from_processor_id: second }] } })
  shop.advance(32)
  expect(await shop.items(id)).toEqual({ pro_monthly: 7 })
  expect(await paid()).toEqual([7000, 10_500])
})

test('the amounts of a scheduled price are still known after a rename that was rolled back', async () => {
  const shop = await tenantShop(negotiated())
  await shop.subscribe(await shop.tenant('small'), { pro_monthly: 7 })
  await shop.push(
    negotiated('1.1.0', (config) =>
      Object.assign(priceIn(config, 'pro_monthly'), {
        id: 'team_monthly',
        previous_ids: ['pro_monthly'],
        amount: 1200,
      }),
    ),
  )
  const { id } = await shop.service.startMigration({ priceId: 'team_monthly', to: 'renewal' }, caller)
  await shop.finished(id)
  await shop.service.rollback(1, approved)
  const { lines } = await shop.service.planMigration({ priceId: 'pro_monthly', to: 'renewal' })
  expect(lines).toMatchObject([{ monthlyBefore: 8400, monthlyAfter: 7000, skipped: null }])
})

test('a migration does not change a subscription schedule that Ratecard did not create', async () => {
  const { shop, id } = await onTheWay()
  const { schedule } = await shop.stripe.subscriptions.retrieve(id)
  const yearlyToBe = await shop.processorPrice('pro')
  const { phases } = await shop.stripe.subscriptionSchedules.retrieve(schedule as string)
  await shop.stripe.subscriptionSchedules.update(schedule as string, {
    phases: phases.map(({ start_date, end_date }, index) => ({
      start_date,
      end_date,
      items: [{ price: index === 0 ? (phases[0]?.items[0]?.price as string) : yearlyToBe, quantity: 7 }],
    })),
  })
  await shop.service.rollback(1, approved)
  expect((await shop.service.planMigration({ priceId: 'pro_monthly', to: 'renewal' })).lines).toEqual([])
  shop.advance(32)
  expect(await shop.items(id)).toEqual({ pro: 7 })
})

test('a push that removes a price warns about subscribers who are scheduled to move to it', async () => {
  const { shop } = await onTheWay()
  const without = negotiated('1.2.0', (config: BillingConfig) => {
    for (const product of config.products)
      product.prices = product.prices?.filter((price) => !price.id.startsWith('pro_monthly')) ?? []
  })
  const planned = await shop.service.push(without, { ...nobody, dryRun: true })
  expect(warned(planned.warnings)).toEqual([expect.stringContaining('This plan archives that price')])
})

const takeBack = (shop: TenantShop, job: string) => shop.service.cancelJob(job, true, caller)

test('a migration says which moves are scheduled, and takes them back: nobody moves, and a rollback needs no approval', async () => {
  const { shop, id, job, first, second, paid } = await onTheWay()
  const { schedule } = await shop.stripe.subscriptions.retrieve(id)
  const move = { tenantId: 'small', subscription: id, fromProcessorId: first, toProcessorId: second, quantity: 7 }
  expect(await shop.service.findJob(job)).toMatchObject({ state: 'done', scheduledMoves: [move] })
  await expect(shop.service.cancelJob(job, false, caller)).rejects.toMatchObject({ code: 'job_not_running' })
  const taken = await takeBack(shop, job)
  expect(taken).toMatchObject({ state: 'done', scheduledMoves: [], takeBackJobId: expect.any(String) as string })
  const own = taken.takeBackJobId ?? ''
  expect(await shop.service.findJob(own)).toMatchObject({
    ...{ state: 'done', input: { take_back_of: job }, scheduledMoves: [] },
    steps: [{ state: 'succeeded', result: { op: 'release', schedule } }],
  })
  expect((await shop.stripe.subscriptions.retrieve(id)).schedule).toBe(null)
  // There is nothing left to take back, and a taking back cannot be taken back.
  expect(await takeBack(shop, job)).toMatchObject({ takeBackJobId: null })
  await expect(takeBack(shop, own)).rejects.toMatchObject({ code: 'job_not_running' })
  expect(warned((await shop.service.rollback(1, { ...nobody, dryRun: true })).warnings)).toEqual([])
  shop.advance(32)
  expect(await paid()).toEqual([7000, 7000])
  // The customer is on the earlier price, so another migration moves it.
  expect((await migrate(shop)).scheduledMoves).toMatchObject([move])
})

test('what else the schedule contains stays: a change of another item, and one by the customer', async () => {
  const shop = await tenantShop(negotiated())
  const customer = await shop.tenant('small')
  const { id } = await shop.subscribe(customer, { pro_monthly: 7, seat: 2 })
  await shop.push(amount('1.1.0', 1200))
  const { id: job } = await migrate(shop)
  const principal = { kind: 'key', keyId: 'key', tenantId: 'small' } as const
  const change = (priceId: string, quantity: number) =>
    shop.service.changeSubscription({ items: [{ priceId, quantity }], replaces: priceId }, principal, {
      ...caller,
      idempotencyKey: null,
    })
  await change('seat', 1)
  await change('pro_monthly', 5)
  const taken = await takeBack(shop, job)
  expect(await shop.service.findJob(taken.takeBackJobId ?? '')).toMatchObject({ steps: [{ state: 'succeeded' }] })
  const { subscriptions } = await shop.service.tenantSubscriptions('small')
  expect(subscriptions[0]?.scheduled?.items).toMatchObject([{ quantity: 1 }, { quantity: 5 }])
  // Undoing the change brings back what the customer had, and not the move.
  await shop.service.resumeSubscription({}, principal, { ...caller, idempotencyKey: null })
  expect((await shop.service.tenantSubscriptions('small')).subscriptions[0]).toMatchObject({ scheduled: null })
  shop.advance(32)
  expect(await shop.lastAmount(customer)).toBe(7 * 1000 + 2 * 300)
  const { data } = (await shop.stripe.subscriptions.retrieve(id)).items
  expect(data.map(({ price, quantity }) => [price.unit_amount, quantity])).toEqual([
    [1000, 7],
    [300, 2],
  ])
})

test('a move that the customer has replaced meanwhile is no longer scheduled, and stays replaced', async () => {
  const { shop, id, job } = await onTheWay()
  const principal = { kind: 'key', keyId: 'key', tenantId: 'small' } as const
  const items = [{ priceId: 'pro', quantity: 7 }]
  await shop.service.changeSubscription({ items, replaces: 'pro_monthly', when: 'period_end' }, principal, {
    ...caller,
    idempotencyKey: null,
  })
  const taken = await takeBack(shop, job)
  expect(await shop.service.findJob(taken.takeBackJobId ?? '')).toMatchObject({
    steps: [{ state: 'skipped', result: { reason: expect.stringContaining('has replaced the move') as string } }],
  })
  shop.advance(32)
  expect(await shop.items(id)).toEqual({ pro: 7 })
})
