// The full comparison: lists all objects again, and reads stored objects that no list contains any more. Differences that no event
// announced are counted as corrections.
import { mirroredKinds } from '../../processor/mirrored.ts'
import type { MirroredKind } from '../../processor/mirrored.ts'
import type { MirrorRef } from '../../store/mirror-store.ts'
import type { FeedDeps } from './deps.ts'
import { savePage } from './fill.ts'
import { poll } from './poll.ts'
import type { SeenEvents } from './poll.ts'
import { refreshStale } from './refresh.ts'
import type { Failures } from './refresh.ts'

/** Hour (UTC) after which the comparison of a day is due. */
const nightHour = 3
const dayMs = 24 * 60 * 60_000
const pageSize = 500

/** True from 03:00 UTC on each day until the comparison of that day is done. */
export function comparisonDue(now: number, comparedAt: number | null): boolean {
  const today = Math.floor(now / dayMs) * dayMs + nightHour * 60 * 60_000
  return (comparedAt ?? 0) < (now >= today ? today : today - dayMs)
}

/** Compares all objects of the copy with the processor. Returns the number of differences that no event announced, and stores it. */
export async function compare(
  deps: FeedDeps,
  seen: SeenEvents,
  failures: Failures,
  signal: AbortSignal,
): Promise<number> {
  const { mirror } = deps.store
  const beganAt = deps.clock.now()
  const differences = await compareLists(deps, signal)
  // Events announce the changes that were made during the comparison, so these are no corrections.
  for (const ref of await poll(deps, seen, signal)) differences.delete(nameOf(ref))
  while ((await refreshStale(deps, failures, signal)) > 0);
  const state = await mirror.state()
  await mirror.setState({ comparedAt: beganAt, corrections: (state?.corrections ?? 0) + differences.size })
  return differences.size
}

/**
 * Lists all objects and stores them. Marks stored objects as stale that no list contains. Returns all objects that differed, by kind and
 * id.
 */
export async function compareLists(deps: FeedDeps, signal: AbortSignal): Promise<Map<string, MirrorRef>> {
  const { store, clock } = deps
  const differences = new Map<string, MirrorRef>()
  for (const kind of mirroredKinds) {
    const listed = await comparePages(deps, kind, differences, signal)
    const missing = await missingFrom(deps, kind, listed)
    for (const ref of missing) differences.set(nameOf(ref), ref)
    await store.mirror.markStale(missing.map((ref) => ({ ...ref, since: clock.now() })))
  }
  return differences
}

function nameOf({ kind, id }: MirrorRef): string {
  return `${kind} ${id}`
}

async function comparePages(
  deps: FeedDeps,
  kind: MirroredKind,
  differences: Map<string, MirrorRef>,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const listed = new Set<string>()
  for (let after: string | null = null; ;) {
    const { changed, next, ids } = await savePage(deps, kind, after, signal)
    for (const ref of changed) differences.set(nameOf(ref), ref)
    for (const id of ids) listed.add(id)
    if (next === null) return listed
    after = next
  }
}

/**
 * Returns the stored objects that no list contains. Deleted customers are left out: they stay in the copy although no list contains them.
 */
async function missingFrom(
  { store }: FeedDeps,
  kind: MirroredKind,
  listed: ReadonlySet<string>,
): Promise<readonly MirrorRef[]> {
  const missing: MirrorRef[] = []
  for (let after: string | null = null; ;) {
    const page: readonly { readonly id: string; readonly deleted?: boolean }[] = await store.mirror.page(
      kind,
      after,
      pageSize,
    )
    for (const { id, deleted } of page) if (deleted !== true && !listed.has(id)) missing.push({ kind, id })
    const last = page.at(-1)
    if (last === undefined) return missing
    after = last.id
  }
}
