// Shows the service's own writes in the mirror before they return, so that an operator who moved a subscription sees it moved.
import type { Processor } from '../../processor/processor.ts'
import type { MirrorRef } from '../../store/mirror-store.ts'
import type { FeedDeps } from './deps.ts'
import { readAnew } from './refresh.ts'

/** Time (ms) that a write waits for its object to be read. Afterwards the feed reads it. */
const readWithinMs = 5_000

/** Returns the processor with writes that store what they changed. */
export function withOwnActs<P extends Processor>(processor: P, deps: Pick<FeedDeps, 'store' | 'clock' | 'report'>): P {
  const { store, clock, report } = deps
  /** The write has happened: a failure to show it must not fail the write. */
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
