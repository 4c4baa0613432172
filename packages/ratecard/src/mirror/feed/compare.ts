// The full comparison: lists all objects again, and reads stored objects that no list contains any more. Differences that no event
// announced are counted as corrections. It runs page by page, so that the feed polls events and reads stale objects in between, and its
// position is stored after each page, so that an interrupted comparison continues there.
import { mirroredKinds } from '../../processor/mirrored.ts'
import type { ComparisonPlace } from '../../store/mirror-store.ts'
import type { FeedDeps } from './deps.ts'
import { kindAfter, savePage } from './fill.ts'
import { poll } from './poll.ts'
import type { SeenEvents } from './poll.ts'

/** Hour (UTC) after which the comparison of a day is due. */
const nightHour = 3
const dayMs = 24 * 60 * 60_000
const pageSize = 500

/** True from 03:00 UTC on each day until the comparison of that day is done. */
export function comparisonDue(now: number, comparedAt: number | null): boolean {
  const today = Math.floor(now / dayMs) * dayMs + nightHour * 60 * 60_000
  return (comparedAt ?? 0) < (now >= today ? today : today - dayMs)
}

/** Begins a comparison of all objects. Its pages are listed by {@link compareNext}. */
export async function beginComparison({ store }: Pick<FeedDeps, 'store'>): Promise<void> {
  await store.mirror.beginComparison(await firstPlace(store, false))
}

/**
 * Begins to list all objects again, because the processor deleted events before they were read. Takes a new event cursor first. Until all
 * objects are listed, the copy stays as old as it is.
 */
export async function beginRelisting({ store, processor }: FeedDeps, signal: AbortSignal): Promise<void> {
  const { last } = await processor.events({ after: null, types: [] }, signal)
  await store.mirror.beginComparison(await firstPlace(store, true), last ?? '')
}

async function firstPlace({ mirror }: FeedDeps['store'], relisting: boolean): Promise<ComparisonPlace> {
  return { kind: mirroredKinds[0], after: null, number: await mirror.beginRead(), relisting }
}

/**
 * Lists and stores the next page of the running comparison. After the last page of a kind, marks the stored objects of the kind as stale
 * that no list contained. After the last kind, returns the number of differences that no event announced, and adds it to the corrections;
 * null before.
 */
export async function compareNext(
  deps: FeedDeps,
  place: ComparisonPlace,
  seen: SeenEvents,
  signal: AbortSignal,
): Promise<number | null> {
  const { mirror } = deps.store
  const { unannounced, next } = await savePage(deps, place.kind, place.after, signal)
  // After a relisting many objects differ because their events are lost, not because the feed missed them.
  if (!place.relisting) await mirror.addDifferences(unannounced)
  if (next === null) await markUnlisted(deps, place)
  const kind = next === null ? kindAfter(place.kind) : place.kind
  if (kind !== null) {
    await mirror.setState({ comparing: { ...place, kind, after: next } })
    return null
  }
  // Events announce the changes that were made during the comparison, so these are no corrections.
  if (!place.relisting) await poll(deps, seen, signal)
  const corrections = await mirror.endComparison(deps.clock.now())
  // The poll makes the copy current again, which it could not do during the relisting.
  if (place.relisting) await poll(deps, seen, signal)
  return corrections
}

async function markUnlisted({ store, clock }: FeedDeps, { kind, number, relisting }: ComparisonPlace): Promise<void> {
  const { mirror } = store
  const since = (relisting ? (await mirror.state())?.readUntil : null) ?? clock.now()
  for (let after: string | null = null; ;) {
    const { refs, last }: Awaited<ReturnType<typeof mirror.unlisted>> = await mirror.unlisted(kind, number, {
      after,
      limit: pageSize,
    })
    if (refs.length > 0) await mirror.markStale(refs.map((ref) => ({ ...ref, since })))
    if (!relisting) await mirror.addDifferences(refs)
    if (last === null) return
    after = last
  }
}
