// The check of the mirror in `ratecard doctor`: the age of the mirror, and the object or failure that keeps it stale.
import type { Clock } from '../../base/clock.ts'
import type { Mirror, MirrorStatus } from '../../customers/mirror/mirror.ts'
import { readFeedError } from '../../customers/mirror/feed/feed-error.ts'
import type { Store } from '../../store/store.ts'
import type { Finding } from '../../api/server/server.ts'
import type { StaleObject } from '../../store/records/mirror.ts'

export interface MirrorCheckDeps {
  readonly store: Pick<Store, 'facts' | 'mirror'>
  readonly mirror: Pick<Mirror, 'status'>
  readonly clock: Clock
  /** True if the processor delivers events to this service, or does not limit reads. */
  readonly delivered: () => Promise<boolean>
}

type Result = Omit<Finding, 'check'>

const mostNamed = 5
const timeText = (time: number) => new Date(time).toISOString()

/**
 * Checks the mirror (the local copy of the processor's data). It finds a mirror that fills slowly, is stale or lacks objects, and a mirror
 * that only polls although the processor limits reads.
 */
export async function checkMirror(deps: MirrorCheckDeps): Promise<Result> {
  const { state, asOf, stale, filled } = await deps.mirror.status()
  if (state === 'off') return { status: 'ok', detail: 'off: all data is read from the processor' }
  if (asOf === null) {
    const error = await lastError(deps.store)
    const detail = `The mirror is being filled: ${String(filled)} objects so far.${error}`
    return { status: 'warning', detail, hint: error === '' ? 'Wait.' : 'See the log for lines with `mirror:`.' }
  }
  if (stale) return mirrorBehind(deps, asOf)
  return (await unreadableObjects(deps.store)) ?? upToDate(deps, asOf)
}

async function upToDate({ delivered }: MirrorCheckDeps, asOf: number): Promise<Result> {
  const detail = `complete until ${timeText(asOf)}`
  if (await delivered()) return { status: 'ok', detail }
  return {
    status: 'ok',
    detail: `${detail}; events are polled, not delivered`,
    hint: 'Set RATECARD_PUBLIC_URL to an https address: deliveries are faster, and save reads at the processor, which are limited.',
  }
}

async function mirrorBehind(
  { store, clock }: MirrorCheckDeps,
  asOf: NonNullable<MirrorStatus['asOf']>,
): Promise<Result> {
  const minutes = String(Math.round((clock.now() - asOf) / 60_000))
  const oldest = await store.mirror.oldestStale()
  const waitingFor = oldest === null ? '' : ` Not read yet: ${objectText(oldest)}, since ${timeText(oldest.since)}.`
  return {
    status: 'warning',
    detail: `mirror_behind: the mirror is complete until ${timeText(asOf)}, ${minutes} minutes ago.${waitingFor}${await lastError(store)}`,
    hint: 'See the log for lines with `mirror:`, and check the processor’s status and the key’s permissions.',
  }
}

/** Returns a finding if there are objects that cannot be read; otherwise null. */
async function unreadableObjects({ mirror }: MirrorCheckDeps['store']): Promise<Result | null> {
  const { items, total } = await mirror.skipped(mostNamed)
  if (total === 0) return null
  const more = total > items.length ? `; and ${String(total - items.length)} more` : ''
  return {
    status: 'warning',
    detail: `The mirror lacks changes of ${total === 1 ? '1 object' : `${String(total)} objects`} that cannot be read: ${items.map(objectText).join('; ')}${more}`,
    hint: 'The mirror reads them again every ten minutes. If that does not help, a newer version of Ratecard may be able to read them.',
  }
}

function objectText({ kind, id, error }: StaleObject): string {
  return `${kind} ${id}${error === null ? '' : ` (${error})`}`
}

async function lastError(store: MirrorCheckDeps['store']): Promise<string> {
  const error = await readFeedError(store)
  return error === null ? '' : ` The feed failed at ${timeText(error.at)}: ${error.message}`
}
