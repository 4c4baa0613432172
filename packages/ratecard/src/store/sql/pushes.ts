// The journal of pushes. Decides that a write comes from the holder of the lease and that a step moves only forward;
// never decides what a push does. Each method is one transaction.
import type { Rename } from '../../catalog/renames.ts'
import { ServiceError } from '../../errors/service-error.ts'
import type { Clock } from '../../clock.ts'
import type {
  LeaseToken,
  MappingChange,
  NewPush,
  NewVersion,
  PushHead,
  PushRecord,
  PushStore,
  StepRecord,
} from '../store.ts'
import { inBatches } from './batches.ts'
import { forgetCancel, isCancelRequested, requestCancel } from './cancel-requests.ts'
import { closePush } from './close-push.ts'
import type { Database, Write } from './database.ts'
import type { Leases } from './leases.ts'
import type { SqlSecrets } from './secrets.ts'
import type { StepRow } from '../records/journal.ts'

export interface JournalDeps {
  readonly database: Database
  readonly leases: Leases
  readonly secrets: SqlSecrets
  readonly clock: Clock
}

type Succeeded = Parameters<PushStore['succeed']>[2]
type Settled = Parameters<PushStore['settle']>[2]
type Ended = Parameters<PushStore['end']>[1]

const headColumns = [
  ...(['id', 'kind', 'state', 'version', 'author', 'message', 'baseRevision', 'stepsTotal', 'stepsDone'] as const),
  ...(['error', 'createdAt', 'updatedAt', 'finishedAt', 'revision'] as const),
] as const satisfies readonly (keyof PushHead)[]

export class SqlPushes implements PushStore {
  readonly #deps: JournalDeps

  constructor(deps: JournalDeps) {
    this.#deps = deps
  }

