// Stores of a kill run: one prepared state, copied for every kill.
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { query, sqlToRestore, type TestPostgres } from '../stores/postgres.ts'

export interface Place {
  readonly url: string | null
  readonly file: string
}

/** `fork` copies the prepared state, which must not be open at that time. */
export interface StoreFactory {
  readonly prepared: Place
  fork(name: string): Promise<Place & { remove(): Promise<void> }>
  close(): Promise<void>
}

export function sqliteStores(): Promise<StoreFactory> {
  const folder = mkdtempSync(path.join(tmpdir(), 'ratecard-kill-'))
  const prepared = path.join(folder, 'prepared')
  const remove = (target: string) => {
    rmSync(target, { recursive: true, force: true })
    return Promise.resolve()
  }
  mkdirSync(prepared)
  return Promise.resolve({
    prepared: { url: null, file: path.join(prepared, 'ratecard.db') },
    fork: (name) => {
      const target = path.join(folder, name)
      cpSync(prepared, target, { recursive: true })
      return Promise.resolve({ url: null, file: path.join(target, 'ratecard.db'), remove: () => remove(target) })
    },
    close: () => remove(folder),
  })
}

/** Stores in databases of a server that the caller closes. A removed copy is restored to the prepared state, and used again. */
export async function postgresStores(server: TestPostgres): Promise<StoreFactory> {
  const prepared = await server.createDatabase()
  const free: string[] = []
  let restore: string | undefined
  return {
    prepared: { url: prepared, file: '' },
    fork: async () => {
      const url = free.pop() ?? (await server.createDatabase(prepared))
      restore ??= await sqlToRestore(url)
      const remove = async (sql: string) => {
        // A statement that a killed process has sent may still be running.
        await server.disconnectAll(url)
        await query(url, sql)
        free.push(url)
      }
      return { url, file: '', remove: remove.bind(null, restore) }
    },
    close: async () => {
      for (const url of [prepared, ...free]) await server.dropDatabase(url)
    },
  }
}
