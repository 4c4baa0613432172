// Authenticates users of the dashboard. A session is a random value in the browser's cookie. A sign-in link contains a random token. The
// store has a hash of each, with the service key that it belongs to. A session ends when its key becomes invalid, or earlier.
import { createHash, randomBytes } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import type { Store } from '../../store/store.ts'
import type { ServiceKey } from '../../api/server/keys.ts'
import type { DashboardPassRecord } from '../../store/records/auth.ts'

const sessionMs = 12 * 60 * 60 * 1000
const linkMs = 10 * 60 * 1000

export interface SignInDeps {
  readonly store: Pick<Store, 'dashboardPasses'>
  readonly clock: Clock
  readonly validKey: (id: string) => Promise<ServiceKey | null>
  /** Source of randomness, which only tests replace. */
  readonly random?: (bytes: number) => Buffer
}

export function createSignIn({ store, clock, validKey, random = randomBytes }: SignInDeps) {
  const { dashboardPasses: passes } = store

  async function issue(kind: DashboardPassRecord['kind'], keyId: string, lifeMs: number): Promise<DashboardPass> {
    const value = random(32).toString('base64url')
    const createdAt = clock.now()
    const expiresAt = createdAt + lifeMs
    await passes.add({ hash: hashOf(value), kind, keyId, createdAt, expiresAt, endedAt: null })
    return { value, expiresAt }
  }

  /** Opens a session with the rights of the key. It lasts 12 hours, or ends earlier if the key becomes invalid. */
  const openDashboard = (keyId: string) => issue('session', keyId, sessionMs)

  return {
    openDashboard,
    /** Creates a single-use token that opens one session. It expires after a few minutes. */
    createDashboardLink: (keyId: string) => issue('link', keyId, linkMs),
    /** Opens a session with a token. Returns null if the token is unknown, used or expired, or its key is no longer valid. */
    async openDashboardByLink(token: string): Promise<DashboardPass | null> {
      const hash = hashOf(token)
      const link = await passes.find(hash)
      // First ends the link, then opens a session. So of two concurrent requests with the same link, only one gets a session.
      if (link === null || !(await passes.end(hash, 'link', clock.now()))) return null
      return (await validKey(link.keyId)) === null ? null : openDashboard(link.keyId)
    },
    /** Returns the signed-in user of a session. Returns null if the session is unknown, closed or expired, or its key is no longer valid. */
    async authenticateDashboard(value: string): Promise<DashboardVisitor | null> {
      const session = await passes.find(hashOf(value))
      if (session?.kind !== 'session' || session.endedAt !== null || session.expiresAt <= clock.now()) return null
      const key = await validKey(session.keyId)
      return key === null ? null : { key, expiresAt: Math.min(session.expiresAt, key.expiresAt ?? Infinity) }
    },
    async closeDashboard(value: string) {
      await passes.end(hashOf(value), 'session', clock.now())
    },
  }
}

function hashOf(value: string): string {
  return createHash('sha256').update(value, 'utf8').digest('hex')
}

/** A secret value for a browser or a person: a session cookie or a sign-in token. The store keeps only its hash. */
export interface DashboardPass {
  readonly value: string
  /** Expiry of the value, epoch milliseconds. */
  readonly expiresAt: number
}

export interface DashboardVisitor {
  readonly key: ServiceKey
  /** Time (epoch milliseconds) at which the session or its service key expires, whichever is earlier. */
  readonly expiresAt: number
}
