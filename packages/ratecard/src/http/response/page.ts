import type { PageQuery } from '../../service/service.ts'

/** A part of a list with its place in the whole. */
export function pageOf<Item>(
  { limit, offset }: PageQuery,
  { items, total }: { readonly items: readonly Item[]; readonly total: number },
) {
  return { items, pagination: { total, limit, offset, hasMore: offset + items.length < total } }
}
