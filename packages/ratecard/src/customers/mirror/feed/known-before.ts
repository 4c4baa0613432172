// Adds to what was read from the processor what only the mirror knows: terms of deleted coupons, and former states of items.
import type { Mirrored, MirroredKind } from '../../../processor/mirrored.ts'
import { withKnownTerms } from './deleted-coupons.ts'
import type { FeedDeps } from './deps.ts'
import { withTurns } from './item-turns.ts'

/** Returns the objects as the mirror stores them. */
export async function withKnown<K extends MirroredKind>(
  { store: { mirror }, clock }: Pick<FeedDeps, 'store' | 'clock'>,
  kind: K,
  objects: readonly Mirrored[K][],
): Promise<readonly Mirrored[K][]> {
  const known = async (object: Mirrored['subscription' | 'customer']) => {
    if (!('items' in object)) return withKnownTerms(object, await mirror.find('customer', object.id))
    const before = await mirror.find('subscription', object.id)
    return withTurns(withKnownTerms(object, before), before, clock.now())
  }
  if (kind !== 'subscription' && kind !== 'customer') return objects
  return Promise.all(objects.map(async (object) => (await known(object as Mirrored['subscription'])) as Mirrored[K]))
}
