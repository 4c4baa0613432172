import type { Rename } from '../../../../catalog/renames.ts'
import { ServiceError } from '../../../../base/errors/service-error.ts'
import type { LeaseToken } from '../../../lease-token.ts'
import type { Sealer } from '../../../seal.ts'
import { pushColumns, pushHeadColumns, stepColumns } from '../../../records/journal.ts'
import type { PushHead, PushRecord, StepRecord } from '../../../records/journal.ts'
import type { PageQuery } from '../../../records/page.ts'
import type { MappingChange, NewPush, NewVersion, PushStore } from '../../../store.ts'
import { closePush } from './close-push.ts'
import type { Write } from '../../database/database.ts'
import { readPage } from '../../database/read-page.ts'
import { SqlJournal, toStep, type JournalDeps } from './journal.ts'
import { putWebhookSecret } from './secrets.ts'

type SucceedStepInput = Parameters<PushStore['succeed']>[2]
type SettleStepInput = Parameters<PushStore['settle']>[2]
type EndPushInput = Parameters<PushStore['end']>[1]

export class SqlPushes extends SqlJournal<PushRecord, NewPush, StepRecord, EndPushInput> implements PushStore {
  readonly #sealer: Sealer

  constructor({ sealer, ...deps }: JournalDeps & { readonly sealer: Sealer }) {
    super(deps, {
      kind: 'push',
      work: { table: 'pushes', columns: pushColumns },
      notWaiting: {},
      opening: 'planned',
      steps: { table: 'steps', columns: stepColumns, of: 'pushId' },
    })
    this.#sealer = sealer
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
        await putWebhookSecret(db, this.#sealer, processorId, secret)
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
    return this.deps.database.readFirst((db) =>
      db.selectFrom('pushes').select(pushHeadColumns).where('id', '=', pushId).executeTakeFirst(),
    )
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

  async list(page: PageQuery) {
    return this.deps.database.read((db) =>
      readPage(
        db.selectFrom('pushes').select(pushHeadColumns).orderBy('createdAt', 'desc').orderBy('id', 'desc'),
        page,
      ),
    )
  }

  async unresolved(): Promise<readonly PushHead[]> {
    return this.deps.database.read((db) =>
      db
        .selectFrom('pushes')
        .select(pushHeadColumns)
        .where((eb) =>
          eb.or([
            eb('state', 'in', ['planned', 'running', 'interrupted']),
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
    // The caller holds the lease of pushes, so no process runs a push now. A push in state `running` was interrupted, because its process
    // died.
    if (state !== 'interrupted' && state !== 'running')
      throw new ServiceError('push_not_resumable', `The push "${id}" is ${state}.`)
    return Promise.resolve()
  }

  protected override notFound(id: string): ServiceError {
    return new ServiceError('push_not_found', `There is no push "${id}".`)
  }
}
