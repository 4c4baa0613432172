import type { Sealer } from '../../../seal.ts'
import type { SecretStore } from '../../../store.ts'
import type { Database, Write } from '../../database/database.ts'
import type { SecretRow } from '../../../records/auth.ts'

/** The row that a sealed text is bound to. */
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

  /** The same inside a transaction: a journal step and the secret of its answer are kept together or not at all. */
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
 * Fails with `secret_unreadable` when the master key does not belong to this store: at the start, before anything
 * is sealed under a second key that nobody knows to keep.
 */
export async function checkMasterKey(database: Database, sealer: Sealer): Promise<void> {
  const row = { scope: 'check', id: 'master-key' } as const
  sealer.open(await bindSealed(database, sealer, row, 'ok'), secretContext(row))
}

/** Keeps `plain` when the row is absent; what is there now, sealed. */
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
