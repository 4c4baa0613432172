// State of the mirror (the local copy of the processor's customers) for readers: how complete the copy is, and how old.
import type { Clock } from '../../base/clock.ts'
import { ServiceError } from '../../base/errors/service-error.ts'
import type { MirrorProgress } from '../../store/records/mirror.ts'
import type { Store } from '../../store/store.ts'

export interface MirrorStatus {
  readonly state: 'off' | 'filling' | 'ready'
  /** Time (epoch milliseconds) up to which the copy contains every change; null until the first fill is complete. */
  readonly asOf: number | null
  /** True if the copy is more than five minutes old. */
  readonly stale: boolean
  /** Number of objects that the first fill has read so far; 0 if the mirror is not in state `filling`. */
  readonly filled: number
}

/** Age of the mirror, for the members `as_of` and `stale` of a response. Only for a mirror that is complete. */
export interface MirrorAge {
  readonly asOf: number
  readonly stale: boolean
}

export interface Mirror {
  status(): Promise<MirrorStatus>
  /** Returns the status for a progress that the caller has read already. */
  statusOf(progress: MirrorProgress): MirrorStatus
  /** Returns the age of a complete copy. Throws `mirror_off` (409), or `mirror_filling` (503 with Retry-After) during the first fill. */
  require(): Promise<MirrorAge>
  /** As {@link require}, but also throws `mirror_filling` while lists are read again, e.g. after an upgrade to a version that copies more. */
  requireWhole(): Promise<MirrorAge>
}

/** Age (ms) above which a copy counts as stale. */
export const staleLimitMs = 5 * 60_000

const off: MirrorStatus = { state: 'off', asOf: null, stale: false, filled: 0 }

/** The mirror when `RATECARD_MIRROR` is `off`: all data is read from the processor. */
export const mirrorOff = {
  status: () => Promise.resolve(off),
  statusOf: () => off,
  require: () => refuseOff(),
  requireWhole: () => refuseOff(),
} satisfies Mirror

function refuseOff(): Promise<never> {
  const error = new ServiceError('mirror_off', 'This response needs the mirror, which is switched off.', {
    hint: 'Start the service with RATECARD_MIRROR=on.',
  })
  return Promise.reject(error)
}

export interface MirrorOptions {
  readonly store: Pick<Store['mirror'], 'state' | 'oldestStale'>
  readonly clock: Clock
}

export function createMirror({ store, clock }: MirrorOptions): Mirror {
  const statusOf = ({ beganAt, readUntil, oldestStale }: MirrorProgress): MirrorStatus => {
    if (beganAt === null || readUntil === null) return { state: 'filling', asOf: null, stale: false, filled: 0 }
    const asOf = Math.min(readUntil, oldestStale ?? Infinity)
    return { state: 'ready', asOf, stale: clock.now() - asOf > staleLimitMs, filled: 0 }
  }
  const status = async (): Promise<MirrorStatus> => {
    const state = await store.state()
    const { beganAt = null, readUntil = null, filling = null } = state ?? {}
    const oldestStale = readUntil === null ? null : ((await store.oldestStale())?.since ?? null)
    const status = statusOf({ beganAt, readUntil, oldestStale })
    return status.state === 'filling' ? { ...status, filled: filling?.objects ?? 0 } : status
  }
  const require = async (): Promise<MirrorAge> => {
    const { asOf, stale, filled } = await status()
    if (asOf !== null) return { asOf, stale }
    throw mirrorFilling('The first copy of the account is being read', filled)
  }
  const requireWhole = async (): Promise<MirrorAge> => {
    const age = await require()
    const filling = (await store.state())?.filling ?? null
    if (filling === null) return age
    throw mirrorFilling('A part of the account is being read again', filling.objects)
  }
  return { status, statusOf, require, requireWhole }
}

function mirrorFilling(what: string, objects: number): ServiceError {
  return new ServiceError('mirror_filling', `${what}: ${String(objects)} objects so far.`, {
    retryAfter: fillingRetrySeconds,
    hint: 'Try again when it is complete.',
    extra: { objects_read: objects },
  })
}

const fillingRetrySeconds = 5
