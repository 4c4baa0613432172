// Operations of the dashboard: sign-in sessions, and detection of changes for pages that poll. Types only.
import type * as dashboard from '../server/dashboard.ts'
import type * as keys from '../server/keys.ts'
import type { Inside } from '../notation/schema.ts'

type ServiceKey = Inside<typeof keys.ServiceKey>

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

export type AccountInfo = Inside<typeof dashboard.AccountInfo>

export interface DashboardOperations {
  /** Returns the account that pushes write to. Asks the processor only if there was no push yet. */
  accountInfo(): Promise<AccountInfo>
  /** Opens a session with the rights of the key. It lasts 12 hours, or ends earlier if the key becomes invalid. */
  openDashboard(keyId: string): Promise<DashboardPass>
  /** Creates a single-use token that opens one session. It expires after a few minutes. */
  createDashboardLink(keyId: string): Promise<DashboardPass>
  /** Opens a session with a token. Returns null if the token is unknown, used or expired, or its key is no longer valid. */
  openDashboardByLink(token: string): Promise<DashboardPass | null>
  /** Returns the signed-in user of a session. Returns null if the session is unknown, closed or expired, or its key is no longer valid. */
  authenticateDashboard(value: string): Promise<DashboardVisitor | null>
  closeDashboard(value: string): Promise<void>
  /** Changes the `changeTag` on every replica. Call this after any change of data that pages may show. */
  noteChange(): Promise<void>
  /** Returns a tag that stays the same until data shown on a page changes on any replica. Cheap, because browsers poll it every second. */
  changeTag(): Promise<string>
}
