import { toRfc3339 } from '../../../../base/clock.ts'
import { ServiceError } from '../../../../base/errors/service-error.ts'
import type { LeaseToken } from '../../../lease-token.ts'
import type { Sealer } from '../../../seal.ts'
import {
  jobColumns,
  jobStepColumns,
  unfinishedJobStates,
  type NewJob,
  type UnansweredStep,
  type JobKind,
  type JobRecord,
  type JobStepRecord,
} from '../../../records/journal.ts'
import type { Write } from '../../database/database.ts'
import { isOneOf, readPage } from '../../database/queries.ts'
import { SqlJournal, toStep, type JournalDeps } from './journal.ts'
import { appendMappings } from './mappings.ts'
import { putWebhookSecret } from './secrets.ts'
import type { Page, PageQuery } from '../../../records/page.ts'
import type { ConfigId, ProcessorId } from '../../../../catalog/resource.ts'

interface StepOutcomeInput {
  readonly state: 'succeeded' | 'failed' | 'unknown' | 'pending' | 'skipped'
  readonly result: string | null
  readonly error: string | null
  /** Epoch milliseconds before which a pending step must not run. */
  readonly waitsUntil?: number
}
type EndJobInput = 'done' | 'interrupted' | 'failed' | 'cancelled'
type JobMove = Pick<JobStepRecord, 'jobId' | 'step' | 'result'>

/** The new endpoint of a rotation. */
interface RotatedWebhook {
  readonly webhookId: ConfigId
  readonly endpoint: ProcessorId
  readonly secret: string
  /** Revision of the new mapping, which is the current revision. */
  readonly revision: number
  readonly until: number
}

/** Maximum number of prices that one query searches for with LIKE. */
const maxConditions = 50

/** Maximum number of steps per query. The embedded engine blocks all other requests during a query. */
const stepsAtOnce = 1000

/** The journal of jobs, e.g. migrations and webhook rotations. */
export class SqlJobs extends SqlJournal<JobRecord, NewJob, JobStepRecord, EndJobInput> {
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

  /** Sets the step's state to `begun` and increments its number of attempts. Call it before the step is sent. */
  async begin(jobId: string, index: number, token: LeaseToken): Promise<JobStepRecord> {
    return this.beginStep(jobId, index, { result: null, waitsUntil: null }, token)
  }

  /** Stores the request (JSON) of a step before it is sent. The request stays in the step's `result` until the outcome is stored. */
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

  /** Epoch milliseconds before which a pending step must not run. */
  async settle(jobId: string, index: number, outcome: StepOutcomeInput, token: LeaseToken): Promise<void> {
    await this.settleStep(jobId, index, { waitsUntil: null, ...outcome }, token)
  }

  /**
   * Sets the job to `waiting` until a time (epoch milliseconds), at which the service resumes it. `error` is JSON with the remaining work
   * and the reason of the wait.
   */
  async wait(jobId: string, until: number, error: string, token: LeaseToken): Promise<void> {
    await this.stop(jobId, { state: 'waiting', error, resumesAt: until, finishedAt: null }, token)
  }

  /** Returns a page of jobs, newest first. */
  async list({ kind, ...page }: PageQuery & { readonly kind?: JobKind }): Promise<Page<JobRecord>> {
    return this.deps.database.read((db) => {
      const all = db.selectFrom('jobs').selectAll().orderBy('createdAt', 'desc').orderBy('id', 'desc')
      return readPage(kind === undefined ? all : all.where('kind', '=', kind), page)
    })
  }

  /**
   * Returns the succeeded steps of all jobs that applied negotiated prices to the tenant or changed its subscriptions, oldest first. `input`
   * is the input of the job as JSON.
   */
  async appliedSteps(
    tenantId: string,
  ): Promise<readonly (Pick<JobRecord, 'kind' | 'input'> & Pick<JobStepRecord, 'step'>)[]> {
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

  /**
   * Returns succeeded migration steps that contain one of these prices (processor ids), newest job first. The price may be in any member of
   * a step, not only source or target. Migrations that ended before `since` (epoch milliseconds) are left out.
   */
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

  /** Returns the waiting jobs of all kinds and subjects whose time has come, oldest first. */
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

  /**
   * Returns the steps of all jobs of these kinds that were begun or sent and have no result. Ended jobs are included. Steps of the oldest
   * job come first.
   */
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

  /** Returns the jobs of this kind (and subject, if given) that have not ended: `running`, `waiting` or `interrupted`. Oldest first. */
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

  /**
   * Completes the first step of a webhook rotation. In one transaction it stores the secret, maps the webhook to the new endpoint, and sets
   * the job to wait for its second step until `until` (epoch milliseconds).
   */
  async rotated(jobId: string, made: RotatedWebhook, token: LeaseToken): Promise<void> {
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
