// Responses that are lost after the request was executed: no customer, checkout, swap or usage may exist twice.
import { describe, expect, it } from 'vitest'
import type Stripe from 'stripe'
import { processorId } from '../../packages/ratecard/src/catalog/resource.ts'
import type { ProcessorError } from '../../packages/ratecard/src/processor/processor-error.ts'
import type { RateBudget } from '../../packages/ratecard/src/processor/rate-budget.ts'
import type { FaultKind } from '../../packages/sandbox/src/control/faults.ts'
import { processorOf } from './suite/bench.ts'
import { at, customerBench, idOf, meteredPair, swapsTo, withCard, type CustomerBench } from './suite/customer-bench.ts'
import { noTax } from '../support/shop/no-tax.ts'

const tenant = { tenantId: 'acme', name: 'Acme Ltd', email: null }
/** Faults after which a retry with the same key gets the first result. */
const cured = ['close_after', 'cut_body', 'rate_limit', 'lock_timeout', 'conflict'] as const satisfies FaultKind[]
const unknown = { kind: 'unknown_outcome', outcomeUnknown: true } satisfies Partial<ProcessorError>

const count = async (list: Stripe.ApiListPromise<unknown>) => (await list).data.length
const customers = (bench: CustomerBench) => count(bench.stripe.customers.list({ limit: 100 }))
const schedules = (bench: CustomerBench) => count(bench.stripe.subscriptionSchedules.list({ limit: 100 }))
const sessions = (bench: CustomerBench) => count(bench.stripe.checkout.sessions.list({ limit: 100 }))

async function sold(bench: CustomerBench) {
  const [list, negotiated] = [await bench.monthly(1000), await bench.monthly(700)]
  const made = await bench.subscribed(list, { items: [{ price: list.id, quantity: 7 }] })
  const swaps = [{ from: idOf(list), to: idOf(negotiated) }]
  return { made, list, negotiated, request: { subscription: made.id, swaps } }
}

describe('the loss of the response to the creation of a customer,', () => {
  it.each(cured)('leads to a retry that leaves exactly one customer (%s)', async (kind) => {
    const bench = await customerBench()
    bench.control.fail({ kind, method: 'POST', path: '/v1/customers' })
    const before = await customers(bench)
    const id = await bench.processor.createCustomer(tenant, bench.writing())
    expect(await customers(bench)).toBe(before + 1)
    expect(await bench.processor.findCustomer('acme', bench.clock.now(), bench.signal)).toBe(id)
  })

  it('followed by a 500, leads to a lookup by the tenant id, which finds the customer if it was created', async () => {
    const bench = await customerBench()
    const { processor, signal, clock } = bench
    const since = clock.now()
    for (const kind of ['error_before', 'error_after'] as const) {
      bench.control.fail({ kind, method: 'POST', path: '/v1/customers' })
      await expect(processor.createCustomer(tenant, bench.writing())).rejects.toMatchObject(unknown)
      expect((await processor.findCustomer('acme', since, signal)) !== null).toBe(kind === 'error_after')
    }
    // The customer of the bench is on a test clock, and so in no list of customers.
    expect(await customers(bench)).toBe(1)
  })
})

describe('the loss of the response to a swap of prices,', () => {
  it.each(cured)('leads to a retry, and the swap happens exactly once (%s)', async (kind) => {
    const bench = await customerBench()
    const { made, list, negotiated } = await sold(bench)
    const swaps = swapsTo(await bench.live(made), [list, negotiated])
    bench.control.fail({ kind, method: 'POST', path: '/v1/subscriptions/*' })
    const after = await bench.processor.swapItems(made.id, swaps, bench.writing())
    expect(after.items).toMatchObject([{ quantity: 7, price: { id: negotiated.id } }])
    expect(await count(bench.stripe.invoices.list({ customer: bench.customer }))).toBe(1)
  })

  it.each(['error_before', 'error_after'] as const)(
    'followed by a 500, is resolved by reading the subscription’s prices (%s)',
    async (kind) => {
      const bench = await customerBench()
      const { made, list, negotiated } = await sold(bench)
      const swaps = swapsTo(await bench.live(made), [list, negotiated])
      bench.control.fail({ kind, method: 'POST', path: '/v1/subscriptions/*' })
      await expect(bench.processor.swapItems(made.id, swaps, bench.writing())).rejects.toMatchObject(unknown)
      const price = kind === 'error_after' ? negotiated : list
      expect((await bench.live(made)).items).toMatchObject([{ quantity: 7, price: { id: price.id } }])
    },
  )
})

async function checkoutOf(bench: CustomerBench, metadata: Record<string, string> = {}) {
  const price = idOf(await bench.monthly(1000))
  return {
    ...{ mode: 'subscription' as const, customer: processorId(bench.customer) },
    items: [{ price, quantity: 1 }],
    ...{ successUrl: 'http://127.0.0.1:9/a', cancelUrl: 'http://127.0.0.1:9/b', trialPeriodDays: null, currency: null },
    ...withCard,
    ...{ allowPromotionCodes: false, promotionCode: null, tax: noTax, metadata },
  }
}

describe('the loss of the response to the creation of a checkout session', () => {
  it.each(cured)('leads to a retry that leaves exactly one checkout page (%s)', async (kind) => {
    const bench = await customerBench()
    const wanted = await checkoutOf(bench)
    bench.control.fail({ kind, method: 'POST', path: '/v1/checkout/sessions' })
    const { sessionId } = await bench.processor.createCheckout(wanted, bench.writing('same'))
    expect((await bench.processor.createCheckout(wanted, bench.writing('same'))).sessionId).toBe(sessionId)
    expect(await sessions(bench)).toBe(1)
  })
})

