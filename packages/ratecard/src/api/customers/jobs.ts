// Operations on jobs. A job changes many subscriptions step by step (e.g. moves the subscribers of a price). Its steps are stored in the
// journal.
import { Type } from 'typebox'
import { jobActs, jobKinds, jobStates } from '../../store/records/journal.ts'
import { journalled, Pagination, StepState } from '../notation/common.ts'
import { customerErrors, idParams, operations, pageQuery } from '../notation/operation.ts'
import { AnyObject, choice, Count, nullable, shape, Time, type Inside } from '../notation/schema.ts'

export const JobKind = choice('JobKind', jobKinds)

const job = {
  id: Type.String(),
  kind: JobKind,
  subject: Type.String({ description: 'Id of the tenant, template, price or webhook that the job changes.' }),
  subject_name: nullable(
    Type.String({ description: 'Name of the tenant; null if the subject is none, or if the tenant was removed.' }),
  ),
  state: Type.Enum([...jobStates], {
    description:
      'State of the job. `waiting`: the remaining steps run at a later date. `interrupted`: the job does nothing until it is resumed.',
  }),
  resumes_at: nullable(Time('Time at which a waiting job continues.')),
  allows: Type.Array(Type.Enum([...jobActs]), {
    description: 'Actions that are allowed now; any other is refused.',
  }),
  ...journalled,
}
export const Job = shape('Job', job)
export type JobSummary = Inside<typeof Job>

export const JobStep = shape('JobStep', {
  index: Count('Number of the step, from 0.'),
  state: StepState,
  attempts: Count('Number of attempts.'),
  tenant_name: nullable(
    Type.String({
      description: 'Name of the tenant that the step is about; null if it is about no tenant, or a removed one.',
    }),
  ),
  step: AnyObject,
  result: nullable(AnyObject),
  error: nullable(AnyObject),
})
export type JobStep = Inside<typeof JobStep>

const ScheduledMove = shape('ScheduledMove', {
  tenant_id: nullable(Type.String()),
  tenant_name: nullable(Type.String()),
  customer: Type.String({ description: 'Id of the customer at the processor.' }),
  subscription: Type.String(),
  item: Type.String({ description: 'Id of the subscription item.' }),
  from_processor_id: Type.String(),
  to_processor_id: Type.String(),
  quantity: nullable(Type.Integer()),
  effective_at: Time('Time of the move.'),
})
const scheduled_moves = Type.Array(ScheduledMove, {
  description:
    'Moves of a migration that wait at the processor for a renewal, as of the journal. Cancelling the job leaves them scheduled, unless they are taken back. Empty for jobs of another kind, and in `GET jobs/{id}` while the job runs.',
})
export const JobReport = shape('JobReport', {
  ...job,
  input: AnyObject,
  error: nullable(AnyObject),
  steps: Type.Array(JobStep),
  scheduled_moves,
})
export type JobReport = Inside<typeof JobReport>

export const CancelledJob = shape('CancelledJob', {
  ...job,
  scheduled_moves,
  take_back_job_id: nullable(
    Type.String({
      description:
        'Job that takes the scheduled moves back; null if none was asked for, or if there is nothing to take back.',
    }),
  ),
})
export type CancelledJob = Inside<typeof CancelledJob>

export const JobCancellation = shape('JobCancellation', {
  take_back: Type.Optional(
    Type.Boolean({
      description:
        'True also takes back the moves that a migration has scheduled: the subscriptions keep the prices that they have. Allowed for a migration in any state.',
    }),
  ),
})
export const JobList = shape('JobList', { jobs: Type.Array(Job), pagination: Pagination })

export const jobStarted = {
  description: 'The job was accepted and is running.',
  schema: Job,
  headers: { Location: { type: 'string', description: 'Path at which the progress of the job can be read.' } },
} as const

export const jobsPath = '/api/v1/billing/admin/jobs'
const all = { tag: 'Jobs', access: 'service_key' } as const

export const jobOperations = operations({
  listJobs: {
    ...all,
    scope: 'read',
    method: 'GET',
    path: jobsPath,
    summary: 'Jobs, newest first',
    query: { ...pageQuery, kind: Type.Optional(choice('JobKind', JobKind.enum, 'Only jobs of this kind.')) },
    answers: { 200: { description: 'A page of jobs.', schema: JobList } },
  },
  getJob: {
    ...all,
    scope: 'read',
    method: 'GET',
    path: `${jobsPath}/:id`,
    summary: 'Get a job with all its steps',
    params: idParams,
    answers: { 200: { description: 'The job.', schema: JobReport } },
    errors: ['job_not_found'],
  },
  resumeJob: {
    ...all,
    scope: 'write',
    method: 'POST',
    path: `${jobsPath}/:id/resume`,
    summary: 'Continue a job that stopped before it was complete',
    params: idParams,
    answers: { 202: { description: 'The job is running again.', schema: Job } },
    errors: ['job_not_found', 'job_not_running', 'tenant_busy', 'push_in_progress', ...customerErrors],
  },
  cancelJob: {
    ...all,
    scope: 'write',
    method: 'POST',
    path: `${jobsPath}/:id/cancel`,
    summary: 'Stop a running job after its current step, or cancel a waiting job',
    description:
      'Changes already made are kept. What a migration has scheduled stays scheduled, unless `take_back` is true.',
    params: idParams,
    body: nullable(JobCancellation),
    answers: { 200: { description: 'The job is stopping, or cancelled.', schema: CancelledJob } },
    errors: ['job_not_found', 'job_not_running', 'conflict', ...customerErrors],
  },
})
