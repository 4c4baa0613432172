import type { Sealer } from '../../../seal.ts'
import type { SecretStore } from '../../../store.ts'
import type { Database, Write } from '../../database/database.ts'
import type { SecretRow } from '../../../records/auth.ts'

/** Returns the context that a sealed text is bound to: its table, scope and id. */
export function secretContext(row: Pick<SecretRow, 'scope' | 'id'>): string {
  return `secrets:${row.scope}:${row.id}`
}

export class SqlSecrets implements SecretStore {
  readonly #database: Database
  readonly #sealer: Sealer

  constructor(database: Database, sealer: Sealer) {
    this.#database = database
    this.#sealer = sealer
  }

  async webhookSecret(endpoint: string): Promise<string | null> {
    const row = await this.#database.read((db) =>
      db.selectFrom('secrets').selectAll().where('scope', '=', 'webhook').where('id', '=', endpoint).executeTakeFirst(),
    )
    return row === undefined ? null : this.#sealer.open(row.sealed, secretContext(row))
  }

  async saveWebhookSecret(endpoint: string, secret: string): Promise<void> {
    await this.#database.write((db) => this.putWebhookSecret(db, endpoint, secret))
  }

  async bindSessionKey(fresh: string): Promise<string> {
    const row = { scope: 'session', id: 'signing-key' } as const
    return this.#sealer.open(await bindSealed(this.#database, this.#sealer, row, fresh), secretContext(row))
  }

  /**
   * Saves the secret within the caller's transaction, so that a journal step and the secret in its response are stored together or not at
   * all.
   */
  async putWebhookSecret(db: Write, endpoint: string, secret: string): Promise<void> {
    const row = { scope: 'webhook', id: endpoint } as const
    const sealed = this.#sealer.seal(secret, secretContext(row))
    await db
      .insertInto('secrets')
      .values({ ...row, sealed })
      .onConflict((conflict) => conflict.columns(['scope', 'id']).doUpdateSet({ sealed }))
      .execute()
  }
}

/**
 * Throws `secret_unreadable` if the master key does not belong to this store. Called at start, before anything is sealed under a second key
 * that no operator would know to keep.
 */
export async function checkMasterKey(database: Database, sealer: Sealer): Promise<void> {
  const row = { scope: 'check', id: 'master-key' } as const
  sealer.open(await bindSealed(database, sealer, row, 'ok'), secretContext(row))
}

/** Inserts `plain`, sealed, if the row is absent. Returns the stored sealed text. */
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
