// State of the mirror (the local copy of the processor's customers) for readers: how complete the copy is, and how old.
import type { Clock } from '../clock.ts'
import { ServiceError } from '../errors/service-error.ts'
import type { MirrorStore } from '../store/mirror-store.ts'

export interface MirrorStatus {
  readonly state: 'off' | 'filling' | 'ready'
  /** Epoch milliseconds until which the copy contains every change; null before the first fill is complete. */
  readonly asOf: number | null
  /** True if the copy is more than five minutes old. */
  readonly stale: boolean
  /** Number of objects that the first fill has read so far; 0 in any state other than `filling`. */
  readonly filled: number
}

/** Age of a complete copy, for the members `as_of` and `stale` of a response. */
export interface MirrorAge {
  readonly asOf: number
  readonly stale: boolean
}

export interface Mirror {
  status(): Promise<MirrorStatus>
  /** Returns the age of a complete copy. Throws `mirror_off` (409), or `mirror_filling` (503 with Retry-After) during the first fill. */
  require(): Promise<MirrorAge>
}

/** Age (ms) above which a copy counts as stale. */
export const staleLimitMs = 5 * 60_000

/** The mirror with `RATECARD_MIRROR=off`: all data is read at the processor. */
export const mirrorOff = {
  status: (): Promise<MirrorStatus> => Promise.resolve({ state: 'off', asOf: null, stale: false, filled: 0 }),
  require: (): Promise<never> =>
    Promise.reject(
      new ServiceError('mirror_off', 'This is read from the mirror, and the mirror is switched off.', {
        hint: 'Start the service with RATECARD_MIRROR=on.',
      }),
    ),
} satisfies Mirror

export interface MirrorOptions {
  readonly store: Pick<MirrorStore, 'state' | 'oldestStale'>
  readonly clock: Clock
}

export function createMirror({ store, clock }: MirrorOptions): Mirror {
  const status = async (): Promise<MirrorStatus> => {
    const state = await store.state()
    if (state === null || state.beganAt === null || state.readUntil === null)
      return { state: 'filling', asOf: null, stale: false, filled: state?.filling?.objects ?? 0 }
    const asOf = Math.min(state.readUntil, (await store.oldestStale())?.since ?? Infinity)
    return { state: 'ready', asOf, stale: clock.now() - asOf > staleLimitMs, filled: 0 }
  }
  const require = async (): Promise<MirrorAge> => {
    const { asOf, stale, filled } = await status()
    if (asOf !== null) return { asOf, stale }
    throw new ServiceError(
      'mirror_filling',
      `The first copy of the account is being read: ${String(filled)} objects so far.`,
      { retryAfter: fillingRetrySeconds, hint: 'Try again when it is complete.', extra: { objects_read: filled } },
    )
  }
  return { status, require }
}

const fillingRetrySeconds = 5
