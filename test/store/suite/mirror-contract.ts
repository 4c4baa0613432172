// Tests of the mirror's tables. They run on every engine.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { processorId } from '../../../packages/ratecard/src/catalog/resource.ts'
import type { Store } from '../../../packages/ratecard/src/store/store.ts'
import type { MakePlace } from '../../support/stores/store.ts'
import {
  newInvoice,
  newPurchase,
  newItem,
  newMirroredCustomer,
  newMirroredPrice,
  newRefund,
  newSubscription,
} from './mirror-records.ts'
import { namesOf } from './subscribers-contract.ts'
import { addTenant } from './tenants-contract.ts'
import type { MirrorState } from '../../../packages/ratecard/src/store/records/mirror.ts'

const page = { limit: 10, offset: 0 }
const customer = processorId('cus_1')
const prices = (...ids: readonly string[]) => ids.map((id) => processorId(id))
const ids = (objects: readonly { readonly id: string }[]) => objects.map(({ id }) => id)

const firstState: MirrorState = {
  account: 'acct_1',
  filling: { kind: 'price', after: null, objects: 0 },
  eventCursor: 'evt_1',
  readUntil: null,
  beganAt: null,
  comparedAt: null,
  comparing: null,
  corrections: 0,
}

/** Saves the result of a read that overlapped with no other read. */
async function saveNow(store: Store, ...subscriptions: Parameters<typeof store.mirror.save<'subscription'>>[1]) {
  return store.mirror.save('subscription', subscriptions, await store.mirror.beginRead())
}

