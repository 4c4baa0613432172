import type { Rename } from '../../../../catalog/renames.ts'
import { ServiceError } from '../../../../errors/service-error.ts'
import type { LeaseToken } from '../../../lease-token.ts'
import { pushColumns, pushHeadColumns, stepColumns } from '../../../records/journal.ts'
import type { PushHead, PushRecord, StepRecord } from '../../../records/journal.ts'
import type { MappingChange, NewPush, NewVersion, PushStore } from '../../../store.ts'
import { closePush } from './close-push.ts'
import type { Write } from '../../database/database.ts'
import { SqlJournal, toStep } from './journal.ts'
import type { JournalDeps } from './journal.ts'
import type { SqlSecrets } from './secrets.ts'

type SucceedStepInput = Parameters<PushStore['succeed']>[2]
type SettleStepInput = Parameters<PushStore['settle']>[2]
type EndPushInput = Parameters<PushStore['end']>[1]

/** The SQL journal of pushes. */
export class SqlPushes extends SqlJournal<PushRecord, NewPush, StepRecord, EndPushInput> implements PushStore {
  readonly #secrets: SqlSecrets

  constructor({ secrets, ...deps }: JournalDeps & { readonly secrets: SqlSecrets }) {
    super(deps, {
      kind: 'push',
      work: { table: 'pushes', columns: pushColumns },
      notWaiting: {},
      steps: { table: 'steps', columns: stepColumns, of: 'pushId' },
    })
    this.#secrets = secrets
  }

  async begin(pushId: string, index: number, resolved: string, token: LeaseToken): Promise<StepRecord> {
    return this.beginStep(pushId, index, { resolved }, token)
  }

  async succeed(pushId: string, index: number, result: SucceedStepInput, token: LeaseToken): Promise<void> {
    const { processorId, requestId, secret, archived } = result
    const changes = { state: 'succeeded', processorId, requestId, error: null } as const
    await this.settleStep(pushId, index, changes, token, async (db) => {
      if (secret !== undefined) {
        if (processorId === null) throw new ServiceError('internal', 'A secret came without the id of its endpoint.')
        await this.#secrets.putWebhookSecret(db, processorId, secret)
      }
      if (archived !== undefined)
        await db
          .insertInto('archivedObjects')
          .values(archived)
          .onConflict((conflict) => conflict.column('processorId').doUpdateSet(archived))
          .execute()
    })
  }

  async settle(
    pushId: string,
    index: number,
    state: SettleStepInput,
    error: string | null,
    token: LeaseToken,
  ): Promise<void> {
    await this.settleStep(pushId, index, { state, error }, token)
  }

  async close(
    pushId: string,
    version: NewVersion,
    mappings: readonly MappingChange[],
    token: LeaseToken,
    renames: readonly Rename[] = [],
  ) {
    return this.onWork(pushId, token, async (db, at) => {
      const record = await closePush(this.deps.database, db, { pushId, version, mappings, renames, at })
      await this.forgetCancel(db, pushId)
      return record
    })
  }

  async head(pushId: string): Promise<PushHead | null> {
    const row = await this.deps.database.read((db) =>
      db.selectFrom('pushes').select(pushHeadColumns).where('id', '=', pushId).executeTakeFirst(),
    )
    return row ?? null
  }

  async stepsSince(revision: number): Promise<readonly StepRecord[]> {
    const rows = await this.deps.database.read((db) =>
      db
        .selectFrom('steps')
        .innerJoin('pushes', 'pushes.id', 'steps.pushId')
        .selectAll('steps')
        .where('pushes.baseRevision', '=', revision)
        .where('pushes.state', '!=', 'applied')
        .where('steps.state', 'in', ['begun', 'succeeded', 'unknown'])
        .execute(),
    )
    return rows.map((row) => toStep<StepRecord>(row))
  }

  async list(page: { readonly limit: number; readonly offset: number }) {
    return this.deps.database.read(async (db) => {
      const items = await db
        .selectFrom('pushes')
        .select(pushHeadColumns)
        .orderBy('createdAt', 'desc')
        .orderBy('id', 'desc')
        .limit(page.limit)
        .offset(page.offset)
        .execute()
      const { total } = await db
        .selectFrom('pushes')
        .select((eb) => eb.fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow()
      return { items, total }
    })
  }

  async unresolved(): Promise<readonly PushRecord[]> {
    return this.deps.database.read((db) =>
      db
        .selectFrom('pushes')
        .selectAll()
        .where((eb) =>
          eb.or([
            eb('state', 'in', ['running', 'interrupted']),
            eb.and([
              eb('state', '=', 'failed'),
              eb(
                'id',
                'in',
                eb.selectFrom('steps').select('steps.pushId').where('steps.state', 'in', ['unknown', 'begun']),
              ),
            ]),
          ]),
        )
        .orderBy('createdAt')
        .orderBy('id')
        .execute(),
    )
  }

  protected override async refuseEnded(db: Write, id: string, state: PushRecord['state']): Promise<void> {
    if (state === 'abandoned') throw new ServiceError('conflict', `The push "${id}" was abandoned.`)
    if (state !== 'applied') return
    const { revision } = await db.selectFrom('pushes').select('revision').where('id', '=', id).executeTakeFirstOrThrow()
    throw new ServiceError('conflict', `The push "${id}" is applied already, as revision ${String(revision)}.`)
  }

  protected override reopen(_db: Write, id: string, state: PushRecord['state']): Promise<void> {
    // A push that is still `running` while this process holds its lease was cut off: its process died.
    if (state !== 'interrupted' && state !== 'running')
      throw new ServiceError('push_not_resumable', `The push "${id}" is ${state}.`)
    return Promise.resolve()
  }

  protected override notFound(id: string): ServiceError {
    return new ServiceError('push_not_found', `There is no push "${id}".`)
  }
}
