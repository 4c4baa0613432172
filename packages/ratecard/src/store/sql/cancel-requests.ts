// Wishes that a running push or job may stop. Whoever runs it looks between two steps; a wish never outlives the running.
import type { Database, Write } from './database.ts'
import type { Tables } from '../records/tables.ts'

type CancelRequestRow = Tables['cancelRequests']

/** False when the work does not run. */
export async function requestCancel(database: Database, request: CancelRequestRow): Promise<boolean> {
  const { kind, id } = request
  return database.write(async (db) => {
    const work = await (
      kind === 'push'
        ? database.locked(db.selectFrom('pushes').select('state')).where('id', '=', id)
        : database.locked(db.selectFrom('jobs').select('state')).where('id', '=', id)
    ).executeTakeFirst()
    if (work?.state !== 'running') return false
    await db
      .insertInto('cancelRequests')
      .values(request)
      .onConflict((conflict) => conflict.columns(['kind', 'id']).doNothing())
      .execute()
    return true
  })
}

export async function isCancelRequested(
  database: Database,
  kind: CancelRequestRow['kind'],
  id: string,
): Promise<boolean> {
  const row = await database.read((db) =>
    db.selectFrom('cancelRequests').select('id').where('kind', '=', kind).where('id', '=', id).executeTakeFirst(),
  )
  return row !== undefined
}

export async function forgetCancel(db: Write, kind: CancelRequestRow['kind'], id: string): Promise<void> {
  await db.deleteFrom('cancelRequests').where('kind', '=', kind).where('id', '=', id).execute()
}
