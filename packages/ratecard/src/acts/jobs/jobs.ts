// Reads jobs from the journal, on any replica, and cancels or resumes them.
import { setTimeout as wait } from 'node:timers/promises'
import { bind } from '../../base/bind.ts'
import { toRfc3339 } from '../../base/clock.ts'
import type { PageQuery } from '../../store/records/page.ts'
import { ServiceError } from '../../base/errors/service-error.ts'
import { liveState, jobLease } from '../lease.ts'
import { shownColumns } from '../../store/records/columns.ts'
import { jobColumns, type JobRecord, type JobStepRecord } from '../../store/records/journal.ts'
import { byOf } from '../../store/records/actor.ts'
import { scheduledMovesOf } from './scheduled-moves.ts'
import type { Store } from '../../store/store.ts'
import type { JobDeps } from './deps.ts'
import { actsOpenTo, assertOpenTo, leaseOf, notOpen, requireResumable, type ResumableKind } from '../kinds.ts'
import { resumeJob, type DoStep } from './run-job.ts'
import type { Caller } from '../../api/notation/callers.ts'
import type { CancelledJob, JobReport, JobStep, JobSummary } from '../../api/customers/jobs.ts'

interface Reading {
  readonly store: JobDeps['store'] & Pick<Store, 'tenants'>
}

/** The functions with which `cancelJob` starts a second job, which takes back the scheduled moves of a migration. */
export interface TakingBack {
  /** Throws `job_not_running` for another job than a migration. */
  readonly refuse: (job: JobRecord) => void
  /** Returns the job that takes them back; null if none is scheduled. */
  readonly start: (job: JobRecord, caller: Caller) => Promise<JobRecord | null>
}

export function createJobs(deps: JobDeps & Reading, resumed: StepRunners, takingBack: TakingBack) {
  return {
    ...bind(deps, { listJobs, findJob }),
    resumeJob: (id: string) => resume(deps, id, resumed),
    cancelJob: async (id: string, takeBack: boolean, caller: Caller): Promise<CancelledJob> =>
      takeBack ? takeBackMoves(deps, id, takingBack, caller) : endCancelled(deps, await cancelJob(deps, id), null),
  }
}

async function findJobRecord(deps: Reading, id: string): Promise<JobRecord> {
  const job = await deps.store.jobs.find(id)
  if (job === null)
    throw new ServiceError('job_not_found', `There is no job "${id}".`, { hint: 'List the jobs with GET admin/jobs.' })
  return job
}

/** Returns the job with its live state. If the job ended in the meantime, reads its record again, so that state and error match. */
async function liveJob({ store }: Reading, job: JobRecord): Promise<JobRecord> {
  let latest = job
  const again = async () => {
    latest = (await store.jobs.find(job.id)) ?? latest
    return latest.state
  }
  const state = await liveState(store, job.state, leaseOf(job), again)
  return { ...latest, state }
}

/** Kinds of jobs whose subject is a tenant. */
const aboutTenants: ReadonlySet<JobRecord['kind']> = new Set([
  'enterprise_apply',
  'subscription_change',
  'subscription_discount',
  'credit_grant',
])

/** Names of the tenants that jobs are about, by id. */
const tenantNames = ({ store }: Reading, jobs: readonly JobRecord[]) =>
  store.tenants.names([...new Set(jobs.filter(({ kind }) => aboutTenants.has(kind)).map(({ subject }) => subject))])

const summaryOfLive = (job: JobRecord, names: ReadonlyMap<string, string>): JobSummary => ({
  ...shownColumns(jobColumns, job),
  subjectName: aboutTenants.has(job.kind) ? (names.get(job.subject) ?? null) : null,
  by: byOf(job),
  state: job.state,
  allows: actsOpenTo(job.kind, job.state),
})

export async function summaryOf(deps: Reading, job: JobRecord): Promise<JobSummary> {
  return summaryOfLive(await liveJob(deps, job), await tenantNames(deps, [job]))
}

async function listJobs(deps: Reading, query: PageQuery & { readonly kind?: JobSummary['kind'] }) {
  const { items, total } = await deps.store.jobs.list(query)
  const names = await tenantNames(deps, items)
  return { items: await Promise.all(items.map(async (job) => summaryOfLive(await liveJob(deps, job), names))), total }
}

async function findJob(deps: Reading & Pick<JobDeps, 'clock'>, id: string): Promise<JobReport> {
  const job = await liveJob(deps, await findJobRecord(deps, id))
  return {
    ...summaryOfLive(job, await tenantNames(deps, [job])),
    input: JSON.parse(job.input) as JobReport['input'],
    steps: await namedSteps(deps, id),
    error: withTime(parseNullable(job.error), 'resume_after', job.resumesAt),
    // While a job runs, its progress is read every second, and the list is not complete.
    scheduledMoves: job.state === 'running' ? [] : await namedMoves(deps, job),
  }
}

/** Returns the scheduled moves of a migration with the names of their tenants. */
async function namedMoves(
  { store, clock }: Reading & Pick<JobDeps, 'clock'>,
  job: Parameters<typeof scheduledMovesOf>[1],
): Promise<JobReport['scheduledMoves']> {
  const moves = await scheduledMovesOf(store.jobs, job, clock.now())
  const names = await store.tenants.names([...new Set(moves.flatMap(({ tenantId }) => tenantId ?? []))])
  return moves.map((move) => ({
    ...move,
    tenantName: move.tenantId === null ? null : (names.get(move.tenantId) ?? null),
  }))
}

