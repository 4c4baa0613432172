// Keeps the terms of coupons that the processor deleted. Discounts with a deleted coupon stay in force, but the processor no longer returns
// their terms. The mirror still has the terms from an earlier read.
import type { Mirrored, MirroredDiscount, MirroredKind } from '../../../processor/mirrored.ts'
import type { MirrorStore } from '../../../store/mirror-store.ts'

/** Returns the objects with complete coupon terms: terms that the processor no longer returns are taken from the mirror. */
export async function withKnownTerms<K extends MirroredKind>(
  mirror: Pick<MirrorStore, 'find'>,
  kind: K,
  objects: readonly Mirrored[K][],
): Promise<readonly Mirrored[K][]> {
  if (kind !== 'subscription' && kind !== 'customer') return objects
  return Promise.all(
    objects.map(async (object) => {
      const discounted = object as Discounted
      if (discountsOf(discounted).every(({ duration }) => duration !== null)) return object
      const before = (await mirror.find(kind, object.id)) as Discounted | null
      return before === null ? object : (completed(discounted, before) as Mirrored[K])
    }),
  )
}

type Discounted = Mirrored['subscription' | 'customer']

function discountsOf(object: Discounted): readonly MirroredDiscount[] {
  if ('items' in object) return [...object.discounts, ...object.items.flatMap((item) => item.discounts)]
  return object.discount === null ? [] : [object.discount]
}

function completed(object: Discounted, before: Discounted): Discounted {
  const known = new Map(
    discountsOf(before)
      .filter(({ duration }) => duration !== null)
      .map(({ coupon, duration, percentOff, amountOff, products }) => [
        coupon,
        { duration, percentOff, amountOff, products },
      ]),
  )
  const complete = (discount: MirroredDiscount): MirroredDiscount =>
    discount.duration === null ? { ...discount, ...known.get(discount.coupon) } : discount
  if ('items' in object)
    return {
      ...object,
      discounts: object.discounts.map(complete),
      items: object.items.map((item) => ({ ...item, discounts: item.discounts.map(complete) })),
    }
  return { ...object, discount: object.discount === null ? null : complete(object.discount) }
}
