import { toRfc3339 } from '../../../../base/clock.ts'
import { ServiceError } from '../../../../base/errors/service-error.ts'
import type { LeaseToken } from '../../../lease-token.ts'
import type { Sealer } from '../../../seal.ts'
import { jobColumns, jobStepColumns, unfinishedJobStates } from '../../../records/journal.ts'
import type { JobKind, JobRecord, JobStepRecord } from '../../../records/journal.ts'
import type { JobStore, NewJob, UnansweredStep } from '../../../tenant-store.ts'
import type { Write } from '../../database/database.ts'
import { isOneOf } from '../../database/literal-conditions.ts'
import { readPage } from '../../database/read-page.ts'
import { SqlJournal, toStep, type JournalDeps } from './journal.ts'
import { appendMappings } from './mappings.ts'
import { putWebhookSecret } from './secrets.ts'

type StepOutcomeInput = Parameters<JobStore['settle']>[2]
type EndJobInput = Parameters<JobStore['end']>[1]
type JobMove = Awaited<ReturnType<JobStore['movesBetween']>>[number]

/** Maximum number of prices that one query searches for with LIKE. */
const maxConditions = 50

/** Maximum number of steps per query. The embedded engine blocks all other requests during a query. */
const stepsAtOnce = 1000

/** The journal of jobs, e.g. migrations and webhook rotations. */
export class SqlJobs extends SqlJournal<JobRecord, NewJob, JobStepRecord, EndJobInput> implements JobStore {
  readonly #sealer: Sealer

  constructor({ sealer, ...deps }: JournalDeps & { readonly sealer: Sealer }) {
    super(deps, {
      kind: 'job',
      work: { table: 'jobs', columns: jobColumns },
      notWaiting: { resumesAt: null },
      opening: null,
      steps: { table: 'jobSteps', columns: jobStepColumns, of: 'jobId' },
    })
    this.#sealer = sealer
  }

  async begin(jobId: string, index: number, token: LeaseToken): Promise<JobStepRecord> {
    return this.beginStep(jobId, index, { result: null, waitsUntil: null }, token)
  }

  async sending(jobId: string, index: number, sent: string, token: LeaseToken): Promise<void> {
    await this.onWork(jobId, token, async (db) => {
      await db
        .updateTable('jobSteps')
        .set({ result: sent })
        .where('jobId', '=', jobId)
        .where('position', '=', index)
        .where('state', '=', 'begun')
        .execute()
    })
  }

  async settle(jobId: string, index: number, outcome: StepOutcomeInput, token: LeaseToken): Promise<void> {
    await this.settleStep(jobId, index, { waitsUntil: null, ...outcome }, token)
  }

  async wait(jobId: string, until: number, error: string, token: LeaseToken): Promise<void> {
    await this.stop(jobId, { state: 'waiting', error, resumesAt: until, finishedAt: null }, token)
  }

  async list({ kind, ...page }: Parameters<JobStore['list']>[0]) {
    return this.deps.database.read((db) => {
      const all = db.selectFrom('jobs').selectAll().orderBy('createdAt', 'desc').orderBy('id', 'desc')
      return readPage(kind === undefined ? all : all.where('kind', '=', kind), page)
    })
  }

  async appliedSteps(tenantId: string) {
    return this.deps.database.read((db) =>
      db
        .selectFrom('jobs')
        .innerJoin('jobSteps', 'jobSteps.jobId', 'jobs.id')
        .select(['jobs.kind', 'jobs.input', 'jobSteps.step'])
        .where('jobs.kind', 'in', ['enterprise_apply', 'subscription_change'])
        .where('jobs.subject', '=', tenantId)
        .where('jobSteps.state', '=', 'succeeded')
        .orderBy('jobs.createdAt')
        .orderBy('jobs.id')
        .orderBy('jobSteps.position')
        .execute(),
    )
  }

