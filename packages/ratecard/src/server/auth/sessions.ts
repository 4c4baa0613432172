// Authenticates browsers that act for one tenant. Decides the format of a session cookie and which sessions are valid. Never stores or logs
// a cookie, and never reveals why a cookie was rejected.
import { createHmac, hash as hashed, randomBytes, timingSafeEqual } from 'node:crypto'
import { sessionSeconds } from '../../api/server/limits.ts'
import type { Clock } from '../../base/clock.ts'
import { ServiceError } from '../../base/errors/service-error.ts'
import { sessionColumns, type SessionRecord } from '../../store/records/auth.ts'
import { shownColumns } from '../../store/records/columns.ts'
import type { Store } from '../../store/store.ts'
import type { Session } from '../../api/customers/sessions.ts'

const minLifetimeSeconds = 60
const maxLifetimeSeconds = 30 * 24 * 60 * 60

/** Format of a cookie: `<id>.<secret>.<signature>`. Secret and signature are 32 bytes each, as base64url. */
const form = /^(ses_[a-z0-9]{1,60})\.([A-Za-z0-9_-]{43})\.([A-Za-z0-9_-]{43})$/

export interface SessionDeps {
  readonly store: Pick<Store, 'sessions' | 'secrets'>
  readonly clock: Clock
  /** Returns a new id: lower-case text that sorts by time. */
  readonly newId: () => string
  /** Source of randomness, which only tests replace. */
  readonly random?: (bytes: number) => Buffer
}

/**
 * Creates the session operations. A forged cookie is rejected by its signature, without reading the store. The store has a hash of each
 * cookie's secret. So a leaked signing key alone is not enough to forge a cookie.
 */
export function createSessions({ store, clock, newId, random = randomBytes }: SessionDeps) {
  const signingKey = createSigningKey(store.secrets, random)
  const sign = async (text: string) =>
    createHmac('sha256', await signingKey())
      .update(text)
      .digest('base64url')

  async function liveSession(id: string, secret: string): Promise<SessionRecord | null> {
    const session = await store.sessions.find(id)
    if (session === null || !equalText(session.hash, hashOf(secret))) return null
    return session.revokedAt !== null || clock.now() >= session.expiresAt ? null : session
  }

  return {
    async createSession(tenantId: string, ttlSeconds: number | null): Promise<Session & { readonly value: string }> {
      const lifetimeMs = checkedLifetime(ttlSeconds ?? sessionSeconds) * 1000
      const secret = random(32).toString('base64url')
      const createdAt = clock.now()
      const session: SessionRecord = {
        id: `ses_${newId()}`,
        tenantId,
        hash: hashOf(secret),
        createdAt,
        expiresAt: createdAt + lifetimeMs,
        revokedAt: null,
      }
      const signed = `${session.id}.${secret}`
      const value = `${signed}.${await sign(signed)}`
      // The store rejects the session if the tenant does not exist or is being deleted at the same time.
      await store.sessions.add(session)
      return { ...toSession(session), value }
    },
    async revokeSession(id: string) {
      if (await store.sessions.revoke(id, clock.now())) return
      throw new ServiceError('session_not_found', `There is no valid session "${id}".`)
    },
    /**
     * Returns the session if the value is valid, the session has not expired and its tenant exists; otherwise null. The comparison takes
     * constant time.
     */
    async authenticateSession(value: string): Promise<Session | null> {
      const [, id, secret, signature] = form.exec(value) ?? []
      if (id === undefined || secret === undefined || signature === undefined) return null
      if (!equalText(signature, await sign(`${id}.${secret}`))) return null
      const session = await liveSession(id, secret)
      return session === null ? null : toSession(session)
    },
  }
}

/** Returns the signing key that all replicas share. It is generated on first use and stored sealed, like every secret. */
function createSigningKey(secrets: Store['secrets'], random: (bytes: number) => Buffer): () => Promise<Buffer> {
  let known: Promise<Buffer> | null = null
  return () =>
    (known ??= secrets
      .bindSessionKey(random(32).toString('base64url'))
      .then((text) => Buffer.from(text, 'base64url'))
      .catch((error: unknown) => {
        known = null
        throw error
      }))
}

function checkedLifetime(seconds: number): number {
  if (Number.isInteger(seconds) && seconds >= minLifetimeSeconds && seconds <= maxLifetimeSeconds) return seconds
  const detail = `The lifetime of a session must be ${minLifetimeSeconds} to ${maxLifetimeSeconds} whole seconds.`
  throw new ServiceError('request_invalid', detail, {
    issues: [{ code: 'value_invalid', pointer: '#/ttl_seconds', severity: 'error', detail }],
  })
}

// Compares the base64url texts and not the decoded bytes, because several texts decode to the same bytes. The comparison takes constant
// time.
function equalText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

function hashOf(secret: string): string {
  return hashed('sha256', secret)
}

const toSession = (record: SessionRecord): Session => shownColumns(sessionColumns, record)
