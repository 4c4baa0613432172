// What one session may ask of the processor (decision 29), so that a customer cannot occupy what all others need. Counted by this process: each
// of several replicas counts for itself.
import { sessionRequestsAtOnce, sessionRequestsPerMinute } from '../api/server/limits.ts'
import { ServiceError } from '../base/errors/service-error.ts'
import type { Clock } from '../base/clock.ts'
import { asSessionOf } from '../processor/whose-turn.ts'
import type { Principal } from '../api/customers/sessions.ts'

const windowMs = 60_000
/** Number of sessions above which those are forgotten that asked nothing within the last minute. */
const manySessions = 1_000

interface Share {
  underWay: number
  /** When the session's requests of the last minute began, in milliseconds, oldest first. */
  times: number[]
}

type Operation = (...args: never[]) => Promise<unknown>

/**
 * Returns the operations with the limits of sessions. A request of a session beyond them throws `rate_limited`; service keys have no such limits.
 * Each operation has the principal among its arguments.
 */
export function createFairShare(
  clock: Clock,
): <Ops extends Readonly<Record<string, Operation>>>(operations: Ops) => Ops {
  const shares = new Map<string, Share>()

  const shareOf = (id: string, now: number): Share => {
    if (shares.size > manySessions)
      for (const [other, { underWay, times }] of shares)
        if (underWay === 0 && (times.at(-1) ?? 0) <= now - windowMs) shares.delete(other)
    const known = shares.get(id)
    if (known !== undefined) return known
    const share: Share = { underWay: 0, times: [] }
    shares.set(id, share)
    return share
  }

  const within = async <T>(id: string, work: () => Promise<T>): Promise<T> => {
    const now = clock.now()
    const share = shareOf(id, now)
    share.times = share.times.filter((time) => time > now - windowMs)
    const [oldest] = share.times
    if (oldest !== undefined && share.times.length >= sessionRequestsPerMinute)
      throw rateLimited(`${sessionRequestsPerMinute} requests of this session within a minute`, oldest + windowMs - now)
    if (share.underWay >= sessionRequestsAtOnce)
      throw rateLimited(`${sessionRequestsAtOnce} requests of this session are under way`, 1000)
    share.times.push(now)
    share.underWay++
    try {
      return await work()
    } finally {
      share.underWay--
    }
  }

  return (operations) =>
    Object.fromEntries(
      Object.entries(operations).map(([name, run]) => [
        name,
        (...args: never[]) => {
          const session = args.map(sessionOf).find((one) => one !== null)
          if (session === undefined) return run(...args)
          return within(session.id, () => asSessionOf(session.tenantId, () => run(...args)))
        },
      ]),
    ) as typeof operations
}

function sessionOf(argument: unknown) {
  const principal = argument as Partial<Principal> | null | undefined
  return typeof principal === 'object' && principal?.kind === 'session' ? (principal.session ?? null) : null
}

const rateLimited = (why: string, waitMs: number) =>
  new ServiceError('rate_limited', `${why}, so further ones are refused for now.`, {
    hint: 'Try again after the time in Retry-After.',
    retryAfter: Math.max(1, Math.ceil(waitMs / 1000)),
  })
