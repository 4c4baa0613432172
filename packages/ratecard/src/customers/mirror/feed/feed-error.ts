// The last failure of the feed, stored for `doctor`, which may run on another replica.
import type { Clock } from '../../../base/clock.ts'
import type { Store } from '../../../store/store.ts'

const fact = 'mirror_error'

export interface FeedError {
  /** Epoch milliseconds. */
  readonly at: number
  readonly message: string
}

/** Returns the failure that stopped the feed; null if the last round of the feed succeeded. */
export async function readFeedError({ facts }: Pick<Store, 'facts'>): Promise<FeedError | null> {
  const text = await facts.get(fact)
  return text === null || text === '' ? null : (JSON.parse(text) as FeedError)
}

export interface FeedErrors {
  readonly store: (error: unknown) => Promise<void>
  /** Removes the stored failure, once the feed works again. */
  readonly clear: () => Promise<void>
}

export function createFeedErrors({ facts }: Pick<Store, 'facts'>, clock: Clock): FeedErrors {
  /** True if the store may contain a failure, e.g. of an earlier process. */
  let stored = true
  return {
    store: async (error) => {
      stored = true
      const message = error instanceof Error ? error.message : 'The feed failed.'
      await facts.set(fact, JSON.stringify({ at: clock.now(), message } satisfies FeedError))
    },
    clear: async () => {
      if (!stored) return
      if ((await facts.get(fact)) !== null) await facts.set(fact, '')
      stored = false
    },
  }
}