describe('the loss of the response to the expiry of a checkout session', () => {
  const path = '/v1/checkout/sessions/*/expire'
  async function opened() {
    const bench = await customerBench()
    const wanted = await checkoutOf(bench, { ratecard_tenant_id: 'acme' })
    const { sessionId } = await bench.processor.createCheckout(wanted, bench.writing())
    return {
      bench,
      close: () => bench.processor.expireCheckouts({ customer: wanted.customer, tenantId: 'acme' }, bench.signal),
      status: async () => (await bench.stripe.checkout.sessions.retrieve(sessionId)).status,
    }
  }

  it.each(cured)('leads to a retry, after which the page is expired (%s)', async (kind) => {
    const { bench, close, status } = await opened()
    bench.control.fail({ kind, method: 'POST', path })
    expect(await close()).toBe(1)
    expect(await status()).toBe('expired')
  })

  it.each(['error_before', 'error_after'] as const)(
    'is an error with unknown outcome if each retry gets a 500 (%s)',
    async (kind) => {
      const { bench, close, status } = await opened()
      bench.control.fail({ kind, method: 'POST', path, count: null })
      await expect(close()).rejects.toMatchObject(unknown)
      expect(await status()).toBe(kind === 'error_after' ? 'expired' : 'open')
    },
  )
})

describe('a scheduled swap of prices whose response is lost', () => {
  const paths = ['/v1/subscription_schedules', '/v1/subscription_schedules/*']

  it.each(paths.flatMap((path) => cured.map((kind) => [kind, path] as const)))(
    'creates exactly one schedule (%s of %s)',
    async (kind, path) => {
      const bench = await customerBench()
      const { request, negotiated } = await sold(bench)
      bench.control.fail({ kind, method: 'POST', path })
      await expect(bench.processor.scheduleSwaps(request, bench.writing())).resolves.toEqual({
        effectiveAt: at('2027-02-01'),
      })
      expect(await schedules(bench)).toBe(1)
      await bench.until('2027-02-02T00:00:00')
      expect(await bench.live({ id: request.subscription })).toMatchObject({
        items: [{ quantity: 7, price: { id: negotiated.id } }],
      })
      expect(await bench.totals()).toEqual([7000, 4900])
    },
  )

  const broken = ['error_before', 'error_after'] as const
  it.each(paths.flatMap((path) => broken.map((kind) => [kind, path] as const)))(
    'is completed by the next attempt of the caller (%s of %s)',
    async (kind, path) => {
      const bench = await customerBench()
      const { request } = await sold(bench)
      bench.control.fail({ kind, method: 'POST', path })
      const first = bench.processor.scheduleSwaps(request, bench.writing('attempt-1'))
      await expect(first).rejects.toMatchObject(unknown)
      await expect(bench.processor.scheduleSwaps(request, bench.writing('attempt-2'))).resolves.toBeDefined()
      expect(await schedules(bench)).toBe(1)
      await bench.until('2027-02-02T00:00:00')
      expect(await bench.totals()).toEqual([7000, 4900])
    },
  )

  it('is completed with the same idempotency key by the next process if the process crashed between the two writes', async () => {
    const bench = await customerBench()
    const { request } = await sold(bench)
    const stop = new AbortController()
    // The budget is called before each request, so the process dies before the second write.
    const budget: RateBudget = {
      take: (operation) => {
        if (operation === 'POST /v1/subscription_schedules/:id') stop.abort()
        return stop.signal.aborted ? Promise.reject(new Error('The process died.')) : Promise.resolve()
      },
    }
    const dying = processorOf(bench, { budget }).scheduleSwaps(request, {
      idempotencyKey: 'job-1',
      signal: stop.signal,
    })
    await expect(dying).rejects.toThrow('The process died.')
    expect(await schedules(bench)).toBe(1)
    const keys = () => bench.control.requests().flatMap(({ idempotencyKey }) => idempotencyKey ?? [])
    await bench.processor.scheduleSwaps(request, bench.writing('job-1'))
    expect(keys().filter((key) => key.startsWith('job-1'))).toEqual(['job-1:make', 'job-1:change'])
    await bench.until('2027-02-02T00:00:00')
    expect(await bench.totals()).toEqual([7000, 4900])
  })
})

describe('the loss of the response to a usage report', () => {
  it.each([...cured, 'error_after'] as const)(
    'leads to exactly one counted event, even after another report with the same identifier (%s)',
    async (kind) => {
      const bench = await customerBench()
      const [dear] = await meteredPair(bench)
      await bench.stripe.subscriptions.create({ customer: bench.customer, items: [{ price: dear.id }] })
      bench.control.fail({ kind, method: 'POST', path: '/v1/billing/meter_events' })
      const payload = { stripe_customer_id: bench.customer, value: '10' }
      const event = { eventName: 'calls', payload, timestamp: null, identifier: 'one' }
      const sent = bench.processor.recordUsage(event, bench.writing('a'))
      if (kind === 'error_after') await expect(sent).rejects.toMatchObject(unknown)
      else await sent
      await bench.processor.recordUsage(event, bench.writing('b'))
      await bench.until('2027-02-02T00:00:00')
      expect(await bench.totals()).toEqual([50])
    },
  )
})

describe('reads of customer data from the processor', () => {
  it.each(['error_before', 'close_before', 'cut_body', 'rate_limit'] as const)(
    'are retried after a failure (%s)',
    async (kind) => {
      const bench = await customerBench()
      const { made } = await sold(bench)
      bench.control.fail({ kind, path: '/v1/subscriptions*', count: 3 })
      expect((await bench.live(made)).items).toHaveLength(1)
      bench.control.fail({ kind, path: '/v1/invoices/create_preview', count: 3 })
      expect(await bench.processor.upcomingInvoice(made.id, bench.signal)).toMatchObject({ total: 7000 })
    },
  )
})
