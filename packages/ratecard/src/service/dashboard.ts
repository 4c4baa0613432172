// Operations of the dashboard: sign-in sessions, and detection of changes for pages that poll. Types only.
import type * as keys from '../api/keys.ts'
import type { Inside } from '../api/notation/schema.ts'

type ServiceKey = Inside<typeof keys.ServiceKey>

/** A secret value for a browser or a person: a session cookie or a sign-in token. The store keeps only its hash. */
export interface DashboardPass {
  readonly value: string
  /** Expiry of the value, epoch milliseconds. */
  readonly expiresAt: number
}

export interface DashboardVisitor {
  readonly key: ServiceKey
  /** Epoch milliseconds at which the session or its key expires, whichever is earlier. */
  readonly expiresAt: number
}

export interface DashboardOperations {
  /** Opens a session of 12 hours with the rights of the key. The session ends earlier if the key becomes invalid. */
  openDashboard(keyId: string): Promise<DashboardPass>
  /** Creates a single-use token that opens one session. It expires after a few minutes. */
  createDashboardLink(keyId: string): Promise<DashboardPass>
  /** Opens a session with a token. Returns null if the token is unknown, used or expired, or its key is no longer valid. */
  openDashboardByLink(token: string): Promise<DashboardPass | null>
  /** Returns the signed-in user of a session. Returns null if the session is unknown, closed or expired, or its key is no longer valid. */
  authenticateDashboard(value: string): Promise<DashboardVisitor | null>
  closeDashboard(value: string): Promise<void>
  /** Changes the `changeTag` of every replica. Call this after any change that pages may show. */
  noteChange(): Promise<void>
  /**
   * Returns a text that stays the same as long as nothing that pages show has changed on any replica. Cheap, because browsers poll it every
   * second.
   */
  changeTag(): Promise<string>
}
