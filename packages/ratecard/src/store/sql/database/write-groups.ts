// Commits short transactions together that wait for each other. A commit waits for the disk (about 4 ms), so one after the other, a hundred
// reports of usage would take a second, whatever each of them does.
import { setImmediate as afterRequests } from 'node:timers/promises'
import { sql, type Transaction } from 'kysely'
import type { Tables } from '../../records/tables.ts'
import { isSerializationFailure } from './database-errors.ts'

type Write = Transaction<Tables>

/** Maximum number of transactions that are committed together. They hold the locks of all of them for so long. */
const maxTogether = 50

interface Waiting {
  readonly work: (db: Write) => Promise<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

type Outcome = { readonly value: unknown } | { readonly error: unknown }

/** Runs `work` in a transaction, and returns its result after the commit. */
type Transact = <T>(work: (db: Write) => Promise<T>) => Promise<T>

/**
 * Returns a function that runs a short transaction. Those of one lane that arrive while another one is running are committed together. Each
 * has a savepoint: if its work fails, it alone is rolled back. `problem` converts such a failure.
 */
export function createWriteGroups(transact: Transact, problem: (error: unknown) => unknown) {
  const lanes = new Map<string, Waiting[]>()

  async function serve(name: string, lane: Waiting[]): Promise<void> {
    while (lane.length > 0) {
      // Lets requests in that have arrived meanwhile: a commit of SQLite blocks the event loop.
      await afterRequests()
      const group = lane.splice(0, maxTogether)
      try {
        const outcomes = await transact((db) => runAll(db, group))
        for (const [index, outcome] of outcomes.entries())
          if ('error' in outcome) group[index]?.reject(problem(outcome.error))
          else group[index]?.resolve(outcome.value)
      } catch (error) {
        for (const { reject } of group) reject(error)
      }
    }
    lanes.delete(name)
  }

  return <T>(name: string, work: (db: Write) => Promise<T>): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      const waiting: Waiting = { work, resolve: (value) => resolve(value as T), reject }
      const lane = lanes.get(name)
      if (lane !== undefined) {
        lane.push(waiting)
        return
      }
      const fresh = [waiting]
      lanes.set(name, fresh)
      void serve(name, fresh)
    })
}

async function runAll(db: Write, group: readonly Waiting[]): Promise<readonly Outcome[]> {
  const [only, ...others] = group
  // A failure of the only one is thrown, so that it is handled like that of any other transaction.
  if (only !== undefined && others.length === 0) return [{ value: await only.work(db) }]
  const outcomes: Outcome[] = []
  for (const { work } of group) outcomes.push(await runOne(db, work))
  return outcomes
}

async function runOne(db: Write, work: Waiting['work']): Promise<Outcome> {
  await sql`savepoint one`.execute(db)
  try {
    const value = await work(db)
    await sql`release savepoint one`.execute(db)
    return { value }
  } catch (error) {
    if (isSerializationFailure(error)) throw error
    try {
      await sql`rollback to savepoint one`.execute(db)
      await sql`release savepoint one`.execute(db)
    } catch {
      // After some failures (e.g. a full disk, a lost connection) the whole transaction is over.
      throw error
    }
    return { error }
  }
}
