// Authenticates callers of the admin routes by service keys. Decides the format and the validity of service keys. Never stores or logs a
// key itself, only its hash.
import { hash as hashOf, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import { ServiceError } from '../../base/errors/service-error.ts'
import { serviceKeyColumns, type ServiceKeyRecord } from '../../store/records/auth.ts'
import { pick, columnsUsedFor } from '../../store/records/columns.ts'
import type { Store } from '../../store/store.ts'
import type { ServiceKey } from '../../api/server/keys.ts'
import type { WorkerKeys } from '../../api/workers/workers.ts'

const prefix = 'rck_'
/**
 * Minimum time (ms) between two updates of a key's `lastUsedAt`: the store is updated at most once a minute per key instead of at each
 * request.
 */
const touchEveryMs = 60_000

export interface NewKey {
  readonly scope?: ServiceKey['scope']
  readonly expiresAt?: number | null
  readonly worker?: string
}

export interface ServiceKeyDeps {
  readonly store: Pick<Store, 'serviceKeys'>
  readonly clock: Clock
  /** Source of randomness, which only tests replace. */
  readonly random?: (bytes: number) => Buffer
}

export function createServiceKeys({ store: { serviceKeys }, clock, random = randomBytes }: ServiceKeyDeps) {
  const touched = new Map<string, number>()

  async function add(name: string, key: string, options: NewKey = {}): Promise<ServiceKeyRecord> {
    const createdAt = clock.now()
    const { scope = 'write', expiresAt = null, worker = null } = options
    if (expiresAt !== null && expiresAt <= createdAt) throw hasPassed()
    const record: ServiceKeyRecord = {
      id: `key_${createdAt.toString(36).padStart(9, '0')}${random(5).toString('hex')}`,
      name,
      hash: hashKey(key),
      hint: key.slice(-4),
      scope,
      createdAt,
      expiresAt,
      lastUsedAt: null,
      revokedAt: null,
      worker,
    }
    await serviceKeys.add(record)
    return record
  }

  const generate = () => prefix + random(32).toString('base64url')

  async function touch(id: string): Promise<void> {
    const now = clock.now()
    if (now - (touched.get(id) ?? -touchEveryMs) < touchEveryMs) return
    touched.set(id, now)
    // A failed update of the last use does not make the key invalid.
    await serviceKeys.touch(id, now).catch(() => touched.delete(id))
  }

  /** True for a valid key that can create further keys: scope `write` or `owner`, and not the key of a worker. */
  const isActive = (record: ServiceKeyRecord) =>
    stateOf(record) === 'valid' && record.scope !== 'read' && record.worker === null
  const active = async () => (await serviceKeys.list()).filter(isActive)

  const stateOf = ({ revokedAt, expiresAt }: ServiceKeyRecord) =>
    revokedAt !== null ? 'revoked' : expiresAt !== null && expiresAt <= clock.now() ? 'expired' : 'valid'

  return {
    /**
     * Returns the service key. If the key has expired, returns the time of its expiry instead. Returns null if the key is unknown or
     * revoked. The comparison takes constant time.
     */
    async authenticate(key: string) {
      const hash = hashKey(key)
      const record = await serviceKeys.findByHash(hash)
      if (record === null || !equalHashes(record.hash, hash)) return null
      const state = stateOf(record)
      if (state === 'revoked') return null
      if (state === 'expired') return { state: 'expired' as const, expiresAt: record.expiresAt ?? record.createdAt }
      await touch(record.id)
      return { state: 'valid' as const, key: toServiceKey(record) }
    },
    /** Returns the key with this id if it is valid, and updates its last use; otherwise returns null. */
    async valid(id: string) {
      const record = await serviceKeys.find(id)
      if (record === null || stateOf(record) !== 'valid') return null
      await touch(id)
      return toServiceKey(record)
    },
    /** Creates a key, by default with scope `write` and without expiry. Throws `request_invalid` if `expiresAt` is in the past. */
    async createKey(name: string, options?: Omit<NewKey, 'worker'>) {
      const key = generate()
      return { ...toServiceKey(await add(name, key, options)), key }
    },
    ofWorkers: {
      async create(worker, scope) {
        const key = generate()
        const { id } = await add(worker, key, { scope, worker })
        return { id, key }
      },
      async isValid(key, scope) {
        const record = await serviceKeys.findByHash(hashKey(key))
        return record !== null && stateOf(record) === 'valid' && record.scope === scope
      },
      async revoke(id) {
        await serviceKeys.revoke(id, clock.now())
      },
      revokeAll: (worker) => serviceKeys.revokeOfWorker(worker, clock.now()),
    } satisfies WorkerKeys as WorkerKeys,
    listKeys: async () => (await serviceKeys.list()).map(toServiceKey),
    async revokeKey(id: string) {
      const allow = (key: ServiceKeyRecord, others: readonly ServiceKeyRecord[]) => {
        if (isActive(key)) refuseLast(key, others.filter(isActive))
      }
      if (!(await serviceKeys.revoke(id, clock.now(), allow)))
        throw new ServiceError('key_not_found', `There is no valid service key "${id}".`)
    },
    /**
     * Ensures that at least one key gives access to the admin routes. The key in the environment is stored (as a hash) with scope `owner`,
     * in addition to existing keys. If there is no such key, and no valid key that can create keys, generates an `owner` key and returns
     * it. The caller must print and store it, because it is returned only this once. `keep` gets the key before its hash is stored: if the
     * process ends in between, the next start generates another key. Otherwise the store would have a valid key that no one knows.
     */
    async ensureFirstKey(environmentKey: string | null, keep: (key: string) => void = () => undefined) {
      if (environmentKey !== null) {
        // A revoked key stays revoked, even if the environment still contains it.
        const known = async () => (await serviceKeys.findByHash(hashKey(environmentKey))) !== null
        if (await known()) return null
        await add('environment', environmentKey, { scope: 'owner' }).catch(async (error: unknown) => {
          // Several replicas that start at the same time add the same key. All but the first fail here; that is no error, because the key
          // is stored.
          if (!(await known())) throw error
        })
        return null
      }
      if ((await active()).length > 0) return null
      const key = generate()
      keep(key)
      await add('first', key, { scope: 'owner' })
      return { key }
    },
  }
}

/** Refuses the revocation of the last key of its power. `others` are the valid keys that can create further keys. */
function refuseLast({ scope }: ServiceKeyRecord, others: readonly ServiceKeyRecord[]): void {
  const hint = 'Create a new key first, then revoke this one.'
  if (scope === 'owner' && others.every((one) => one.scope !== 'owner'))
    throw new ServiceError(
      'last_owner_key',
      'It is the last valid service key of scope "owner". Without it, nobody could change or override a policy.',
      { hint },
    )
  if (others.length === 0)
    throw new ServiceError(
      'key_last',
      'It is the last valid service key with write access. Without it, you could not create another key.',
      { hint },
    )
}

function hasPassed(): ServiceError {
  const detail = 'The expiry of a key must be in the future.'
  return new ServiceError('request_invalid', detail, {
    issues: [{ code: 'value_invalid', pointer: '#/expires_at', severity: 'error', detail }],
  })
}

function hashKey(key: string): string {
  return hashOf('sha256', key)
}

function equalHashes(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a, 'hex'), Buffer.from(b, 'hex')]
  return left.length === right.length && timingSafeEqual(left, right)
}

/** Listed once, because each authenticated request needs them. */
const shownNames = columnsUsedFor(serviceKeyColumns, 'shown')
const toServiceKey = (record: ServiceKeyRecord): ServiceKey => pick(record, shownNames)
