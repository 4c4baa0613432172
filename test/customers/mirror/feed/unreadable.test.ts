import type Stripe from 'stripe'
import { describe, expect, it } from 'vitest'
import { createMirror } from '../../../../packages/ratecard/src/customers/mirror/mirror.ts'
import { rewritingProxy } from '../../../support/programs/rewriting-proxy.ts'
import { processorOf } from '../../../processor/suite/bench.ts'
import { feedOf, mirrorWorld } from '../mirror-world.ts'

type Invoice = Partial<Stripe.Invoice>

/** A world in which the processor's responses have other members for one of two invoices. */
async function worldWith(change: Invoice | Record<string, unknown>) {
  const world = await mirrorWorld()
  const price = await world.monthly(1500)
  const [odd, ordinary] = [await world.subscribed(price), await world.subscribed(price)]
  const oddInvoice = odd.latest_invoice as string
  const proxy = await rewritingProxy(world.port)
  const rewritten = (invoice: Invoice) => (invoice.id === oddInvoice ? { ...invoice, ...change } : invoice)
  const distort = () => {
    proxy.rewrite(({ path, body }) => {
      if (path === '/v1/invoices') {
        const list = body as Stripe.ApiList<Stripe.Invoice>
        return { ...list, data: list.data.map(rewritten) }
      }
      return path.startsWith('/v1/invoices/') ? rewritten(body as Invoice) : body
    })
  }
  distort()
  const feed = feedOf({ ...world, processor: processorOf(world, { apiBase: proxy.url }) })
  const mirror = createMirror({ store: world.store.mirror, clock: world.clock })
  const asOf = async () => (await mirror.status()).asOf
  const restore = () => {
    proxy.rewrite(({ body }) => body)
  }
  return { ...world, ...feed, oddInvoice, ordinaryInvoice: ordinary.latest_invoice as string, asOf, restore }
}

describe('an object that cannot be read from the processor', () => {
  it('is skipped and read again later, and the mirror continues and counts as up to date', async () => {
    const world = await worldWith({ status: 'unheard_of' })
    const { mirror } = world.store
    await world.fill()
    await world.settle()
    await mirror.setState({ beganAt: world.clock.now() })
    expect(await mirror.find('invoice', world.ordinaryInvoice)).not.toBeNull()
    expect(await mirror.find('invoice', world.oddInvoice)).toBeNull()
    const skipped = await mirror.skipped(10)
    expect(skipped).toMatchObject({ total: 1, items: [{ kind: 'invoice', id: world.oddInvoice }] })
    expect(skipped.items[0]?.error).toContain('status')
    world.clock.advance(60_000)
    await world.settle()
    expect(await world.asOf()).toBe(world.clock.now())
    // A comparison finds it again, which is no correction.
    expect(await world.compared()).toBe(0)
    expect(await world.asOf()).toBe(world.clock.now())
    world.restore()
    world.clock.advance(10 * 60_000)
    await world.settle()
    expect(await mirror.find('invoice', world.oddInvoice)).toMatchObject({ id: world.oddInvoice })
    expect(await mirror.skipped(10)).toEqual({ items: [], total: 0 })
  })

  it('makes the mirror’s age count from the first failure for at most nine attempts, if no other object fails', async () => {
    const world = await worldWith({})
    const { mirror } = world.store
    await world.fill()
    await world.settle()
    await mirror.setState({ beganAt: world.clock.now() })
    world.control.fail({ kind: 'error_before', method: 'GET', path: `/v1/invoices/${world.oddInvoice}`, count: null })
    const since = world.clock.now()
    await mirror.markStale([{ kind: 'invoice', id: world.oddInvoice, since }])
    for (let attempt = 1; attempt <= 9; attempt++) {
      expect(await world.asOf()).toBe(since)
      // Longer than the pause before the next attempt.
      world.clock.advance(5 * 60_000)
      await world.settle()
    }
    expect(await world.asOf()).toBe(world.clock.now())
    expect(await mirror.skipped(10)).toMatchObject({ total: 1, items: [{ attempts: 9 }] })
  })
})

describe('an invoice without a customer', () => {
  it('is stored in the mirror, and belongs to no tenant', async () => {
    const world = await worldWith({ customer: null })
    await world.fill()
    await world.settle()
    expect(await world.store.mirror.find('invoice', world.oddInvoice)).toMatchObject({ customer: null, total: 1500 })
    expect(world.reports).toEqual([])
  })
})
