import type { Rename } from '../../../../catalog/renames.ts'
import { ServiceError } from '../../../../base/errors/service-error.ts'
import type { LeaseToken } from '../../../lease-token.ts'
import type { Sealer } from '../../../seal.ts'
import {
  pushColumns,
  pushHeadColumns,
  stepColumns,
  type NewPush,
  type PushHead,
  type PushRecord,
  type StepRecord,
} from '../../../records/journal.ts'
import type { PageQuery, Page } from '../../../records/page.ts'
import { closePush } from './close-push.ts'
import type { Write } from '../../database/database.ts'
import { readPage } from '../../database/queries.ts'
import { SqlJournal, toStep, type JournalDeps } from './journal.ts'
import { putWebhookSecret } from './secrets.ts'
import type { ArchivedObject, VersionRecord, MappingChange, NewVersion } from '../../../records/configuration.ts'

interface SucceedStepInput {
  readonly processorId: string | null
  readonly requestId: string | null
  readonly secret?: string
  readonly archived?: ArchivedObject
}
type SettleStepInput = 'failed' | 'unknown' | 'pending' | 'skipped'
type EndPushInput = 'failed' | 'interrupted' | 'abandoned'

export class SqlPushes extends SqlJournal<PushRecord, NewPush, StepRecord, EndPushInput> {
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

  /** Sets the step's state to `begun`, increments its attempts and stores the resolved step. Call it before the step is sent. */
  async begin(pushId: string, index: number, resolved: string, token: LeaseToken): Promise<StepRecord> {
    return this.beginStep(pushId, index, { resolved }, token)
  }

  /** Stores the result of a step in one transaction, together with the secret in its response and the last state of a deleted object. */
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

  /**
   * Stores the outcome of a step that did not succeed. `failed`: the processor refused it. `unknown`: it was sent and got no response.
   * `pending`: it was not executed.
   */
  async settle(
    pushId: string,
    index: number,
    state: SettleStepInput,
    error: string | null,
    token: LeaseToken,
  ): Promise<void> {
    await this.settleStep(pushId, index, { state, error }, token)
  }

  /**
   * Makes the push the current version: writes the version, the current pointer, the renames, the mappings and the end of the journal in
   * one transaction.
   */
  async close(
    pushId: string,
    version: NewVersion,
    mappings: readonly MappingChange[],
    token: LeaseToken,
    renames: readonly Rename[] = [],
  ): Promise<VersionRecord> {
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

  /**
   * Returns steps that were sent, or may have been, by unfinished pushes that were planned on this revision. A push is unfinished until it
   * becomes a version.
   */
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

  async list(page: PageQuery): Promise<Page<PushHead>> {
    return this.deps.database.read((db) =>
      readPage(
        db.selectFrom('pushes').select(pushHeadColumns).orderBy('createdAt', 'desc').orderBy('id', 'desc'),
        page,
      ),
    )
  }

  /**
   * Returns pushes with steps whose outcome must be found before the next plan, oldest first. These are pushes in state `planned`,
   * `running` or `interrupted`, and pushes in state `failed` with steps of unknown outcome.
   */
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
