// The full comparison lists all objects at the processor again, and reads those stored objects again that are in no list. Differences that
// no event announced are counted as corrections. The comparison runs page by page: in between, the feed polls events and reads stale
// objects. Its position is stored after each page, so that it continues there after an interruption.
import { mirroredKinds } from '../../../processor/mirrored.ts'
import type { FeedDeps } from './deps.ts'
import { kindAfter, savePage } from './fill.ts'
import { pollEvents, type SeenEvents } from './poll.ts'
import type { ComparisonPlace } from '../../../store/records/mirror.ts'

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
 * Begins to list all objects again. Needed if the processor deleted events before they were read. Stores the present event cursor first.
 * The copy becomes older until all objects are listed.
 */
export async function beginRelisting({ store, processor }: FeedDeps, signal: AbortSignal): Promise<void> {
  const { last } = await processor.events({ after: null, types: [] }, signal)
  await store.mirror.beginComparison(await firstPlace(store, true), last ?? '')
}

async function firstPlace({ mirror }: FeedDeps['store'], relisting: boolean): Promise<ComparisonPlace> {
  return { kind: mirroredKinds[0], after: null, number: await mirror.beginRead(), relisting }
}

/**
 * Lists and stores the next page of the running comparison. After the last page of a kind, marks those stored objects of the kind as stale
 * that were on no page. After the last kind, ends the comparison and returns the number of corrections (differences that no event
 * announced); returns null before that.
 */
export async function compareNext(
  deps: FeedDeps,
  place: ComparisonPlace,
  seen: SeenEvents,
  signal: AbortSignal,
): Promise<number | null> {
  const { mirror } = deps.store
  const { unannounced, next } = await savePage(deps, place.kind, place.after, signal)
  // Objects differ in this case because the events about them are lost. Those differences do not count as corrections.
  if (!place.relisting) await mirror.addDifferences(unannounced)
  if (next === null) await markUnlisted(deps, place)
  const kind = next === null ? kindAfter(place.kind) : place.kind
  if (kind !== null) {
    await mirror.setState({ comparing: { ...place, kind, after: next } })
    return null
  }
  // Reads the events of changes that were made during the comparison. Otherwise these changes would count as corrections.
  if (!place.relisting) await pollEvents(deps, seen, signal)
  const corrections = await mirror.endComparison(deps.clock.now())
  // This poll makes the copy up to date, because events were not polled while all objects were listed again.
  if (place.relisting) await pollEvents(deps, seen, signal)
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
