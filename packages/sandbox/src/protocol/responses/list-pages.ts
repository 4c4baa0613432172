import { nouns, type Bodies, type Kind } from '../../objects/bodies.ts'
import { noSuchReference, badRequest } from './errors.ts'
import { integer, text, type Range, type Read } from '../parameters/params.ts'
import type { Condition } from '../../store/conditions.ts'
import type { State } from '../../store/state.ts'

/** Parameters that all lists share. */
export const pageFields = { ending_before: text(), limit: integer(), starting_after: text() }
export type PageParams = Read<typeof pageFields>

export interface ListPage<K extends Kind> {
  readonly data: readonly Bodies[K][]
  readonly hasMore: boolean
}

/**
 * Reads one page of a list, newest first. A limit outside 1–100 becomes 1 or 100. A cursor is a position in the list: its object need not
 * match the filter and may be deleted.
 */
export function readPage<K extends Kind>(
  state: State,
  account: string,
  kind: K,
  conditions: readonly Condition[],
  params: PageParams,
): ListPage<K> {
  const limit = Math.min(100, Math.max(1, params.limit ?? 10))
  const below = positionOf(state, account, kind, 'starting_after', params.starting_after)
  const above = positionOf(state, account, kind, 'ending_before', params.ending_before)
  if (below !== undefined && above !== undefined) {
    throw badRequest('Received both starting_after and ending_before parameters. Please pass in only one.')
  }
  const options = {
    limit: limit + 1,
    // `ending_before` selects the page just before the cursor. It is read in ascending order, then reversed.
    ascending: above !== undefined,
    ...(below === undefined ? {} : { below }),
    ...(above === undefined ? {} : { above }),
  }
  const found = state.select(account, kind, conditions, options)
  const data = found.slice(0, limit)
  return { data: above === undefined ? data : data.reverse(), hasMore: found.length > limit }
}

function positionOf(
  state: State,
  account: string,
  kind: Kind,
  param: string,
  id: string | undefined,
): number | undefined {
  if (id === undefined) return undefined
  const place = state.positionOf(account, kind, id)
  if (place === undefined) throw noSuchReference(nouns[kind].noun, id, param)
  return place
}

/** Returns one page of a list that is stored within an object, in the order of that list. */
export function pageWithin<T extends { readonly id: string }>(
  all: readonly T[],
  params: PageParams,
  noun: string,
): {
  readonly data: readonly T[]
  readonly hasMore: boolean
} {
  const limit = Math.min(100, Math.max(1, params.limit ?? 10))
  const placeIn = (param: string, id: string | undefined): number | undefined => {
    if (id === undefined) return undefined
    const place = all.findIndex((one) => one.id === id)
    if (place < 0) throw noSuchReference(noun, id, param)
    return place
  }
  const after = placeIn('starting_after', params.starting_after)
  const before = placeIn('ending_before', params.ending_before)
  if (after !== undefined && before !== undefined) {
    throw badRequest('Received both starting_after and ending_before parameters. Please pass in only one.')
  }
  if (before === undefined) {
    const from = after === undefined ? 0 : after + 1
    return { data: all.slice(from, from + limit), hasMore: all.length > from + limit }
  }
  return { data: all.slice(Math.max(0, before - limit), before), hasMore: before > limit }
}

/** Returns the conditions of the `created` filter. */
export function createdIn(range: Range | undefined): Condition[] {
  if (range === undefined) return []
  const bounds = [
    ['>', range.gt],
    ['>=', range.gte],
    ['<', range.lt],
    ['<=', range.lte],
  ] as const
  return bounds.flatMap(([op, value]) => (value === undefined ? [] : [{ field: 'created', op, value }]))
}

/** Returns the condition that the field has this value. If the filter is absent, returns no condition. */
export function where(field: string, is: string | boolean | undefined): Condition[] {
  return is === undefined ? [] : [{ field, is }]
}
