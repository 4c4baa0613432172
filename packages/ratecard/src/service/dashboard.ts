// Operations of the dashboard: sign-in sessions, and change detection for polling pages. Types only.
import type * as keys from '../api/keys.ts'
import type { Inside } from '../api/notation/schema.ts'

type ServiceKey = Inside<typeof keys.ServiceKey>

/** A secret for a browser or a person. The store holds only its hash. */
export interface DashboardPass {
  readonly value: string
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

export interface DashboardVisitor {
  readonly key: ServiceKey
  /** Epoch milliseconds: expiry of the session or of its key, whichever is earlier. */
  readonly expiresAt: number
}

export interface DashboardOperations {
  /** A session of 12 hours with the rights of the key. It ends with the key. */
  openDashboard(keyId: string): Promise<DashboardPass>
  /** A single-use token that opens one session; expires after a few minutes. */
  createDashboardLink(keyId: string): Promise<DashboardPass>
  /** null if the token is unknown, used or expired, or its key is no longer valid. */
  openDashboardByLink(token: string): Promise<DashboardPass | null>
  /** null if the session is unknown, closed or expired, or its key is no longer valid. */
  authenticateDashboard(value: string): Promise<DashboardVisitor | null>
  closeDashboard(value: string): Promise<void>
  /** Changes the `changeTag` of every replica. Call it after any change that pages may show. */
  noteChange(): Promise<void>
  /** Equal as long as nothing that pages show has changed, on any replica. Cheap, because browsers poll it every second. */
  changeTag(): Promise<string>
}
