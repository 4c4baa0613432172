import { ServiceError } from '../../errors/service-error.ts'
import type { LeaseToken } from '../lease-token.ts'
import { jobColumns, jobStepColumns } from '../records/journal.ts'
import type { JobKind, JobRecord, JobStepRecord } from '../records/journal.ts'
import type { JobStore, NewJob } from '../tenant-store.ts'
import type { Write } from './database.ts'
import { SqlJournal } from './journal.ts'
import type { JournalDeps } from './journal.ts'

type Outcome = Parameters<JobStore['settle']>[2]
type Ended = Parameters<JobStore['end']>[1]

/** The journal of jobs that change subscriptions. */
export class SqlJobs extends SqlJournal<JobRecord, NewJob, JobStepRecord, Ended> implements JobStore {
  constructor(deps: JournalDeps) {
    super(deps, {
      kind: 'job',
      work: { table: 'jobs', columns: jobColumns },
      notWaiting: { resumesAt: null },
      steps: { table: 'jobSteps', columns: jobStepColumns, of: 'jobId' },
    })
  }

  async begin(jobId: string, index: number, token: LeaseToken): Promise<JobStepRecord> {
    return this.beginStep(jobId, index, { result: null, waitsUntil: null }, token)
  }

  async settle(jobId: string, index: number, outcome: Outcome, token: LeaseToken): Promise<void> {
    await this.settleStep(jobId, index, { waitsUntil: null, ...outcome }, token)
  }

  async wait(jobId: string, until: number, error: string, token: LeaseToken): Promise<void> {
    await this.stop(jobId, { state: 'waiting', error, resumesAt: until, finishedAt: null }, token)
  }

  async list(query: Parameters<JobStore['list']>[0]) {
    const { limit, offset, kind } = query
    return this.deps.database.read(async (db) => {
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

  async due(now: number): Promise<readonly JobRecord[]> {
    return this.deps.database.read((db) =>
      db
        .selectFrom('jobs')
        .selectAll()
        .where('state', '=', 'waiting')
        .where('resumesAt', '<=', now)
        .orderBy('createdAt')
        .orderBy('id')
        .execute(),
    )
  }

  async unfinished(kind: JobKind, subject: string): Promise<readonly JobRecord[]> {
    return this.deps.database.read((db) =>
      db
        .selectFrom('jobs')
        .selectAll()
        .where('kind', '=', kind)
        .where('subject', '=', subject)
        .where('state', 'in', ['running', 'waiting', 'interrupted'])
        .orderBy('createdAt')
        .orderBy('id')
        .execute(),
    )
  }

  protected override refuseEnded(_db: Write, id: string, state: JobRecord['state']): Promise<void> {
    if (state === 'done' || state === 'cancelled')
      throw new ServiceError('job_not_running', `The job "${id}" is ${state}.`)
    return Promise.resolve()
  }

  protected override async reopen(db: Write, id: string): Promise<void> {
    await db
      .updateTable('jobSteps')
      .set({ state: 'pending', error: null, endedAt: null })
      .where('jobId', '=', id)
      .where('state', '=', 'failed')
      .execute()
  }

  protected override notFound(id: string): ServiceError {
    return new ServiceError('job_not_found', `There is no job "${id}".`)
  }
}
