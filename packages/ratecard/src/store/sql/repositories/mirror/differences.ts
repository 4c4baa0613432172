// Differences that a comparison found between the mirror and the lists of the processor.
import type { MirroredCustomer, MirroredKind } from '../../../../processor/mirrored.ts'
import { inBatches } from '../../database/queries.ts'
import type { ReadConnection, Write } from '../../database/database.ts'
import type { MirrorRef } from '../../../records/mirror.ts'

export async function addDifferences(db: Write, refs: readonly MirrorRef[]): Promise<void> {
  await inBatches(refs, (slice) =>
    db
      .insertInto('mirrorDifferences')
      .values(slice.map(({ kind, id }) => ({ kind, id })))
      .onConflict((conflict) => conflict.doNothing())
      .execute(),
  )
}

export async function removeDifferences(db: Write, refs: readonly MirrorRef[]): Promise<void> {
  await inBatches(refs, (slice) =>
    db
      .deleteFrom('mirrorDifferences')
      .where((eb) => eb.or(slice.map(({ kind, id }) => eb('kind', '=', kind).and('id', '=', id))))
      .execute(),
  )
}

/** Deletes all differences and returns their number. */
export async function takeDifferences(db: Write): Promise<number> {
  const { numDeletedRows } = await db.deleteFrom('mirrorDifferences').executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

/** See {@link MirrorStore.unlisted}. */
export async function unlistedObjects(
  db: ReadConnection,
  kind: MirroredKind,
  number: number,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<{ readonly refs: readonly MirrorRef[]; readonly last: string | null }> {
  const rows = await db
    .selectFrom('mirrorObjects as stored')
    .leftJoin('mirrorStale as mark', (join) =>
      join.onRef('mark.kind', '=', 'stored.kind').onRef('mark.id', '=', 'stored.id'),
    )
    .select(['stored.id', 'mark.id as marked'])
    // The object is needed for few rows only.
    .select((eb) => eb.case().when('stored.readAt', '<', number).then(eb.ref('stored.object')).end().as('object'))
    .where('stored.kind', '=', kind)
    .where('stored.object', 'is not', null)
    .$if(after !== null, (query) => query.where('stored.id', '>', after ?? ''))
    .orderBy('stored.id')
    .limit(limit)
    .execute()
  const missing = rows.filter(({ object, marked }) => object !== null && marked === null && !isDeleted(kind, object))
  return { refs: missing.map(({ id }) => ({ kind, id })), last: rows.at(-1)?.id ?? null }
}

function isDeleted(kind: MirroredKind, object: string): boolean {
  return kind === 'customer' && (JSON.parse(object) as MirroredCustomer).deleted
}
