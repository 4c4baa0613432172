// The SQL journal of pushes and jobs. Only the holder of the lease may write, the state of a step only moves forward, and ended work stays
// ended. Each method is one transaction. The journal does not decide what the work does.
import type { Clock } from '../../../../base/clock.ts'
import { ServiceError } from '../../../../base/errors/service-error.ts'
import type { LeaseToken } from '../../../lease-token.ts'
import type { Columns } from '../../../records/columns.ts'
import type { StepState } from '../../../records/journal.ts'
import { batchSize, inBatches, storableParameter } from '../../database/queries.ts'
import type { Database, ReadConnection, Write } from '../../database/database.ts'
import type { Leases } from '../coordination/leases.ts'

export interface JournalDeps {
  readonly database: Database
  readonly leases: Leases
  readonly clock: Clock
}

/** Tables and columns of one kind of work (pushes or jobs). */
export interface JournalPlace {
  readonly kind: 'push' | 'job'
  readonly work: { readonly table: 'pushes' | 'jobs'; readonly columns: Columns }
  /** Column values that are written when the work runs or ends, e.g. `resumesAt: null`. */
  readonly notWaiting: Changes
  /**
   * State of work while its steps are being stored in several transactions. Several are needed because the embedded engine blocks all other
   * requests while it commits, e.g. 200 ms for 57,000 steps. null: work and steps are stored in one transaction.
   */
  readonly opening: 'planned' | null
  readonly steps: { readonly table: 'steps' | 'jobSteps'; readonly columns: Columns; readonly of: 'pushId' | 'jobId' }
}

interface OpenedRun {
  readonly id: string
  readonly createdAt: number
  readonly steps: readonly string[]
}

type Row = Readonly<Record<string, unknown>>
type Changes = Readonly<Record<string, string | number | null>>

export abstract class SqlJournal<
  Work extends { readonly state: string },
  New extends OpenedRun,
  Step,
  End extends string,
