// Rotation of the master key: all texts that were sealed with an older key are sealed again with the newest key.
import type { Sealer } from '../../seal.ts'
import type { Database, Write } from '../database/database.ts'
import { idempotencyContext } from '../repositories/auth/idempotency.ts'
import { secretContext } from '../repositories/configuration/secrets.ts'

/**
 * Encrypts all secret texts again with the newest key, in one transaction, so that a failure changes nothing. Returns the number of changed
 * texts.
 */
export async function reseal(database: Database, sealer: Sealer): Promise<number> {
  const renew = (sealed: string, context: string) => sealer.seal(sealer.open(sealed, context), context)
  return database.write(async (db) => {
    const secrets = await resealSecretRows(database, db, sealer, renew)
    return secrets + (await resealAnswers(database, db, sealer, renew))
  })
}

type Renew = (sealed: string, context: string) => string

async function resealSecretRows(database: Database, db: Write, sealer: Sealer, renew: Renew): Promise<number> {
  const rows = await database.locked(db.selectFrom('secrets').selectAll()).execute()
  const old = rows.filter((row) => !sealer.isCurrent(row.sealed))
  for (const row of old)
    await db
      .updateTable('secrets')
      .set({ sealed: renew(row.sealed, secretContext(row)) })
      .where('scope', '=', row.scope)
      .where('id', '=', row.id)
      .execute()
  return old.length
}

async function resealAnswers(database: Database, db: Write, sealer: Sealer, renew: Renew): Promise<number> {
  const rows = await database
    .locked(db.selectFrom('idempotencyKeys').select(['key', 'body']))
    .where('body', 'is not', null)
    .execute()
  let count = 0
  for (const { key, body } of rows) {
    if (body === null || sealer.isCurrent(body)) continue
    await db
      .updateTable('idempotencyKeys')
      .set({ body: renew(body, idempotencyContext(key)) })
      .where('key', '=', key)
      .execute()
    count += 1
  }
  return count
}
