// Store of written forms. A written form is a document as its author wrote it, before variables were expanded. A text is stored only once,
// with a list of the pushes that used it.
import { createHash } from 'node:crypto'
import type { Database } from '../../database/database.ts'
import type { WrittenForm } from '../../../records/configuration.ts'

/** Retention (ms) of a written form that no push used, e.g. because the push was refused: 24 hours. */
const unusedForMs = 24 * 60 * 60 * 1000

export function sqlWrittenForms(database: Database) {
  return {
    /** Stores a text once and returns its id. Deletes texts that no push used within a day. */
    async keep(document: string, at: number): Promise<string> {
      const id = createHash('sha256').update(document).digest('hex')
      await database.write(async (db) => {
        await db
          .insertInto('writtenForms')
          .values({ id, document, createdAt: at })
          .onConflict((conflict) => conflict.column('id').doUpdateSet({ createdAt: at }))
          .execute()
        await db
          .deleteFrom('writtenForms')
          .where('createdAt', '<', at - unusedForMs)
          .where('id', 'not in', (uses) => uses.selectFrom('writtenFormUses').select('writtenId'))
          .execute()
      })
      return id
    },

    async find(id: string): Promise<string | null> {
      const row = await database.read((db) =>
        db.selectFrom('writtenForms').select('document').where('id', '=', id).executeTakeFirst(),
      )
      return row?.document ?? null
    },

    /** Sets the written form (the document before variables were expanded) of a push, and of the version that the push becomes. */
    async assign(pushId: string, writtenId: string): Promise<void> {
      await database.write((db) =>
        db
          .insertInto('writtenFormUses')
          .values({ pushId, writtenId })
          .onConflict((conflict) => conflict.column('pushId').doUpdateSet({ writtenId }))
          .execute(),
      )
    },

    ofPush: (pushId: string): Promise<WrittenForm | null> =>
      database.readFirst((db) =>
        db
          .selectFrom('writtenFormUses')
          .innerJoin('writtenForms', 'writtenForms.id', 'writtenFormUses.writtenId')
          .select(['writtenForms.id', 'writtenForms.document'])
          .where('pushId', '=', pushId)
          .executeTakeFirst(),
      ),

    /** Returns the written forms of these pushes, in any order; omits pushes without a written form. */
    usedBy(pushIds: readonly string[]): Promise<readonly { readonly pushId: string; readonly writtenId: string }[]> {
      if (pushIds.length === 0) return Promise.resolve([])
      return database.read((db) =>
        db
          .selectFrom('writtenFormUses')
          .select(['pushId', 'writtenId'])
          .where('pushId', 'in', [...pushIds])
          .execute(),
      )
    },
  }
}
