// The first fill of the mirror lists all objects at the processor once, page by page. Its position is stored after each page, so that it
// continues there after a crash. The event cursor is stored before the first page, so that the events during the fill can be read after it.
import { setTimeout as wait } from 'node:timers/promises'
import { pushLease } from '../../../acts/lease.ts'
import { mirroredKinds, type MirroredKind } from '../../../processor/mirrored.ts'
import { withKnown } from './known-before.ts'
import type { FeedDeps } from './deps.ts'
import type { MirrorSaved, MirrorState } from '../../../store/records/mirror.ts'

/** Interval (ms) at which the fill checks if a running push has ended. */
const pushLookMs = 250

const firstKind = mirroredKinds[0]

/**
 * Returns the mirror's stored state for the processor account of the key. If the store has the copy of another account, deletes it. If
 * there is no state, creates one.
 */
export async function ensureState(deps: FeedDeps, signal: AbortSignal): Promise<MirrorState> {
  const { store, processor, clock } = deps
  const { id: account } = await deps.account(signal)
  const known = await store.mirror.state()
  if (known !== null && known.account === account) return known
  if (known !== null) await store.mirror.clear()
  const { last } = await processor.events({ after: null, types: [] }, signal)
  const state: MirrorState = {
    account,
    filling: { kind: firstKind, after: null, objects: 0 },
    eventCursor: last ?? '',
    readUntil: clock.now(),
    beganAt: null,
    comparedAt: null,
    comparing: null,
    corrections: 0,
  }
  await store.mirror.setState(state)
  return state
}

/**
 * Lists the objects that the first fill has not read yet. Returns at once if the fill is complete. Calls `pace` before each page; `pace`
 * may wait, e.g. because the number of allowed reads (the read allocation) is nearly used up.
 */
export async function fill(
  deps: FeedDeps,
  signal: AbortSignal,
  pace: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const { store, clock } = deps
  for (;;) {
    const filling = (await store.mirror.state())?.filling ?? null
    if (filling === null) return
    // A push needs the whole rate limit.
    while (await store.held(pushLease)) await wait(pushLookMs, undefined, { signal })
    await pace()
    const { next, read } = await savePage(deps, filling.kind, filling.after, signal)
    const kind = next === null ? kindAfter(filling.kind) : filling.kind
    const objects = filling.objects + read
    await store.mirror.setState(
      kind === null ? { filling: null, comparedAt: clock.now() } : { filling: { kind, after: next, objects } },
    )
  }
}

export function kindAfter(kind: MirroredKind): MirroredKind | null {
  return mirroredKinds[mirroredKinds.indexOf(kind) + 1] ?? null
}

interface SavedPage extends MirrorSaved {
  readonly next: string | null
  readonly read: number
}

/** Reads one page of a list and stores it. */
export async function savePage(
  deps: FeedDeps,
  kind: MirroredKind,
  after: string | null,
  signal: AbortSignal,
): Promise<SavedPage> {
  const { store, processor, clock } = deps
  const begun = await store.mirror.beginRead()
  const { objects, unreadable, next } = await processor.mirrorPage(kind, after, signal)
  const saved = await store.mirror.save(kind, await withKnown(deps, kind, objects), begun)
  const since = clock.now()
  if (unreadable.length > 0) await store.mirror.markStale(unreadable.map((id) => ({ kind, id, since })))
  return { ...saved, next, read: objects.length }
}
