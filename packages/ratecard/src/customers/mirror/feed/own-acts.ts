// Updates the mirror after this service's own writes, before the operation returns. So an operator who moved a subscription sees the new
// state at once.
import type { Processor } from '../../../processor/processor.ts'
import type { FeedDeps } from './deps.ts'
import { readAnew } from './refresh.ts'
import type { MirrorRef } from '../../../store/records/mirror.ts'

/** Maximum time (ms) that a write waits for its object to be read again. If that takes longer, the feed reads the object later. */
const readWithinMs = 5_000

/** Returns a processor whose writes also update the objects in the mirror. */
export function withOwnActs<P extends Processor>(processor: P, deps: Pick<FeedDeps, 'store' | 'clock' | 'report'>): P {
  const { store, clock, report } = deps
  /** A failure to update the mirror must not make the write fail, because the write has already happened. */
  const show = async (ref: MirrorRef): Promise<void> => {
    try {
      await store.mirror.markStale([{ ...ref, since: clock.now() }])
      await readAnew({ store, clock, processor }, ref.kind, ref.id, AbortSignal.timeout(readWithinMs))
    } catch (error) {
      report(error, `${ref.kind} ${ref.id} is read later`)
    }
  }
  return {
    ...processor,
    swapItems: async (subscription, swaps, options) => {
      const after = await processor.swapItems(subscription, swaps, options)
      await show({ kind: 'subscription', id: subscription })
      return after
    },
    scheduleSwaps: async (request, options) => {
      const moved = await processor.scheduleSwaps(request, options)
      await show({ kind: 'subscription', id: request.subscription })
      return moved
    },
    updateItems: async (update, options) => {
      const after = await processor.updateItems(update, options)
      await show({ kind: 'subscription', id: update.subscription })
      return after
    },
    scheduleItems: async (request, options) => {
      await processor.scheduleItems(request, options)
      await show({ kind: 'subscription', id: request.subscription })
    },
    restoreSchedule: async (request, options) => {
      await processor.restoreSchedule(request, options)
      await show({ kind: 'subscription', id: request.subscription })
    },
    releaseSchedule: async (request, options) => {
      await processor.releaseSchedule(request, options)
      await show({ kind: 'subscription', id: request.subscription })
    },
    voidInvoice: async (request, options) => {
      await processor.voidInvoice(request, options)
      await show({ kind: 'invoice', id: request.invoice })
      await show({ kind: 'subscription', id: request.subscription })
    },
    changeSettings: async (settings, options) => {
      const after = await processor.changeSettings(settings, options)
      await show({ kind: 'subscription', id: settings.subscription })
      return after
    },
    cancelSubscription: async (request, options) => {
      const after = await processor.cancelSubscription(request, options)
      await show({ kind: 'subscription', id: request.subscription })
      return after
    },
    resumeSubscription: async (subscription, options) => {
      const after = await processor.resumeSubscription(subscription, options)
      await show({ kind: 'subscription', id: subscription })
      return after
    },
    setDiscounts: async (update, options) => {
      const after = await processor.setDiscounts(update, options)
      await show({ kind: 'subscription', id: update.subscription })
      return after
    },
    createCreditGrant: async (grant, options) => {
      const id = await processor.createCreditGrant(grant, options)
      await show({ kind: 'credit_grant', id })
      return id
    },
    createCustomer: async (customer, options) => {
      const id = await processor.createCustomer(customer, options)
      await show({ kind: 'customer', id })
      return id
    },
    perform: async (step, options) => {
      const performed = await processor.perform(step, options)
      if (step.op !== 'record' && step.kind === 'price') await show({ kind: 'price', id: performed.processorId })
      return performed
    },
  }
}
