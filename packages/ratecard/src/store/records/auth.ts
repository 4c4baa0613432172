// Records of authentication and authorization: keys, sessions, dashboard passes, idempotency keys, secrets and leases.
import { oneOf, text, textOf, textOrNull, time, timeOrNull, whole, wholeOrNull } from './columns.ts'
import type { Columns, RecordOf } from './columns.ts'

/**
 * Scopes of service keys. `read` allows plans and reads, `write` also changes, and `owner` also sets and overrides policies. Each scope
 * includes the previous ones.
 */
export const keyScopes = ['read', 'write', 'owner'] as const
/** Scopes that the key of a worker may have. */
export const workerKeyScopes = ['read', 'write'] as const
export type WorkerKeyScope = (typeof workerKeyScopes)[number]

export const serviceKeyColumns = {
  id: text('shown'),
  name: text('shown'),
  /** sha256 hex of the key. A fast hash is enough, because a key consists of 256 random bits. */
  hash: text(),
  /** Last four characters of the key, so that people recognize it. */
  hint: text('shown'),
  scope: oneOf(keyScopes, 'shown'),
  createdAt: time('shown'),
  /** Time at which the key expires; null if it never expires. */
  expiresAt: timeOrNull('shown'),
  lastUsedAt: timeOrNull('shown'),
  revokedAt: timeOrNull('shown'),
  /** The worker that owns the key; null for the key of a person. The key is revoked when the worker is removed. */
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

/** Dashboard passes: sign-in links and session cookies. With a pass, a browser acts with the rights of a service key. */
export const dashboardPassColumns = {
  /** sha256 hex of the cookie or of the link's token. A fast hash is enough, because both consist of 256 random bits. */
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
