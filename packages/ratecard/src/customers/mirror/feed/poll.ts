// Polls the account's events and marks the objects named in the events as stale. The marks and the event cursor are stored in one
// transaction.
import { ProcessorError } from '../../../processor/processor-error.ts'
import type { ProcessorEvent } from '../../../processor/processor.ts'
import type { FeedDeps } from './deps.ts'
import { staleOfEvent } from './stale-of-event.ts'

/**
 * Time (ms) by which the stored cursor stays behind the newest event, because events do not always appear in the list in order. An event
 * that appears late is still read if it is at most this much older than the newest one.
 */
const overlapMs = 30_000

/** An event without its body. Bodies are not kept, because after a long downtime there may be hundreds of thousands of events. */
type PolledEvent = Pick<ProcessorEvent, 'id' | 'createdAt'>

/** Thrown if the processor no longer has the event of the cursor. It deletes events after 30 days. */
export class CursorLost extends Error {
  override readonly name = 'CursorLost'
}

/** Ids of events after the stored cursor that were already handled. They prevent handling an event twice. Empty when the process starts. */
export type SeenEvents = Set<string>

/** Reads all new events and marks the objects that they name as stale. */
export async function pollEvents(deps: FeedDeps, seen: SeenEvents, signal: AbortSignal): Promise<void> {
  const { store, clock } = deps
  const state = await store.mirror.state()
  if (state === null) throw new Error('The mirror is polled before it was begun.')
  let recent: readonly PolledEvent[] = []
  let cursor = state.eventCursor
  for (let after = cursor; ;) {
    const began = clock.now()
    const { events, last, more } = await eventsAfter(deps, after, signal)
    recent = sinceCursor([...recent, ...events.map(({ id, createdAt }) => ({ id, createdAt }))], cursor)
    // If the processor's clock is ahead, the time of an event is later than its poll. The object then changed after the last poll.
    const since = ({ createdAt }: ProcessorEvent) => (createdAt <= began ? createdAt : (state.readUntil ?? began))
    const fresh = events.filter((event) => !seen.has(event.id))
    const marks = fresh.flatMap((event) => staleOfEvent(event).map((ref) => ({ ...ref, since: since(event) })))
    const done = !more || last === null || last === after
    const current = done && state.comparing?.relisting !== true
    cursor = trailingCursor(recent) ?? cursor
    await store.mirror.markStale(marks, { event: cursor, readUntil: current ? began : (state.readUntil ?? 0) })
    for (const event of events) seen.add(event.id)
    if (done) break
    after = last
  }
  forget(seen, recent, cursor)
}

async function eventsAfter({ processor }: FeedDeps, after: string, signal: AbortSignal) {
  try {
    return await processor.events({ after, types: [] }, signal)
  } catch (error) {
    const lost =
      error instanceof ProcessorError && error.kind === 'rejected' && error.original.param === 'ending_before'
    if (lost) throw new CursorLost(`The processor no longer has the event ${after}.`, { cause: error })
    throw error
  }
}

/**
 * Returns the id of the newest event that is at least `overlapMs` older than the latest one, to be stored as the cursor; null if there is
 * none. `recent` is sorted oldest first.
 */
function trailingCursor(recent: readonly PolledEvent[]): string | null {
  const newest = recent.reduce((latest, event) => Math.max(latest, event.createdAt), 0)
  return recent.findLast((event) => event.createdAt <= newest - overlapMs)?.id ?? null
}

/** Removes the ids of events that the next poll will not read again. */
function forget(seen: SeenEvents, recent: readonly PolledEvent[], cursor: string): void {
  const again = sinceCursor(recent, cursor)
  seen.clear()
  for (const event of again) seen.add(event.id)
}

/** Returns the events after the cursor. Returns all events if the cursor is not among them. */
function sinceCursor(recent: readonly PolledEvent[], cursor: string): readonly PolledEvent[] {
  return recent.slice(recent.findIndex((event) => event.id === cursor) + 1)
}
