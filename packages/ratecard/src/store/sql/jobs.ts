// The journal of jobs that change subscriptions. Decides that a write comes from the holder of the lease and that a step
// that is done stays done; never decides what a job does. Each method is one transaction.
import type { Clock } from '../../clock.ts'
import { ServiceError } from '../../errors/service-error.ts'
import type { LeaseToken } from '../store.ts'
import type { JobKind, JobRecord, JobStepRecord, JobStore, NewJob } from '../tenant-store.ts'
import { inBatches } from './batches.ts'
import { forgetCancel, isCancelRequested, requestCancel } from './cancel-requests.ts'
import type { Database, Write } from './database.ts'
import type { Leases } from './leases.ts'
import type { JobStepRow } from '../records/journal.ts'

export interface JobJournalDeps {
  readonly database: Database
  readonly leases: Leases
  readonly clock: Clock
}

type Outcome = Parameters<JobStore['settle']>[2]
type Ended = Parameters<JobStore['end']>[1]

export class SqlJobs implements JobStore {
  readonly #deps: JobJournalDeps

  constructor(deps: JobJournalDeps) {
    this.#deps = deps
  }

  async open(job: NewJob, token: LeaseToken): Promise<JobRecord> {
    const { steps, ...head } = job
    const record: JobRecord = {
      ...head,
      state: 'running',
      stepsTotal: steps.length,
      stepsDone: 0,
      error: null,
      updatedAt: job.createdAt,
      finishedAt: null,
    }
    return this.#write(token, async (db) => {
      const added = await db
        .insertInto('jobs')
        .values(record)
        .onConflict((conflict) => conflict.column('id').doNothing())
        .returningAll()
        .executeTakeFirst()
      if (added === undefined) throw new ServiceError('conflict', `There is a job "${job.id}" already.`)
      const rows = steps.map((step, position) => newStep(job.id, position, step))
      await inBatches(rows, (slice) => db.insertInto('jobSteps').values(slice).execute())
      return added
    })
  }

  async begin(jobId: string, index: number, token: LeaseToken): Promise<JobStepRecord> {
    return this.#onStep(jobId, index, token, async (db, at) => {
      await db.updateTable('jobs').set({ updatedAt: at }).where('id', '=', jobId).execute()
      const row = await db
        .updateTable('jobSteps')
        .set((eb) => ({
          state: 'begun',
          attempts: eb('attempts', '+', 1),
          result: null,
          error: null,
          beganAt: at,
          endedAt: null,
        }))
        .where('jobId', '=', jobId)
        .where('position', '=', index)
        .returningAll()
        .executeTakeFirstOrThrow()
      return toStep(row)
    })
  }

  async settle(jobId: string, index: number, outcome: Outcome, token: LeaseToken): Promise<void> {
    const { state, result, error } = outcome
    const done = state === 'succeeded' || state === 'skipped' ? 1 : 0
    await this.#onStep(jobId, index, token, async (db, at) => {
      // A step is done once: it was not done before, and the lock of the job keeps it so.
      await db
        .updateTable('jobs')
        .set((eb) => ({ stepsDone: eb('stepsDone', '+', done), updatedAt: at }))
        .where('id', '=', jobId)
        .execute()
      await db
        .updateTable('jobSteps')
        .set({ state, result, error, endedAt: state === 'pending' ? null : at })
        .where('jobId', '=', jobId)
        .where('position', '=', index)
        .execute()
    })
  }

  async end(jobId: string, state: Ended, error: string | null, token: LeaseToken): Promise<void> {
    await this.#onJob(jobId, token, async (db, at) => {
      const finishedAt = state === 'interrupted' ? null : at
      await db.updateTable('jobs').set({ state, error, finishedAt, updatedAt: at }).where('id', '=', jobId).execute()
      await forgetCancel(db, 'job', jobId)
    })
  }

  async resume(jobId: string, token: LeaseToken): Promise<void> {
    await this.#onJob(jobId, token, async (db, at) => {
      await db
        .updateTable('jobs')
        .set({ state: 'running', error: null, finishedAt: null, updatedAt: at })
        .where('id', '=', jobId)
        .execute()
      await db
        .updateTable('jobSteps')
        .set({ state: 'pending', error: null, endedAt: null })
        .where('jobId', '=', jobId)
        .where('state', '=', 'failed')
        .execute()
      // Whoever asked the dead process to stop has what they wanted.
      await forgetCancel(db, 'job', jobId)
    })
  }

  async requestCancel(jobId: string, at: number): Promise<boolean> {
    return requestCancel(this.#deps.database, { kind: 'job', id: jobId, requestedAt: at })
  }

  async cancelRequested(jobId: string): Promise<boolean> {
    return isCancelRequested(this.#deps.database, 'job', jobId)
  }

  async find(jobId: string): Promise<JobRecord | null> {
    const row = await this.#deps.database.read((db) =>
      db.selectFrom('jobs').selectAll().where('id', '=', jobId).executeTakeFirst(),
    )
    return row ?? null
  }

  async steps(jobId: string): Promise<readonly JobStepRecord[]> {
    const rows = await this.#deps.database.read((db) =>
      db.selectFrom('jobSteps').selectAll().where('jobId', '=', jobId).orderBy('position').execute(),
    )
    return rows.map(toStep)
  }

  async list(query: Parameters<JobStore['list']>[0]) {
    const { limit, offset, kind } = query
    return this.#deps.database.read(async (db) => {
      const all = db.selectFrom('jobs')
      const matching = kind === undefined ? all : all.where('kind', '=', kind)
      const items = await matching
        .selectAll()
        .orderBy('createdAt', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .offset(offset)
        .execute()
      const { total } = await matching.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
      return { items, total }
    })
  }

  async unfinished(kind: JobKind, subject: string): Promise<readonly JobRecord[]> {
    return this.#deps.database.read((db) =>
      db
        .selectFrom('jobs')
        .selectAll()
        .where('subject', '=', subject)
        .where('kind', '=', kind)
        .where('state', 'in', ['running', 'interrupted'])
        .orderBy('createdAt')
        .orderBy('id')
        .execute(),
    )
  }

  async interrupted(): Promise<readonly JobRecord[]> {
    return this.#deps.database.read((db) =>
      db.selectFrom('jobs').selectAll().where('state', '=', 'interrupted').orderBy('createdAt').orderBy('id').execute(),
    )
  }

  /** The lease row is locked first and the job second, in every method: no two of them can wait for each other. */
  async #write<T>(token: LeaseToken, work: (db: Write) => Promise<T>): Promise<T> {
    return this.#deps.database.write(async (db) => {
      await this.#deps.leases.assertHeld(db, token)
      return work(db)
    })
  }

  async #onJob<T>(jobId: string, token: LeaseToken, work: (db: Write, at: number) => Promise<T>): Promise<T> {
    return this.#write(token, async (db) => {
      const job = await this.#deps.database
        .locked(db.selectFrom('jobs').select('state'))
        .where('id', '=', jobId)
        .executeTakeFirst()
      if (job === undefined) throw new ServiceError('job_not_found', `There is no job "${jobId}".`)
      if (job.state === 'done' || job.state === 'cancelled')
        throw new ServiceError('job_not_running', `The job "${jobId}" is ${job.state}.`)
      return work(db, this.#deps.clock.now())
    })
  }

  async #onStep<T>(jobId: string, index: number, token: LeaseToken, work: (db: Write, at: number) => Promise<T>) {
    return this.#onJob(jobId, token, async (db, at) => {
      const step = await db
        .selectFrom('jobSteps')
        .select('state')
        .where('jobId', '=', jobId)
        .where('position', '=', index)
        .executeTakeFirst()
      if (step === undefined) throw new ServiceError('internal', `The job "${jobId}" has no step ${String(index)}.`)
      if (step.state === 'succeeded' || step.state === 'skipped')
        throw new ServiceError('internal', `Step ${String(index)} of the job "${jobId}" is ${step.state} already.`)
      return work(db, at)
    })
  }
}

function newStep(jobId: string, position: number, step: string): JobStepRow {
  return {
    jobId,
    position,
    step,
    state: 'pending',
    attempts: 0,
    result: null,
    error: null,
    beganAt: null,
    endedAt: null,
  }
}

function toStep(row: JobStepRow): JobStepRecord {
  const { position, ...rest } = row
  return { ...rest, index: position }
}