export function mirrorContract(engine: string, makePlace: MakePlace): void {
  const open = async () => (await makePlace()).open()

  describe(`the state of the mirror on ${engine}`, () => {
    test('is absent at first, can be changed member by member, and contains the position of an unfinished fill', async () => {
      const place = await makePlace()
      const store = await place.open()
      expect(await store.mirror.state()).toBeNull()
      await expect(store.mirror.setState({ corrections: 1 })).rejects.toThrow('must have all members')
      await store.mirror.setState(firstState)
      expect(await store.mirror.state()).toEqual(firstState)
      await store.mirror.setState({ filling: { kind: 'invoice', after: 'in_9', objects: 900 } })
      expect(await store.mirror.state()).toEqual({
        ...firstState,
        filling: { kind: 'invoice', after: 'in_9', objects: 900 },
      })
      await store.mirror.setState({ filling: null, beganAt: 5, comparedAt: 6, corrections: 7 })
      expect(await store.mirror.state()).toEqual({
        ...firstState,
        filling: null,
        beganAt: 5,
        comparedAt: 6,
        corrections: 7,
      })
    })

    test('is deleted together with all objects, and the numbers of earlier reads are not used again', async () => {
      const store = await open()
      await store.mirror.setState(firstState)
      await saveNow(store, newSubscription('sub_1'))
      await store.mirror.markStale([{ kind: 'invoice', id: 'in_1', since: 1 }])
      const before = await store.mirror.beginRead()
      await store.mirror.clear()
      expect(await store.mirror.state()).toBeNull()
      expect(await store.mirror.find('subscription', 'sub_1')).toBeNull()
      expect(await store.mirror.stale(10)).toEqual([])
      expect(await store.mirror.unsummed(10)).toEqual([])
      expect(await store.mirror.usesOf(prices('price_1'))).toEqual([])
      expect(await store.mirror.beginRead()).toBeGreaterThan(before)
    })
  })

  describe(`reads and saves of the mirror on ${engine}:`, () => {
    test('an object is returned as it was saved, and a save of equal content changes nothing', async () => {
      const store = await open()
      const subscription = newSubscription('sub_1', { ends: ['é "\\'] })
      expect(await saveNow(store, subscription)).toEqual({
        overlapped: [],
        unannounced: [{ kind: 'subscription', id: 'sub_1' }],
      })
      expect(await store.mirror.find('subscription', 'sub_1')).toEqual(subscription)
      expect(await store.mirror.find('invoice', 'sub_1')).toBeNull()
      expect(await saveNow(store, subscription)).toEqual({ overlapped: [], unannounced: [] })
      const changed = newSubscription('sub_1', { status: 'past_due' })
      expect((await saveNow(store, changed)).unannounced).toHaveLength(1)
      expect(await store.mirror.find('subscription', 'sub_1')).toEqual(changed)
    })

    test('if two overlapping reads differ, the result that is saved first is kept, and the object is stale until it is read again', async () => {
      const store = await open()
      const [first, second] = [await store.mirror.beginRead(), await store.mirror.beginRead()]
      await store.mirror.save('subscription', [newSubscription('sub_1')], second)
      const late = await store.mirror.save('subscription', [newSubscription('sub_1', { status: 'paused' })], first)
      expect(late).toEqual({ overlapped: [{ kind: 'subscription', id: 'sub_1' }], unannounced: [] })
      expect(await store.mirror.find('subscription', 'sub_1')).toMatchObject({ status: 'active' })
      expect(await store.mirror.stale(10)).toMatchObject([{ kind: 'subscription', id: 'sub_1' }])
      await saveNow(store, newSubscription('sub_1', { status: 'unpaid' }))
      expect(await store.mirror.find('subscription', 'sub_1')).toMatchObject({ status: 'unpaid' })
      expect(await store.mirror.stale(10)).toEqual([])
    })

    test('two overlapping reads with equal content are both accepted', async () => {
      const store = await open()
      const [first, second, third] = [
        await store.mirror.beginRead(),
        await store.mirror.beginRead(),
        await store.mirror.beginRead(),
      ]
      await store.mirror.save('subscription', [newSubscription('sub_1')], second)
      const agreed = await store.mirror.save('subscription', [newSubscription('sub_1')], first)
      expect(agreed).toEqual({ overlapped: [], unannounced: [] })
      expect(await store.mirror.stale(10)).toEqual([])
      const other = await store.mirror.save('subscription', [newSubscription('sub_1', { status: 'paused' })], third)
      expect(other.overlapped).toHaveLength(1)
    })

    test('a deleted object is not restored by a read that began before the deletion', async () => {
      const store = await open()
      await store.mirror.save('invoice', [newInvoice('in_1')], await store.mirror.beginRead())
      const early = await store.mirror.beginRead()
      expect(
        (await store.mirror.remove('invoice', ['in_1', 'in_2'], await store.mirror.beginRead())).unannounced,
      ).toEqual([{ kind: 'invoice', id: 'in_1' }])
      expect(await store.mirror.find('invoice', 'in_1')).toBeNull()
      expect(
        (await store.mirror.save('invoice', [newInvoice('in_1'), newInvoice('in_2')], early)).overlapped,
      ).toHaveLength(2)
      expect(await store.mirror.page('invoice', null, 10)).toEqual([])
      expect((await store.mirror.billedTo(customer, page)).total).toBe(0)
    })

    test('a page that contains one object twice can be saved', async () => {
      const store = await open()
      await saveNow(store, newSubscription('sub_1'), newSubscription('sub_2'), newSubscription('sub_1'))
      expect(ids(await store.mirror.page('subscription', null, 10))).toEqual(['sub_1', 'sub_2'])
    })

    test('a list of more objects than fit into one statement is read in pages by id', async () => {
      const store = await open()
      const many = Array.from({ length: 2_300 }, (_, index) => newMirroredCustomer(`cus_${String(10_000 + index)}`))
      await store.mirror.save('customer', many, await store.mirror.beginRead())
      const found: string[] = []
      for (let after: string | null = null; ;) {
        const next: readonly { readonly id: string }[] = await store.mirror.page('customer', after, 1000)
        found.push(...ids(next))
        after = next.at(-1)?.id ?? null
        if (after === null) break
      }
      expect(found).toEqual(ids(many))
    })

    test.each([['an older state never replaces a newer one', 60]])(
      '%s, whatever the order in which two replicas read and save',
      async (_, runs) => {
        const place = await makePlace()
        const first = await place.open()
        const stores = [first, await place.open()]
        let round = 0
        const act = fc.oneof(
          { weight: 2, arbitrary: fc.record({ act: fc.constant('change' as const) }) },
          { weight: 3, arbitrary: fc.record({ act: fc.constant('begin' as const), store: fc.nat(1) }) },
          { weight: 2, arbitrary: fc.record({ act: fc.constant('answer' as const), read: fc.nat(9) }) },
          { weight: 3, arbitrary: fc.record({ act: fc.constant('save' as const), read: fc.nat(9) }) },
          { weight: 1, arbitrary: fc.record({ act: fc.constant('mark' as const), store: fc.nat(1) }) },
        )
        await fc.assert(
          fc.asyncProperty(fc.array(act, { maxLength: 30 }), async (acts) => {
            const id = `sub_${String((round += 1))}`
            // The processor's state is a growing number. A read returns its value at some time between the start and the end of the read.
            let truth = 0
            let shown = -1
            const reads: { begun: number; value: number | null; store: number }[] = []
            const storeAt = (index: number) => stores[index] ?? first
            for (const step of acts) {
              if (step.act === 'change') truth += 1
              if (step.act === 'mark')
                await storeAt(step.store).mirror.markStale([{ kind: 'subscription', id, since: truth }])
              if (step.act === 'begin')
                reads.push({ begun: await storeAt(step.store).mirror.beginRead(), value: null, store: step.store })
              const read = 'read' in step ? reads[step.read % Math.max(reads.length, 1)] : undefined
              if (read === undefined) continue
              read.value ??= truth
              if (step.act !== 'save') continue
              reads.splice(reads.indexOf(read), 1)
              await storeAt(read.store).mirror.save(
                'subscription',
                [newSubscription(id, { createdAt: read.value })],
                read.begun,
              )
              const now = (await first.mirror.find('subscription', id))?.createdAt ?? -1
              expect(now).toBeGreaterThanOrEqual(shown)
              shown = now
            }
            // Once every stale object has been read, the mirror equals the processor, if the object was marked stale after its last change.
            await first.mirror.markStale([{ kind: 'subscription', id, since: truth }])
            const begun = await first.mirror.beginRead()
            await first.mirror.save('subscription', [newSubscription(id, { createdAt: truth })], begun)
            expect(await first.mirror.find('subscription', id)).toMatchObject({ createdAt: truth })
            expect((await first.mirror.stale(1000)).filter((mark) => mark.id === id)).toEqual([])
          }),
          { numRuns: runs },
        )
      },
    )

    test('two concurrent saves of an object leave the complete content of one of them', async () => {
      const place = await makePlace()
      const first = await place.open()
      const second = place.file === ':memory:' ? first : await place.open()
      for (let round = 0; round < 10; round++) {
        const id = `sub_${String(round)}`
        const begun = [await first.mirror.beginRead(), await second.mirror.beginRead()]
        const saved = await Promise.all(
          [first, second].map((store, index) =>
            store.mirror.save(
              'subscription',
              [newSubscription(id, { items: [newItem(`si_${id}_${String(index)}`, `price_${String(index)}`)] })],
              begun[index] ?? 0,
            ),
          ),
        )
        expect(saved.flatMap(({ overlapped }) => overlapped)).toEqual([{ kind: 'subscription', id }])
        const kept = await first.mirror.find('subscription', id)
        const uses = await first.mirror.usesOf(prices('price_0', 'price_1'))
        expect(uses.filter(({ subscription }) => subscription === id).map(({ price }) => price)).toEqual(
          kept?.items.map(({ price }) => price.id),
        )
      }
    })
  })

  describe(`marks for stale objects on ${engine}`, () => {
    test('are listed oldest first, once per object, and saved in one transaction with the event cursor', async () => {
      const store = await open()
      await store.mirror.setState(firstState)
      await store.mirror.markStale(
        [
          { kind: 'invoice', id: 'in_1', since: 30 },
          { kind: 'subscription', id: 'sub_1', since: 20 },
          { kind: 'invoice', id: 'in_1', since: 25 },
        ],
        { event: 'evt_9', readUntil: 40 },
      )
      await store.mirror.markStale([{ kind: 'invoice', id: 'in_1', since: 50 }])
      expect((await store.mirror.stale(10)).map(({ kind, id, since }) => ({ kind, id, since }))).toEqual([
        { kind: 'subscription', id: 'sub_1', since: 20 },
        { kind: 'invoice', id: 'in_1', since: 25 },
      ])
      expect(await store.mirror.oldestStale()).toMatchObject({ id: 'sub_1', since: 20 })
      expect(await store.mirror.staleCount()).toBe(2)
      expect(await store.mirror.stale(1)).toHaveLength(1)
      expect(await store.mirror.state()).toMatchObject({ eventCursor: 'evt_9', readUntil: 40 })
    })

    test('are skipped with the reason of a failed read until that object can be read', async () => {
      const store = await open()
      const ref = { kind: 'subscription', id: 'sub_1' } as const
      await store.mirror.markStale([
        { ...ref, since: 20 },
        { kind: 'invoice', id: 'in_1', since: 30 },
      ])
      const failed = { attempts: 1, retryAt: 100, skipped: false, error: 'no price' }
      await store.mirror.failRead(ref, failed)
      expect(ids(await store.mirror.stale(10, 99))).toEqual(['in_1'])
      expect(ids(await store.mirror.stale(10, 100))).toEqual(['sub_1', 'in_1'])
      expect(await store.mirror.oldestStale()).toMatchObject({ id: 'sub_1', attempts: 1, error: 'no price' })
      expect(await store.mirror.skipped(10)).toEqual({ items: [], total: 0 })
      await store.mirror.failRead(ref, { ...failed, attempts: 2, skipped: true })
      // Another event does not end the skipping.
      await store.mirror.markStale([{ ...ref, since: 40 }])
      expect(await store.mirror.oldestStale()).toMatchObject({ id: 'in_1' })
      expect(await store.mirror.skipped(10)).toMatchObject({ items: [{ ...ref, attempts: 2 }], total: 1 })
      await saveNow(store, newSubscription('sub_1'))
      expect(await store.mirror.skipped(10)).toEqual({ items: [], total: 0 })
      await store.mirror.failRead(ref, failed)
      expect(ids(await store.mirror.stale(10))).toEqual(['in_1'])
    })

    test('are not saved if the event cursor cannot be moved', async () => {
      const store = await open()
      const marks = [{ kind: 'invoice', id: 'in_1', since: 1 }] as const
      await expect(store.mirror.markStale(marks, { event: 'evt_9', readUntil: 40 })).rejects.toThrow()
      expect(await store.mirror.stale(10)).toEqual([])
      expect(await store.mirror.oldestStale()).toBeNull()
    })

    test('are kept if they were set during a read whose result is saved later', async () => {
      const store = await open()
      await store.mirror.markStale([{ kind: 'subscription', id: 'sub_1', since: 1 }])
      const begun = await store.mirror.beginRead()
      await store.mirror.markStale([{ kind: 'subscription', id: 'sub_1', since: 2 }])
      await store.mirror.save('subscription', [newSubscription('sub_1')], begun)
      expect(await store.mirror.staleCount()).toBe(1)
      await saveNow(store, newSubscription('sub_1'))
      expect(await store.mirror.staleCount()).toBe(0)
    })
  })

  describe(`lists of the mirror on ${engine}:`, () => {
    test('subscriptions of a customer are listed oldest first, including ended ones', async () => {
      const store = await open()
      await saveNow(
        store,
        newSubscription('sub_b', { createdAt: 2 }),
        newSubscription('sub_a', { createdAt: 3, status: 'canceled' }),
        newSubscription('sub_c', { createdAt: 1, customer: processorId('cus_2') }),
      )
      expect(ids(await store.mirror.subscriptionsOf(customer))).toEqual(['sub_b', 'sub_a'])
      expect(await store.mirror.countByStatus()).toEqual({ active: 2, canceled: 1 })
    })

    test('invoices and purchases of a customer are listed newest first, without drafts and purchases that have an invoice', async () => {
      const store = await open()
      const begun = await store.mirror.beginRead()
      await store.mirror.save(
        'invoice',
        [
          newInvoice('in_1', { finalizedAt: 10 }),
          newInvoice('in_2', { finalizedAt: 30 }),
          newInvoice('in_3', { finalizedAt: 20, status: 'open' }),
          newInvoice('in_draft', { finalizedAt: null, status: 'draft' }),
          newInvoice('in_other', { customer: processorId('cus_2') }),
        ],
        begun,
      )
      await store.mirror.save(
        'purchase',
        [newPurchase('cs_1', { paidAt: 25 }), newPurchase('cs_2', { paidAt: 26, invoice: 'in_2' })],
        begun,
      )
      const { items, total } = await store.mirror.billedTo(customer, page)
      expect(total).toBe(4)
      expect(items.map(({ kind, object }) => [kind, object.id])).toEqual([
        ['invoice', 'in_2'],
        ['purchase', 'cs_1'],
        ['invoice', 'in_3'],
        ['invoice', 'in_1'],
      ])
      const { items: second } = await store.mirror.billedTo(customer, { limit: 1, offset: 1 })
      expect(second.map(({ object }) => object.id)).toEqual(['cs_1'])
      expect(ids(await store.mirror.unpaidInvoicesOf(customer))).toEqual(['in_3'])
      const dated = await store.mirror.happened('purchase', { from: 0, to: 100 }, { after: null, limit: 10 })
      expect(dated.map(({ at, object }) => [at, object.id])).toEqual([[25, 'cs_1']])
    })

    test('refunds are added up for each payment, without those that failed, and find the customer who paid', async () => {
      const store = await open()
      const begun = await store.mirror.beginRead()
      const invoice = newInvoice('in_1', { payments: ['pi_1', 'ch_1'] })
      await store.mirror.save('invoice', [invoice], begun)
      await store.mirror.save('purchase', [newPurchase('cs_1', { payment: 'pi_9' })], begun)
      const refunds = [
        newRefund('re_1', { payments: ['ch_1', 'pi_1'], amount: 30 }),
        newRefund('re_2', { payments: ['pi_1'], amount: 5, status: 'pending', customer: null }),
        newRefund('re_3', { payments: ['pi_1'], amount: 500, status: 'failed' }),
        newRefund('re_4', { payments: ['pi_9', 'ch_9'], amount: 7, customer: null }),
        newRefund('re_5', { payments: ['pi_unknown'], customer: null }),
      ]
      await store.mirror.save('refund', refunds, begun)
      const paid = [invoice, { id: 'in_2', payments: [] }, { id: 'cs_1', payments: ['pi_9'] }]
      expect(await store.mirror.refundedOf(paid)).toEqual(
        new Map([
          ['in_1', 35],
          ['cs_1', 7],
        ]),
      )
      const customers = await store.revenue.refundedCustomers(refunds)
      expect([...customers].sort()).toEqual(['re_1', 're_2', 're_3', 're_4'].map((id) => [id, 'cus_1']))
      await store.mirror.save('refund', [newRefund('re_1', { status: 'canceled' })], await store.mirror.beginRead())
      expect(await store.mirror.refundedOf([invoice])).toEqual(new Map([['in_1', 5]]))
    })

    test('the invoices of a period are listed in pages, oldest first, even if timestamps are equal', async () => {
      const store = await open()
      const invoices = ['a', 'b', 'c', 'd', 'e'].map((id, index) =>
        newInvoice(id, { finalizedAt: index < 3 ? 10 : 10 + index }),
      )
      await store.mirror.save(
        'invoice',
        [...invoices, newInvoice('x', { finalizedAt: null })],
        await store.mirror.beginRead(),
      )
      const found: string[] = []
      for (let after: { at: number; id: string } | null = null; ;) {
        const next: readonly { at: number; object: { id: string } }[] = await store.mirror.happened(
          'invoice',
          { from: 10, to: 14 },
          { after, limit: 2 },
        )
        const last = next.at(-1)
        if (last === undefined) break
        found.push(...next.map(({ object }) => object.id))
        after = { at: last.at, id: last.object.id }
      }
      expect(found).toEqual(['a', 'b', 'c', 'd'])
    })

    test('subscribers of prices are listed by tenant, subscribers without a tenant last, and ended subscriptions are left out', async () => {
      const store = await open()
      await addTenant(store, { id: 'b', processorCustomerId: 'cus_1' })
      await addTenant(store, { id: 'a', processorCustomerId: 'cus_2' })
      const of = (name: string) => ({ customer: processorId(name) })
      await saveNow(
        store,
        newSubscription('sub_1', {
          items: [newItem('si_1', 'price_1'), newItem('si_2', 'price_2', { quantity: null })],
        }),
        newSubscription('sub_2', { ...of('cus_2'), paused: { behavior: 'void', resumesAt: null } }),
        newSubscription('sub_3', of('cus_0')),
        newSubscription('sub_4', { ...of('cus_2'), status: 'canceled' }),
        newSubscription('sub_5', { ...of('cus_2'), items: [newItem('si_5', 'price_3')] }),
      )
      const of12 = { prices: prices('price_1', 'price_2'), freePrice: null }
      const { items, total } = await store.mirror.subscribers(of12, page)
      expect(total).toBe(4)
      expect(items.map(namesOf)).toEqual([
        ['a', 'sub_2', 'si_sub_2'],
        ['b', 'sub_1', 'si_1'],
        ['b', 'sub_1', 'si_2'],
        [null, 'sub_3', 'si_sub_3'],
      ])
      expect(
        (await store.mirror.subscribers({ ...of12, prices: prices('price_1') }, { limit: 1, offset: 2 })).items,
      ).toMatchObject([{ tenant: null }])
      const uses = await store.mirror.usesOf(prices('price_1', 'price_2'))
      expect(uses).toHaveLength(4)
      expect(uses).toContainEqual({
        item: 'si_sub_2',
        price: 'price_1',
        subscription: 'sub_2',
        customer: 'cus_2',
        tenantId: 'a',
        status: 'active',
        paused: true,
        currency: 'usd',
        quantity: 1,
      })
      await saveNow(store, newSubscription('sub_1', { status: 'canceled' }))
      expect((await store.mirror.subscribers(of12, page)).total).toBe(2)
    })
  })

  describe(`the stored sums of customers (e.g. the revenue) on ${engine}`, () => {
    const sums = { billingStatus: 'active', monthly: { usd: '833.333' }, owed: { usd: 100 }, writtenOff: {} }

    test('are marked for recomputation by a change of a customer’s object, until a computation ends without a further change', async () => {
      const store = await open()
      await saveNow(store, newSubscription('sub_1'))
      const [due] = await store.mirror.unsummed(10)
      expect(due).toMatchObject({ customer: 'cus_1' })
      await saveNow(store, newSubscription('sub_1', { status: 'past_due' }))
      await store.mirror.saveStandings([{ customer, ...sums, marked: due?.marked ?? 0 }])
      expect(await store.mirror.standing(customer)).toEqual({ customer, ...sums })
      const [again] = await store.mirror.unsummed(10)
      expect(again).toMatchObject({ customer: 'cus_1' })
      await store.mirror.saveStandings([{ customer, ...sums, owed: {}, marked: again?.marked ?? 0 }])
      expect(await store.mirror.unsummed(10)).toEqual([])
      expect(await store.mirror.standings(null, 10)).toEqual([{ customer, ...sums, owed: {} }])
      expect(await store.mirror.standings(customer, 10)).toEqual([])
      expect(await store.mirror.standing(processorId('cus_2'))).toBeNull()
    })

    test('are marked for recomputation for both customers of a moved invoice, and for the subscribers of a changed price', async () => {
      const store = await open()
      const due = async () => (await store.mirror.unsummed(10)).map(({ customer: of }) => of).sort()
      const settle = async () => {
        const rows = await store.mirror.unsummed(10)
        await store.mirror.saveStandings(rows.map((row) => ({ ...row, ...sums })))
      }
      await store.mirror.save('invoice', [newInvoice('in_1')], await store.mirror.beginRead())
      await settle()
      await store.mirror.save(
        'invoice',
        [newInvoice('in_1', { customer: processorId('cus_2') })],
        await store.mirror.beginRead(),
      )
      expect(await due()).toEqual(['cus_1', 'cus_2'])
      await saveNow(store, newSubscription('sub_1', { customer: processorId('cus_3') }))
      await settle()
      await store.mirror.save('price', [newMirroredPrice('price_1')], await store.mirror.beginRead())
      expect(await due()).toEqual(['cus_3'])
    })
  })
}
