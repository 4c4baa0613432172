// Credits of a paid invoice whose granting process is killed: before and after each write, and during a write that arrives later.
import { describe, expect } from 'vitest'
import { killStep, testOnEachEngine } from '../../support/stores/each-engine.ts'
import { lateKinds } from '../../support/kills/kill-harness.ts'
import type { StoreFactory } from '../../support/kills/kill-stores.ts'
import { killedService } from '../../support/kills/killed-service.ts'
import type { Stack } from '../../support/stack.ts'
import { caller, negotiated, priceIn, shopOver } from '../../support/shop/tenant-shop.ts'

const secretKey = 'sk_test_killedCredits000'

/** A tenant that has paid an invoice with two prices that grant credit. The mirror has the invoice, and no credit is granted yet. */
async function prepare(stores: StoreFactory) {
  const world = await killedService(stores, 'owedCredits', secretKey)
  const stack = await world.open(stores.prepared)
  const shop = shopOver(stack, secretKey)
  await shop.push(
    negotiated('1.0.0', (config) => {
      priceIn(config, 'pro_monthly').grants_credit = { amount: 100, meters: ['calls'] }
      priceIn(config, 'seat').grants_credit = { amount: 10, expires_after_days: 30 }
    }),
  )
  const customer = await shop.tenant('t')
  await shop.subscribe(customer, { pro_monthly: 7, seat: 2 })
  const [invoice] = await shop.invoices(customer)
  if (invoice === undefined) throw new Error('no invoice')
  const read = await stack.processor.mirrorObject('invoice', invoice.id, AbortSignal.timeout(10_000))
  if (read === null) throw new Error('the processor has no invoice')
  await shop.store.mirror.save('invoice', [read], await shop.store.mirror.beginRead())
  await shop.close()
  world.prepared()

  /** Credits at the processor, what the store still owes, and the audit trail. */
  const left = async ({ service, stripe, store }: Stack) => {
    const { data } = await stripe.billing.creditGrants.list({ customer })
    const { items } = await service.tenantAudit('t', { limit: 50, offset: 0 })
    return {
      credits: data.map(({ amount }) => amount.monetary?.value).sort(),
      owed: await store.credits.nextPaidAt(),
      unfinished: (await store.jobs.unfinished('credit_grant')).length,
      recorded: items.filter(({ action }) => action === 'credit_granted').length,
    }
  }
  return { world, left }
}

const expected = { credits: [20, 700], owed: null, unfinished: 0, recorded: 2 }
describe('the credits of a payment whose granting process is killed', () => {
  testOnEachEngine('are granted exactly once, for every point of the kill,', 600_000, async (stores) => {
    const { world, left } = await prepare(await stores())
    try {
      let points = 1
      for (let point = 0; point <= points; point += point === 0 ? 1 : killStep) {
        const run = await world.killedAt(point)
        try {
          expect(run.killed).toBe(point > 0)
          if (point === 0) points = run.points
          await run.stack.service.waitingJobs.continueDue()
          await run.stack.service.waitingJobs.continueDue()
          expect([point, await left(run.stack)]).toEqual([point, expected])
        } finally {
          await run.close()
        }
      }
      expect(points).toBeGreaterThan(10)
    } finally {
      await world.close()
    }
  })

  testOnEachEngine('are granted exactly once, even if a write was in flight at the kill,', 600_000, async (stores) => {
    const { world, left } = await prepare(await stores())
    try {
      for (const kind of lateKinds)
        for (const write of [1, 2]) {
          const run = await world.killedLate(write, kind)
          try {
            expect(run.killed).toBe(true)
            await run.land()
            await run.stack.service.waitingJobs.continueDue()
            expect([kind, write, await left(run.stack)]).toEqual([kind, write, expected])
          } finally {
            await run.close()
          }
        }
    } finally {
      await world.close()
    }
  })
})

describe('a credit that an operator grants, and whose process is killed,', () => {
  testOnEachEngine(
    'is granted exactly once, by a retry or by the service, for every point of the kill,',
    600_000,
    async (stores) => {
      const places = await stores()
      const world = await killedService(places, 'creditByHand', secretKey)
      try {
        const shop = shopOver(await world.open(places.prepared), secretKey)
        await shop.push(negotiated())
        const customer = await shop.tenant('t')
        await shop.close()
        world.prepared()
        const give = ({ service }: Stack) =>
          service.addCredit(
            't',
            { amount: 500, currency: 'usd', reason: 'Sorry' },
            { ...caller, author: null, message: null, idempotencyKey: 'give' },
          )
        let points = 1
        for (let point = 0; point <= points; point += point === 0 ? 1 : killStep) {
          const run = await world.killedAt(point)
          try {
            if (point === 0) points = run.points
            // On every second point the service finishes first what it finds in its journal.
            if (point % 2 === 0) await run.stack.service.waitingJobs.continueDue()
            const { id } = await give(run.stack)
            const { data } = await run.stack.stripe.billing.creditGrants.list({ customer })
            const { items } = await run.stack.service.tenantAudit('t', { limit: 50, offset: 0 })
            expect([point, data.map((one) => one.id)]).toEqual([point, [id]])
            expect(items.filter(({ action }) => action === 'credit_granted')).toHaveLength(1)
            expect(await run.stack.store.jobs.unfinished('credit_grant')).toEqual([])
          } finally {
            await run.close()
          }
        }
        expect(points).toBeGreaterThan(5)
      } finally {
        await world.close()
      }
    },
  )
})
