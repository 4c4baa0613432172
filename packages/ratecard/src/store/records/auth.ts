// Records of authentication and authorization: keys, sessions, dashboard passes, idempotency keys, secrets and leases.
import { oneOf, text, textOf, textOrNull, time, timeOrNull, whole, wholeOrNull } from './columns.ts'
import type { Columns, RecordOf } from './columns.ts'

/** `read` allows plans and reads; `write` allows everything. */
export const keyScopes = ['read', 'write'] as const
export type KeyScope = (typeof keyScopes)[number]

export const serviceKeyColumns = {
  id: text('shown'),
  name: text('shown'),
  /** sha256 hex of the key: keys are 256 random bits, so a fast hash is enough. */
  hash: text(),
  /** Last four characters of the key, so that people recognize it. */
  hint: text('shown'),
  scope: oneOf(keyScopes, 'shown'),
  createdAt: time('shown'),
  /** Time at which the key expires; null if it never expires. */
  expiresAt: timeOrNull('shown'),
  lastUsedAt: timeOrNull('shown'),
  revokedAt: timeOrNull('shown'),
  /** The worker that owns the key. The key is revoked when the worker is removed; null for keys of people. */
  worker: textOrNull(),
} satisfies Columns

export type ServiceKeyRecord = RecordOf<typeof serviceKeyColumns>

export const sessionColumns = {
  id: text('shown'),
  tenantId: text('shown'),
  /** sha256 hex of the cookie's secret part. */
  hash: text(),
  createdAt: time('shown'),
  expiresAt: time('shown'),
  revokedAt: timeOrNull(),
} satisfies Columns

export type SessionRecord = RecordOf<typeof sessionColumns>

/** A `link` is a sign-in link: it opens one `session` and works once. */
export const dashboardPassKinds = ['link', 'session'] as const

/** Dashboard passes: links and cookies that sign a browser in to the dashboard on behalf of a service key. */
export const dashboardPassColumns = {
  /** sha256 hex of the cookie or of the link's token: both are 256 random bits. */
  hash: text(),
  kind: oneOf(dashboardPassKinds),
  keyId: text(),
  createdAt: time(),
  expiresAt: time(),
  /** Time of the sign-out; for a link, the time of its use. */
  endedAt: timeOrNull(),
} satisfies Columns

export type DashboardPassRecord = RecordOf<typeof dashboardPassColumns>

export const idempotencyColumns = {
  key: text(),
  /** sha256 of the request's method, path and body. */
  fingerprint: text(),
  /** HTTP status of the response; null while the first request is still running. */
  status: wholeOrNull(),
  /** The body is sealed (encrypted) at rest, because a response may contain a secret, e.g. a service key that is shown once. */
  body: textOrNull(),
  createdAt: time(),
} satisfies Columns

export type IdempotencyRecord = RecordOf<typeof idempotencyColumns>

export const secretColumns = {
  scope: textOf<'webhook' | 'check' | 'session' | 'worker'>(),
  id: text(),
  sealed: text(),
} satisfies Columns

export type SecretRow = RecordOf<typeof secretColumns>

export const leaseColumns = {
  name: text(),
  fence: whole(),
  expiresAt: time(),
  /** Identity of the process that holds the lease, if the operating system provides it (see holder.ts). */
  holder: textOrNull(),
} satisfies Columns

export const factColumns = { name: text(), value: text() } satisfies Columns

/** The granted slots of each shared rate limit, as JSON. */
export const paceColumns = { name: text(), slots: text() } satisfies Columns
