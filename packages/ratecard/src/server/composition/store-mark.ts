// The mark of an embedded store: a file beside the master key that says which store lies there, and up to which revision. A store that lost its
// log, or was replaced by an older copy, is behind its mark; it is not served, because an empty shop would look like a healthy one.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { ServiceError } from '../../base/errors/service-error.ts'
import type { Store } from '../../store/store.ts'
import { peekStore, type StorePeek } from '../../store/sql/maintenance/embedded-file.ts'
import { logDamage } from '../../store/sql/maintenance/log-damage.ts'
import type { Service } from '../service/service.ts'

const fileOf = (dataDir: string) => path.join(dataDir, 'store-mark.json')
const idFact = 'store_id'

/** Mark of a store. `store` is null for a backup of a version that gave stores no ids. */
type StoreMark = StorePeek

function readMark(dataDir: string): StoreMark | null {
  const file = fileOf(dataDir)
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as StoreMark) : null
}

/** Writes the mark so that there is a whole one at any time. */
export function writeMark(dataDir: string, mark: StoreMark): void {
  const draft = `${fileOf(dataDir)}.${String(process.pid)}`
  writeFileSync(draft, `${JSON.stringify(mark)}\n`, { mode: 0o600, flush: true })
  renameSync(draft, fileOf(dataDir))
}

/** Throws `store_behind` if the store is behind its mark, or if its log is damaged. Changes nothing: opening the store would drop the log. */
export function refuseBehind(dataDir: string, storeFile: string): void {
  const damaged = logDamage(storeFile)
  if (damaged !== null)
    throw storeBehind(
      `The log ${storeFile}-wal is damaged at byte ${String(damaged)}. Without it, the store lacks what was written last.`,
    )
  const mark = readMark(dataDir)
  if (mark === null) return
  const found = existsSync(storeFile) ? peekStore(storeFile) : null
  if (found === null) throw storeBehind(`The store ${storeFile} is empty or missing, and had ${revisionText(mark)}.`)
  if (mark.store !== null && found.store !== mark.store)
    throw storeBehind(
      `The store ${storeFile} is another one than it was: ${String(found.store)} in place of ${mark.store}.`,
    )
  if (found.revision < mark.revision)
    throw storeBehind(`The store ${storeFile} has ${revisionText(found)}, and had ${revisionText(mark)}.`)
}

const revisionText = ({ revision }: StoreMark) => (revision === 0 ? 'no revision' : `revision ${String(revision)}`)

const storeBehind = (detail: string) =>
  new ServiceError('store_behind', detail, {
    hint: 'Restore the newest backup (`ratecard db restore FILE`). To go on with the store as it is, start with `ratecard server start --accept-older-store`.',
  })

/** Returns the mark of an open store, which gets its id if it has none. */
export async function markOf(store: Store, newId: () => string): Promise<StoreMark> {
  const latest = await store.versions.latest()
  return { store: await store.facts.bind(idFact, newId()), revision: latest?.revision ?? 0 }
}

/**
 * Moves the mark to the store's present state, back only if it `mayGoBack`. Moves the log into the store first, so that a copy of the file
 * alone is whole.
 */
export async function keepMark(dataDir: string, store: Store, newId: () => string, mayGoBack = false): Promise<void> {
  if (store.engine !== 'sqlite') return
  await store.checkpoint()
  const now = await markOf(store, newId)
  const known = readMark(dataDir)
  if (mayGoBack || known === null || known.store !== now.store || known.revision < now.revision) writeMark(dataDir, now)
}

/** Time (ms) after which the log of an embedded store is moved into its file, besides after each push. */
const checkpointEveryMs = 5 * 60_000

/**
 * Keeps the store and its mark current: after each operation that makes a revision, and regularly. A failure is reported; the next time tries
 * again.
 */
export function keepingMark(dataDir: string, store: Store, report: (error: unknown, what: string) => void) {
  const keep = () =>
    keepMark(dataDir, store, randomUUID).catch((error: unknown) => report(error, 'the log of the store was not moved'))
  const timer = setInterval(() => void keep(), checkpointEveryMs).unref()
  const after = <Args extends readonly unknown[], T>(work: (...args: Args) => Promise<T>) => {
    return async (...args: Args): Promise<T> => {
      const done = await work(...args)
      await keep()
      return done
    }
  }
  return {
    stop: () => clearInterval(timer),
    over: <S extends Pick<Service, 'push' | 'rollback' | 'reset' | 'resumePush'>>(service: S): S => ({
      ...service,
      push: after(service.push),
      rollback: after(service.rollback),
      reset: after(service.reset),
      resumePush: after(service.resumePush),
    }),
  }
}