  async open(push: NewPush, token: LeaseToken): Promise<PushRecord> {
    const { steps, ...head } = push
    const record: PushRecord = {
      ...head,
      state: 'running',
      stepsTotal: steps.length,
      stepsDone: 0,
      error: null,
      updatedAt: push.createdAt,
      finishedAt: null,
      revision: null,
    }
    return this.#write(token, async (db) => {
      const added = await db
        .insertInto('pushes')
        .values(record)
        .onConflict((conflict) => conflict.column('id').doNothing())
        .returningAll()
        .executeTakeFirst()
      if (added === undefined) throw new ServiceError('conflict', `There is a push "${push.id}" already.`)
      const rows = steps.map((step, position) => newStep(push.id, position, step))
      await inBatches(rows, (slice) => db.insertInto('steps').values(slice).execute())
      return added
    })
  }

  async begin(pushId: string, index: number, resolved: string, token: LeaseToken): Promise<StepRecord> {
    return this.#onStep(pushId, index, 0, token, async (db, at) => {
      const row = await db
        .updateTable('steps')
        .set((eb) => ({
          state: 'begun',
          attempts: eb('attempts', '+', 1),
          resolved,
          error: null,
          beganAt: at,
          endedAt: null,
        }))
        .where('pushId', '=', pushId)
        .where('position', '=', index)
        .returningAll()
        .executeTakeFirstOrThrow()
      return toStep(row)
    })
  }

  async succeed(pushId: string, index: number, result: Succeeded, token: LeaseToken): Promise<void> {
    const { processorId, requestId, secret, archived } = result
    await this.#onStep(pushId, index, 1, token, async (db, at) => {
      await updateStep(db, pushId, index, { state: 'succeeded', processorId, requestId, error: null, endedAt: at })
      if (secret !== undefined) {
        if (processorId === null) throw new ServiceError('internal', 'A secret came without the id of its endpoint.')
        await this.#deps.secrets.putWebhookSecret(db, processorId, secret)
      }
      if (archived !== undefined)
        await db
          .insertInto('archivedObjects')
          .values(archived)
          .onConflict((conflict) => conflict.column('processorId').doUpdateSet(archived))
          .execute()
    })
  }

  async settle(pushId: string, index: number, state: Settled, error: string | null, token: LeaseToken): Promise<void> {
    await this.#onStep(pushId, index, state === 'skipped' ? 1 : 0, token, async (db, at) => {
      await updateStep(db, pushId, index, { state, error, endedAt: state === 'pending' ? null : at })
    })
  }

  async end(pushId: string, state: Ended, error: string | null, token: LeaseToken): Promise<void> {
    await this.#onPush(pushId, token, async (db, at) => {
      const finishedAt = state === 'interrupted' ? null : at
      await db.updateTable('pushes').set({ state, error, finishedAt, updatedAt: at }).where('id', '=', pushId).execute()
      await forgetCancel(db, 'push', pushId)
    })
  }

  async resume(pushId: string, token: LeaseToken): Promise<void> {
    await this.#onPush(pushId, token, async (db, at, push) => {
      // A push that is still `running` while its lease is ours was cut off: its process died.
      if (push.state !== 'interrupted' && push.state !== 'running')
        throw new ServiceError('push_not_resumable', `The push "${pushId}" is ${push.state}.`)
      await db
        .updateTable('pushes')
        .set({ state: 'running', error: null, finishedAt: null, updatedAt: at })
        .where('id', '=', pushId)
        .execute()
      // Whoever asked the dead process to stop has what they wanted.
      await forgetCancel(db, 'push', pushId)
    })
  }

  async close(
    pushId: string,
    version: NewVersion,
    mappings: readonly MappingChange[],
    token: LeaseToken,
    renames: readonly Rename[] = [],
  ) {
    return this.#onPush(pushId, token, async (db, at) => {
      const record = await closePush(this.#deps.database, db, { pushId, version, mappings, renames, at })
      await forgetCancel(db, 'push', pushId)
      return record
    })
  }

  async find(pushId: string): Promise<PushRecord | null> {
    const row = await this.#deps.database.read((db) =>
      db.selectFrom('pushes').selectAll().where('id', '=', pushId).executeTakeFirst(),
    )
    return row ?? null
  }

  async head(pushId: string): Promise<PushHead | null> {
    const row = await this.#deps.database.read((db) =>
      db.selectFrom('pushes').select(headColumns).where('id', '=', pushId).executeTakeFirst(),
    )
    return row ?? null
  }

  async steps(pushId: string, since?: number): Promise<readonly StepRecord[]> {
    const rows = await this.#deps.database.read((db) => {
      const all = db.selectFrom('steps').selectAll().where('pushId', '=', pushId).orderBy('position')
      if (since === undefined) return all.execute()
      return all.where((eb) => eb.or([eb('beganAt', '>=', since), eb('endedAt', '>=', since)])).execute()
    })
    return rows.map(toStep)
  }

  async stepsSince(revision: number): Promise<readonly StepRecord[]> {
    const rows = await this.#deps.database.read((db) =>
      db
        .selectFrom('steps')
        .innerJoin('pushes', 'pushes.id', 'steps.pushId')
        .selectAll('steps')
        .where('pushes.baseRevision', '=', revision)
        .where('pushes.state', '!=', 'applied')
        .where('steps.state', 'in', ['begun', 'succeeded', 'unknown'])
        .execute(),
    )
    return rows.map(toStep)
  }

  async list(page: { readonly limit: number; readonly offset: number }) {
    return this.#deps.database.read(async (db) => {
      const items = await db
        .selectFrom('pushes')
        .select(headColumns)
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
    return this.#deps.database.read((db) =>
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

  async requestCancel(pushId: string, at: number): Promise<boolean> {
    return requestCancel(this.#deps.database, { kind: 'push', id: pushId, requestedAt: at })
  }

  async cancelRequested(pushId: string): Promise<boolean> {
    return isCancelRequested(this.#deps.database, 'push', pushId)
  }

  /** The lease row is locked first and the push second, in every method: no two of them can wait for each other. */
  async #write<T>(token: LeaseToken, work: (db: Write) => Promise<T>): Promise<T> {
    return this.#deps.database.write(async (db) => {
      await this.#deps.leases.assertHeld(db, token)
      return work(db)
    })
  }

  async #onPush<T>(
    pushId: string,
    token: LeaseToken,
    work: (db: Write, at: number, push: Pick<PushRecord, 'state'>) => Promise<T>,
  ): Promise<T> {
    return this.#write(token, async (db) => {
      const push = await this.#deps.database
        .locked(db.selectFrom('pushes').select(['state', 'revision']))
        .where('id', '=', pushId)
        .executeTakeFirst()
      if (push === undefined) throw new ServiceError('push_not_found', `There is no push "${pushId}".`)
      if (push.state === 'applied')
        throw new ServiceError(
          'conflict',
          `The push "${pushId}" is applied already, as revision ${String(push.revision)}.`,
        )
      if (push.state === 'abandoned') throw new ServiceError('conflict', `The push "${pushId}" was abandoned.`)
      return work(db, this.#deps.clock.now(), push)
    })
  }

  /** `done` counts a step that is done from now on. */
  async #onStep<T>(
    pushId: string,
    index: number,
    done: 0 | 1,
    token: LeaseToken,
    work: (db: Write, at: number) => Promise<T>,
  ): Promise<T> {
    return this.#onPush(pushId, token, async (db, at) => {
      const step = await db
        .selectFrom('steps')
        .select('state')
        .where('pushId', '=', pushId)
        .where('position', '=', index)
        .executeTakeFirst()
      if (step === undefined) throw new ServiceError('internal', `The push "${pushId}" has no step ${String(index)}.`)
      if (step.state === 'succeeded' || step.state === 'skipped')
        throw new ServiceError('internal', `Step ${String(index)} of the push "${pushId}" is ${step.state} already.`)
      // One statement: the row holds the whole document.
      await db
        .updateTable('pushes')
        .set((eb) => ({ updatedAt: at, stepsDone: eb('stepsDone', '+', done) }))
        .where('id', '=', pushId)
        .execute()
      return work(db, at)
    })
  }
}

function newStep(pushId: string, position: number, step: string): StepRow {
  return {
    pushId,
    position,
    step,
    state: 'pending',
    attempts: 0,
    resolved: null,
    processorId: null,
    requestId: null,
    error: null,
    beganAt: null,
    endedAt: null,
  }
}

function toStep(row: StepRow): StepRecord {
  const { position, ...rest } = row
  return { ...rest, index: position }
}

async function updateStep(db: Write, pushId: string, index: number, change: Partial<StepRow>): Promise<void> {
  await db.updateTable('steps').set(change).where('pushId', '=', pushId).where('position', '=', index).execute()
}
