import type { Sealer } from '../../../seal.ts'
import type { Database, Write } from '../../database/database.ts'
import type { SecretRow } from '../../../records/auth.ts'

/** Returns the context that a sealed text is bound to: table, scope and id. */
export function secretContext(row: Pick<SecretRow, 'scope' | 'id'>): string {
  return `secrets:${row.scope}:${row.id}`
}

export function sqlSecrets(database: Database, sealer: Sealer) {
  return {
    /** Returns the signing secret of a webhook endpoint (processor id). Secrets are sealed at rest. */
    async webhookSecret(endpoint: string): Promise<string | null> {
      const row = await database.read((db) =>
        db
          .selectFrom('secrets')
          .selectAll()
          .where('scope', '=', 'webhook')
          .where('id', '=', endpoint)
          .executeTakeFirst(),
      )
      return row === undefined ? null : sealer.open(row.sealed, secretContext(row))
    },

    saveWebhookSecret: (endpoint: string, secret: string): Promise<void> =>
      database.write((db) => putWebhookSecret(db, sealer, endpoint, secret)),

    /**
     * Stores the key that signs session cookies, unless one is stored already. Returns the stored key, which is the same for all replicas.
     */
    async bindSessionKey(fresh: string): Promise<string> {
      const row = { scope: 'session', id: 'signing-key' } as const
      return sealer.open(await bindSealed(database, sealer, row, fresh), secretContext(row))
    },
  }
}

/**
 * Saves the secret within the caller's transaction, so that the journal step and the secret from its response are either both stored or
 * both not.
 */
export async function putWebhookSecret(db: Write, sealer: Sealer, endpoint: string, secret: string): Promise<void> {
  const row = { scope: 'webhook', id: endpoint } as const
  const sealed = sealer.seal(secret, secretContext(row))
  await db
    .insertInto('secrets')
    .values({ ...row, sealed })
    .onConflict((conflict) => conflict.columns(['scope', 'id']).doUpdateSet({ sealed }))
    .execute()
}

/**
 * Throws `secret_unreadable` if the master key does not belong to this store. Called at start. Otherwise new texts could be sealed with a
 * wrong key.
 */
export async function checkMasterKey(database: Database, sealer: Sealer): Promise<void> {
  const row = { scope: 'check', id: 'master-key' } as const
  sealer.open(await bindSealed(database, sealer, row, 'ok'), secretContext(row))
}

/** Seals and inserts `plain` if the row does not exist. Returns the stored sealed text. */
async function bindSealed(
  database: Database,
  sealer: Sealer,
  row: Pick<SecretRow, 'scope' | 'id'>,
  plain: string,
): Promise<string> {
  return database.write(async (db) => {
    await db
      .insertInto('secrets')
      .values({ ...row, sealed: sealer.seal(plain, secretContext(row)) })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    const found = await db
      .selectFrom('secrets')
      .select('sealed')
      .where('scope', '=', row.scope)
      .where('id', '=', row.id)
      .executeTakeFirstOrThrow()
    return found.sealed
  })
}