  async movesBetween(processorPrices: readonly string[], since: number): Promise<readonly JobMove[]> {
    if (processorPrices.length === 0) return []
    const wanted = new Set(processorPrices)
    const jobs = await this.deps.database.read((db) =>
      db
        .selectFrom('jobs')
        .select(['id', 'stepsTotal'])
        .where('kind', '=', 'migration')
        .where((eb) => eb.or([eb('finishedAt', 'is', null), eb('finishedAt', '>=', since)]))
        .orderBy('createdAt', 'desc')
        .orderBy('id', 'desc')
        .execute(),
    )
    const moves: JobMove[] = []
    for (const job of jobs)
      for await (const { step, result } of this.#succeeded(job, processorPrices))
        if (namesAny(step, wanted)) moves.push({ jobId: job.id, step, result })
    return moves
  }

  /**
   * Yields the job's succeeded steps in order. With at most `maxConditions` prices, yields only steps whose text may contain one of the
   * prices.
   */
  async *#succeeded(
    { id, stepsTotal }: Pick<JobRecord, 'id' | 'stepsTotal'>,
    prices: readonly string[],
  ): AsyncGenerator<Omit<JobMove, 'jobId'>> {
    for (let start = 0; start < stepsTotal; start += stepsAtOnce)
      yield* await this.deps.database.read((db) =>
        db
          .selectFrom('jobSteps')
          .select(['step', 'result'])
          .where('jobId', '=', id)
          .where('position', '>=', start)
          .where('position', '<', start + stepsAtOnce)
          .where('state', '=', 'succeeded')
          // With more prices, all steps are read. An expression with hundreds of conditions would be slower, and SQL limits its depth.
          .$if(prices.length <= maxConditions, (query) =>
            query.where((eb) => eb.or(prices.map((price) => eb('step', 'like', `%"${price}"%`)))),
          )
          .orderBy('position')
          .execute(),
      )
  }

  async due(now: number): Promise<readonly JobRecord[]> {
    const due = await this.deps.database.read((db) =>
      db
        .selectFrom('jobs')
        .selectAll()
        // The condition of the index `jobs_by_date`. Without an order, because SQLite would read all jobs in that order instead.
        .where(isOneOf('state', ['waiting']))
        .where('resumesAt', '<=', now)
        .execute(),
    )
    return due.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
  }

  async unanswered(kinds: readonly JobKind[]): Promise<readonly UnansweredStep[]> {
    return this.deps.database.read(async (db) => {
      // The condition of the index `job_steps_unanswered`.
      const isUnanswered = isOneOf('state', ['begun', 'unknown'])
      const steps = await db.selectFrom('jobSteps').selectAll().where(isUnanswered).execute()
      if (steps.length === 0) return []
      const ids = [...new Set(steps.map(({ jobId }) => jobId))]
      const jobs = await db
        .selectFrom('jobs')
        .selectAll()
        .where('id', 'in', ids)
        .where('kind', 'in', kinds)
        .orderBy('createdAt')
        .orderBy('id')
        .execute()
      return jobs.flatMap((job) =>
        steps
          .filter(({ jobId }) => jobId === job.id)
          .sort((a, b) => a.position - b.position)
          .map((step) => ({ job, step: toStep<JobStepRecord>(step) })),
      )
    })
  }

  async unfinished(kind: JobKind, subject?: string): Promise<readonly JobRecord[]> {
    return this.deps.database.read((db) => {
      const open = db
        .selectFrom('jobs')
        .selectAll()
        .where('kind', '=', kind)
        // The condition of the index `jobs_unfinished`.
        .where(isOneOf('state', unfinishedJobStates))
        .orderBy('createdAt')
        .orderBy('id')
      return (subject === undefined ? open : open.where('subject', '=', subject)).execute()
    })
  }

  async rotated(jobId: string, made: Parameters<JobStore['rotated']>[1], token: LeaseToken): Promise<void> {
    const { webhookId, endpoint, secret, revision, until } = made
    const result = JSON.stringify({ webhook_id: webhookId, processor_id: endpoint })
    const detail = `The old endpoint is live beside the new one; the service switches it off after ${toRfc3339(until)}.`
    await this.settleStep(
      jobId,
      0,
      { state: 'succeeded', result, error: null, waitsUntil: null },
      token,
      async (db) => {
        await this.deps.database
          .locked(db.selectFrom('published').select('sequence'))
          .where('id', '=', 1)
          .executeTakeFirstOrThrow()
        await putWebhookSecret(db, this.#sealer, endpoint, secret)
        await appendMappings(db, revision, [{ kind: 'webhook', configId: webhookId, processorId: endpoint }])
        await db
          .updateTable('published')
          .set((eb) => ({ sequence: eb('sequence', '+', 1) }))
          .where('id', '=', 1)
          .execute()
        await db
          .updateTable('jobSteps')
          .set({ waitsUntil: until })
          .where('jobId', '=', jobId)
          .where('position', '=', 1)
          .execute()
        await db
          .updateTable('jobs')
          .set({ state: 'waiting', resumesAt: until, error: JSON.stringify({ detail }) })
          .where('id', '=', jobId)
          .execute()
      },
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

/**
 * True if one of the ids is a string value in the JSON of a step. LIKE alone is not enough: `_` is a wildcard in LIKE, so it would also
 * match similar ids.
 */
function namesAny(step: string, ids: ReadonlySet<string>): boolean {
  return [...step.matchAll(/"([^"\\]*)"/g)].some(([, value = '']) => ids.has(value))
}