/** Returns the steps of a job with the names of their tenants. */
async function namedSteps({ store }: Reading, jobId: string): Promise<readonly JobStep[]> {
  const views = (await store.jobs.steps(jobId)).map(stepView)
  const names = await store.tenants.names([...new Set(views.flatMap((view) => tenantOf(view) ?? []))])
  return views.map((view) => ({ ...view, tenantName: names.get(tenantOf(view) ?? '') ?? null }))
}

function tenantOf({ step: { tenant_id: tenantId } }: Pick<JobStep, 'step'>): string | null {
  return typeof tenantId === 'string' ? tenantId : null
}

function stepView(record: JobStepRecord): Omit<JobStep, 'tenantName'> {
  const { index, state, attempts, step, result, error, waitsUntil } = record
  return {
    index,
    state,
    attempts,
    step: parseNullable(step) ?? {},
    result: withTime(parseNullable(result), 'waits_until', waitsUntil),
    error: parseNullable(error),
  }
}

/** Adds a time to an object as the member `name`, e.g. adds `waits_until` to a step's result. */
function withTime(
  words: ReturnType<typeof parseNullable>,
  name: string,
  time: number | null,
): ReturnType<typeof parseNullable> {
  return time === null ? words : { ...words, [name]: toRfc3339(time) }
}

function parseNullable(text: string | null): Readonly<Record<string, unknown>> | null {
  return text === null ? null : (JSON.parse(text) as Readonly<Record<string, unknown>>)
}

/**
 * Cancels a job, so that its process stops between two steps. Throws `job_not_running` if the job is neither running nor waiting, or if its
 * kind cannot be cancelled.
 */
async function cancelJob(deps: Reading & Pick<JobDeps, 'clock'>, id: string): Promise<JobSummary> {
  const job = await findJobRecord(deps, id)
  const { state } = await summaryOf(deps, job)
  if (!actsOpenTo(job.kind, state).includes('cancel')) {
    const { length } = await scheduledMovesOf(deps.store.jobs, job, deps.clock.now())
    if (length > 0)
      throw notOpen(
        state,
        'cancel',
        `${String(length)} of its moves ${length === 1 ? 'is' : 'are'} scheduled: take back with "take_back": true (\`ratecard jobs cancel ${id} --take-back\`).`,
      )
  }
  assertOpenTo(job, state, 'cancel')
  const stops = await (state === 'waiting' ? endWaiting(deps, id) : requestCancel(deps, id))
  // The job has ended or was continued in the meantime, so it can no longer be cancelled.
  if (!stops) throw notOpen(state, 'cancel')
  return summaryOf(deps, await findJobRecord(deps, id))
}

async function endCancelled(
  deps: Reading & Pick<JobDeps, 'clock'>,
  job: JobSummary,
  takeBackJobId: string | null,
): Promise<CancelledJob> {
  return { ...job, scheduledMoves: await namedMoves(deps, job), takeBackJobId }
}

/** Time (ms) for which a request waits until a job has stopped, or has taken back what it should. */
const patienceMs = 5000

/** Stops a migration if it runs or waits, and takes its scheduled moves back. Answers when that is done, or after some seconds. */
async function takeBackMoves(
  deps: JobDeps & Reading,
  id: string,
  { refuse, start }: TakingBack,
  caller: Caller,
): Promise<CancelledJob> {
  const job = await findJobRecord(deps, id)
  refuse(job)
  const { state, allows } = await summaryOf(deps, job)
  if (allows.includes('cancel')) await cancelJob(deps, id)
  if (state === 'running' && !(await hasStopped(deps, id)))
    throw new ServiceError('conflict', 'The job has not stopped yet, so what it schedules cannot be taken back.', {
      hint: 'Send the request again.',
    })
  const takeBack = await start(await findJobRecord(deps, id), caller)
  if (takeBack !== null) await hasStopped(deps, takeBack.id)
  return endCancelled(deps, await summaryOf(deps, await findJobRecord(deps, id)), takeBack?.id ?? null)
}

async function hasStopped(deps: Reading, id: string): Promise<boolean> {
  for (let waited = 0; waited < patienceMs; waited += 50) {
    if ((await summaryOf(deps, await findJobRecord(deps, id))).state !== 'running') return true
    await wait(50)
  }
  return false
}

const requestCancel = ({ store, clock }: Reading & Pick<JobDeps, 'clock'>, id: string) =>
  store.jobs.requestCancel(id, clock.now())

/**
 * Cancels a waiting job under its lease, so that no replica can continue it. If a replica is already continuing the job, asks that replica
 * to cancel it. Returns false if neither succeeded.
 */
async function endWaiting(deps: Reading & Pick<JobDeps, 'clock'>, id: string): Promise<boolean> {
  const ended = await deps.store.tryExclusively(jobLease(id), async ({ token }) => {
    if ((await findJobRecord(deps, id)).state !== 'waiting') return false
    await deps.store.jobs.end(id, 'cancelled', null, token)
    return true
  })
  return ended ?? requestCancel(deps, id)
}

/** Step functions by kind of resumable job. */
export type StepRunners = Readonly<Record<ResumableKind, (job: JobRecord) => DoStep>>

/**
 * Resumes an interrupted, waiting or failed job. Throws `job_not_running` for a job in any other state. Resolves when the job is running,
 * not when it ends.
 */
async function resume(deps: JobDeps & Reading, id: string, resumed: StepRunners): Promise<JobSummary> {
  const job = await findJobRecord(deps, id)
  const { state } = await summaryOf(deps, job)
  const { kind } = requireResumable(job, state)
  await deps.assertAccount('write')
  return summaryOf(deps, await resumeJob(deps, id, resumed[kind](job)))
}
