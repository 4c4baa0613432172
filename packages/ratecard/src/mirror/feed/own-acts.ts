// Updates the mirror after the service's own writes, before they return. So an operator who moved a subscription sees it moved at once.
import type { Processor } from '../../processor/processor.ts'
import type { MirrorRef } from '../../store/mirror-store.ts'
import type { FeedDeps } from './deps.ts'
import { readAnew } from './refresh.ts'

/** Maximum time (ms) that a write waits until its object is read again. After that the feed reads the object. */
const readWithinMs = 5_000

/** Returns a processor whose writes also update the objects in the mirror. */
export function withOwnActs<P extends Processor>(processor: P, deps: Pick<FeedDeps, 'store' | 'clock' | 'report'>): P {
  const { store, clock, report } = deps
  /** The write has happened, so a failure to update the mirror must not make it fail. */
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
