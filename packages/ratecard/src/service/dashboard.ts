// Operations behind the pages of the dashboard: who is signed in at a browser, and whether anything changed since it last looked.
// Types only.
import type * as keys from '../api/keys.ts'
import type { Inside } from '../api/notation/schema.ts'

type ServiceKey = Inside<typeof keys.ServiceKey>

/** What a browser or a person keeps; the store has its hash alone. */
export interface DashboardPass {
  readonly value: string
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

export interface DashboardVisitor {
  readonly key: ServiceKey
  /** Epoch milliseconds: of the session, or of its key where that ends earlier. */
  readonly expiresAt: number
}

export interface DashboardOperations {
  /** A session of 12 hours that may do what the key may, for as long as the key is valid. */
  openDashboard(keyId: string): Promise<DashboardPass>
  /** A token that opens one session, once, within minutes. */
  createDashboardLink(keyId: string): Promise<DashboardPass>
  /** null for a token that is unknown, used or too old, and for one whose key is no longer valid. */
  openDashboardByLink(token: string): Promise<DashboardPass | null>
  /** null for a session that is unknown, ended or too old, and for one whose key is no longer valid. */
  authenticateDashboard(value: string): Promise<DashboardVisitor | null>
  closeDashboard(value: string): Promise<void>
  /** Something that pages show has changed, or may have: every replica's `changeTag` is another from now on. */
  noteChange(): Promise<void>
  /** Equal as long as nothing that pages show has changed, at any replica. Cheap: browsers ask every second. */
  changeTag(): Promise<string>
}