> {
  protected readonly deps: JournalDeps
  readonly #place: JournalPlace

  protected constructor(deps: JournalDeps, place: JournalPlace) {
    this.deps = deps
    this.#place = place
  }

  /** Throws if the work's state allows no more writes. */
  protected abstract refuseEnded(db: Write, id: string, state: Work['state']): Promise<void>
  /** Prepares the steps for a resume. Throws if work in this state cannot be resumed. */
  protected abstract reopen(db: Write, id: string, state: Work['state']): Promise<void>
  protected abstract notFound(id: string): ServiceError

  /**
   * Adds the work in state `running` with all its steps, in order and `pending`. A push with thousands of steps is stored in several
   * transactions. If the process dies before the last one, the push stays in state `planned` and cannot be resumed.
   */
  async open(work: New, token: LeaseToken): Promise<Work> {
    const { steps, ...head } = work
    const { kind, work: table } = this.#names
    const { opening } = this.#place
    const atOnce = opening === null || steps.length <= batchSize ? steps.length : batchSize
    const later = steps.slice(atOnce)
    const counts = { stepsTotal: steps.length, stepsDone: 0, updatedAt: work.createdAt }
    const running = { ...emptyRow(this.#place.work.columns), ...head, ...counts, state: 'running' }
    const first = later.length === 0 ? running : { ...running, state: opening }
    await this.#write(token, async (db) => {
      const added = await db
        .insertInto(table)
        .values(first as never)
        .onConflict((conflict) => conflict.column('id').doNothing())
        .returning('id')
        .executeTakeFirst()
      if (added === undefined) throw new ServiceError('conflict', `There is a ${kind} "${work.id}" already.`)
      await inBatches(steps.slice(0, atOnce), (slice, start) => this.#addSteps(db, work.id, slice, start))
    })
    await inBatches(later, (slice, start) =>
      this.#write(token, (db) => this.#addSteps(db, work.id, slice, atOnce + start)),
    )
    if (later.length > 0) await this.#write(token, (db) => this.#change(db, work.id, { state: 'running' }))
    // The returned record is built here and not read from the database, because reading the row of a large push takes longer than 50 ms.
    const stored = Object.entries(running).map(([name, value]) => [name, storableParameter(value)])
    return Object.fromEntries(stored) as Work
  }

  /** Ends the work, or pauses it in state `interrupted`. Paused work can be resumed. `error` is JSON. */
  async end(id: string, state: End, error: string | null, token: LeaseToken): Promise<void> {
    const finishedAt = state === 'interrupted' ? null : this.deps.clock.now()
    await this.stop(id, { ...this.#place.notWaiting, state, error, finishedAt }, token)
  }

  /** Sets paused work to `running` again. */
  async resume(id: string, token: LeaseToken): Promise<void> {
    await this.onWork(id, token, async (db, at, state) => {
      await this.reopen(db, id, state)
      const running = { state: 'running', error: null, finishedAt: null, updatedAt: at } as const
      await this.#change(db, id, { ...this.#place.notWaiting, ...running })
      // The cancel request was meant for the process that ran the work before and has died. So the request is deleted.
      await this.forgetCancel(db, id)
    })
  }

  /**
   * Stores a request to cancel running work between two steps. The process that runs the work polls for the request. Returns false if the
   * work is not running.
   */
  async requestCancel(id: string, at: number): Promise<boolean> {
    const { kind, work } = this.#names
    return this.deps.database.write(async (db) => {
      const found = await this.deps.database
        .locked(db.selectFrom(work).select('state'))
        .where('id', '=', id)
        .executeTakeFirst()
      if (found?.state !== 'running') return false
      await db
        .insertInto('cancelRequests')
        .values({ kind, id, requestedAt: at })
        .onConflict((conflict) => conflict.columns(['kind', 'id']).doNothing())
        .execute()
      return true
    })
  }

  async cancelRequested(id: string): Promise<boolean> {
    const row = await this.deps.database.read((db) =>
      db
        .selectFrom('cancelRequests')
        .select('id')
        .where('kind', '=', this.#names.kind)
        .where('id', '=', id)
        .executeTakeFirst(),
    )
    return row !== undefined
  }

  async find(id: string): Promise<Work | null> {
    const row = await this.deps.database.read((db) =>
      db.selectFrom(this.#names.work).selectAll().where('id', '=', id).executeTakeFirst(),
    )
    return (row as unknown as Work | undefined) ?? null
  }

  /**
   * Returns the steps in order. With `since` (epoch milliseconds), returns only steps that began or ended at that time or later, by the
   * clock of the process that ran the steps.
   */
  async steps(id: string, since?: number): Promise<readonly Step[]> {
    const found: Step[] = []
    const last = await this.#lastPosition(id)
    for (let from = 0; from <= last; from += batchSize) {
      const rows = await this.deps.database.read((db) => this.#stepsFrom(db, id, from, since).execute())
      for (const row of rows) found.push(toStep<Step>(row))
    }
    return found
  }

  /** Ends or pauses the work, and deletes its cancel request. */
  protected async stop(id: string, changes: Changes, token: LeaseToken): Promise<void> {
    await this.onWork(id, token, async (db, at) => {
      await this.#change(db, id, { ...changes, updatedAt: at })
      await this.forgetCancel(db, id)
    })
  }

  protected async beginStep(id: string, index: number, changes: Changes, token: LeaseToken): Promise<Step> {
    const { steps, of } = this.#names
    return this.#onStep(id, index, 0, token, async (db, at) => {
      const begun = { ...changes, state: 'begun', error: null, beganAt: at, endedAt: null } as const
      const row = await db
        .updateTable(steps)
        .set((eb) => ({ ...begun, attempts: eb('attempts', '+', 1) }))
        .where(of, '=', id)
        .where('position', '=', index)
        .returningAll()
        .executeTakeFirstOrThrow()
      return toStep<Step>(row)
    })
  }

  /** Stores the outcome of a step. `besides` can write further rows in the same transaction. */
  protected async settleStep(
    id: string,
    index: number,
    changes: Changes & { readonly state: StepState },
    token: LeaseToken,
    besides: (db: Write) => Promise<void> = () => Promise.resolve(),
  ): Promise<void> {
    const { steps, of } = this.#names
    const { state } = changes
    await this.#onStep(id, index, isDone(state) ? 1 : 0, token, async (db, at) => {
      await db
        .updateTable(steps)
        .set({ ...changes, endedAt: state === 'pending' ? null : at })
        .where(of, '=', id)
        .where('position', '=', index)
        .execute()
      await besides(db)
    })
  }

  /** Runs `action` with the work's row locked. Throws if the work does not exist or has ended. */
  protected async onWork<T>(
    id: string,
    token: LeaseToken,
    action: (db: Write, at: number, state: Work['state']) => Promise<T>,
  ): Promise<T> {
    return this.#write(token, async (db) => {
      const work = await this.deps.database
        .locked(db.selectFrom(this.#names.work).select('state'))
        .where('id', '=', id)
        .executeTakeFirst()
      if (work === undefined) throw this.notFound(id)
      await this.refuseEnded(db, id, work.state)
      return action(db, this.deps.clock.now(), work.state)
    })
  }

  protected async forgetCancel(db: Write, id: string): Promise<void> {
    await db.deleteFrom('cancelRequests').where('kind', '=', this.#names.kind).where('id', '=', id).execute()
  }

  /** Locks the row of the lease first and the row of the work second. Every method does so, so that two transactions cannot deadlock. */
  async #write<T>(token: LeaseToken, action: (db: Write) => Promise<T>): Promise<T> {
    return this.deps.database.write(async (db) => {
      await this.deps.leases.assertHeld(db, token)
      return action(db)
    })
  }

  /** Runs `action` on a step that is not done, with the work's row locked. Adds `done` to the number of finished steps of the work. */
  async #onStep<T>(
    id: string,
    index: number,
    done: 0 | 1,
    token: LeaseToken,
    action: (db: Write, at: number) => Promise<T>,
  ): Promise<T> {
    const { kind, work, steps, of } = this.#names
    return this.onWork(id, token, async (db, at) => {
      const step = await db
        .selectFrom(steps)
        .select('state')
        .where(of, '=', id)
        .where('position', '=', index)
        .executeTakeFirst()
      if (step === undefined) throw new ServiceError('internal', `The ${kind} "${id}" has no step ${String(index)}.`)
      if (isDone(step.state))
        throw new ServiceError('internal', `Step ${String(index)} of the ${kind} "${id}" is ${step.state} already.`)
      // Updates the row without reading it, because the row of a push contains the whole document.
      await db
        .updateTable(work)
        .set((eb) => ({ updatedAt: at, stepsDone: eb('stepsDone', '+', done) }))
        .where('id', '=', id)
        .execute()
      return action(db, at)
    })
  }

  async #addSteps(db: Write, id: string, steps: readonly string[], start: number): Promise<void> {
    const pending = { ...emptyRow(this.#place.steps.columns), [this.#names.of]: id, state: 'pending', attempts: 0 }
    await db
      .insertInto(this.#names.steps)
      .values(steps.map((step, index) => ({ ...pending, position: start + index, step })) as never)
      .execute()
  }

  /** Returns -1 if the work has no steps. */
  async #lastPosition(id: string): Promise<number> {
    const { steps, of } = this.#names
    const row = await this.deps.database.readFirst((db) =>
      db
        .selectFrom(steps)
        .select((eb) => eb.fn.max<number | null>('position').as('last'))
        .where(of, '=', id)
        .executeTakeFirst(),
    )
    return row?.last ?? -1
  }

  /** Selects the steps of one range of positions. One query for all steps would block other requests on the embedded engine. */
  #stepsFrom(db: ReadConnection, id: string, from: number, since: number | undefined) {
    const { steps, of } = this.#names
    const batch = db
      .selectFrom(steps)
      .selectAll()
      .where(of, '=', id)
      .where('position', '>=', from)
      .where('position', '<', from + batchSize)
      .orderBy('position')
    if (since === undefined) return batch
    return batch.where((eb) => eb.or([eb('beganAt', '>=', since), eb('endedAt', '>=', since)]))
  }

  async #change(db: Write, id: string, changes: Changes): Promise<void> {
    await db.updateTable(this.#names.work).set(changes).where('id', '=', id).execute()
  }

  /**
   * Names of the tables and columns. The statements use only columns that pushes and jobs have in common, so the types of jobs are used for
   * both.
   */
  get #names() {
    const { kind, work, steps } = this.#place
    return { kind, work: work.table as 'jobs', steps: steps.table as 'jobSteps', of: steps.of as 'jobId' }
  }
}

function isDone(state: StepState): boolean {
  return state === 'succeeded' || state === 'skipped'
}

/** Returns a row with null in every nullable column. */
function emptyRow(columns: Columns): Row {
  return Object.fromEntries(Object.entries(columns).flatMap(([name, { nullable }]) => (nullable ? [[name, null]] : [])))
}

// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- rows are read by the columns that make the type
export function toStep<Step>({ position, ...row }: { readonly position: number }): Step {
  return { ...row, index: position } as Step
}
