// Authenticates users of the dashboard. A session is a random value in the browser's cookie. A sign-in link contains a random token. The
// store has a hash of each, with the service key that it belongs to. A session ends when its key becomes invalid, or earlier.
import { createHash, randomBytes } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import type { ServiceKey } from '../../api/service/service.ts'
import type { DashboardOperations, DashboardPass } from '../../api/service/dashboard.ts'
import type { DashboardPassRecord, Store } from '../../store/store.ts'

const sessionMs = 12 * 60 * 60 * 1000
const linkMs = 10 * 60 * 1000

export interface SignInDeps {
  readonly store: Pick<Store, 'dashboardPasses'>
  readonly clock: Clock
  readonly validKey: (id: string) => Promise<ServiceKey | null>
  /** Source of randomness, which only tests replace. */
  readonly random?: (bytes: number) => Buffer
}

export type SignIn = Omit<DashboardOperations, 'accountInfo' | 'noteChange' | 'changeTag'>

export function createSignIn({ store, clock, validKey, random = randomBytes }: SignInDeps): SignIn {
  const { dashboardPasses: passes } = store

  async function issue(kind: DashboardPassRecord['kind'], keyId: string, lifeMs: number): Promise<DashboardPass> {
    const value = random(32).toString('base64url')
    const createdAt = clock.now()
    const expiresAt = createdAt + lifeMs
    await passes.add({ hash: hashOf(value), kind, keyId, createdAt, expiresAt, endedAt: null })
    return { value, expiresAt }
  }

  const openDashboard = (keyId: string) => issue('session', keyId, sessionMs)

  return {
    openDashboard,
    createDashboardLink: (keyId) => issue('link', keyId, linkMs),
    async openDashboardByLink(token) {
      const hash = hashOf(token)
      const link = await passes.find(hash)
      // First ends the link, then opens a session. So of two concurrent requests with the same link, only one gets a session.
      if (link === null || !(await passes.end(hash, 'link', clock.now()))) return null
      return (await validKey(link.keyId)) === null ? null : openDashboard(link.keyId)
    },
    async authenticateDashboard(value) {
      const session = await passes.find(hashOf(value))
      if (session?.kind !== 'session' || session.endedAt !== null || session.expiresAt <= clock.now()) return null
      const key = await validKey(session.keyId)
      return key === null ? null : { key, expiresAt: Math.min(session.expiresAt, key.expiresAt ?? Infinity) }
    },
    async closeDashboard(value) {
      await passes.end(hashOf(value), 'session', clock.now())
    },
  }
}

function hashOf(value: string): string {
  return createHash('sha256').update(value, 'utf8').digest('hex')
}
