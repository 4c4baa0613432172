// Acts (resume, cancel) that are allowed on a job, by its kind and state. API responses list the allowed acts, and requests are checked
// against the same table.
import { ServiceError } from '../errors/service-error.ts'
import { jobActs, type JobAct, type JobKind, type JobRecord } from '../store/records/journal.ts'

type JobState = JobRecord['state']

interface Rules {
  /** States in which the act is allowed. */
  readonly resume: readonly JobState[]
  readonly cancel: readonly JobState[]
  /** Reason why an act is never allowed on this kind of job, and what to do instead. */
  readonly never?: Readonly<Partial<Record<JobAct, { readonly detail: string; readonly hint?: string }>>>
}

const stoppable = {
  resume: ['interrupted', 'waiting', 'failed'],
  cancel: ['running', 'waiting'],
} as const satisfies Rules

const rules = {
  template_move: stoppable,
  migration: stoppable,
  enterprise_apply: {
    resume: [],
    cancel: [],
    never: {
      resume: {
        detail: 'Applying to one tenant is not resumed.',
        hint: 'Apply again: completed changes are not repeated, the others are made.',
      },
      cancel: { detail: 'Applying to one tenant cannot be stopped half-way.' },
    },
  },
  webhook_rotation: {
    resume: [],
    // Only the second step of a webhook rotation can be cancelled, because the first one completes within the request that starts the
    // rotation.
    cancel: ['waiting'],
    never: {
      resume: {
        detail: 'A rotation is not resumed.',
        hint: 'The service continues on its own when the overlap ends. If there is no new endpoint, rotate again.',
      },
    },
  },
} as const satisfies Readonly<Record<JobKind, Rules>>

/** Kinds of jobs that can be resumed in some state. */
export type ResumableKind = {
  [Kind in JobKind]: (typeof rules)[Kind]['resume'] extends readonly [] ? never : Kind
}[JobKind]

const rulesOf = (kind: JobKind): Rules => rules[kind]
const isResumable = (job: JobRecord): job is JobRecord & { kind: ResumableKind } => rulesOf(job.kind).resume.length > 0

/** Returns the acts allowed on a job of this kind and state. */
export function actsOpenTo(kind: JobKind, state: JobState): JobAct[] {
  const { resume, cancel } = rulesOf(kind)
  const open: Readonly<Record<JobAct, boolean>> = { resume: resume.includes(state), cancel: cancel.includes(state) }
  return jobActs.filter((act) => open[act])
}

const otherwise: Readonly<Record<JobAct, string>> = {
  resume: 'only a job that stopped before its end can be resumed',
  cancel: 'only a running or waiting job can be cancelled',
}

/** Throws `job_not_running` unless the act is allowed on the job. */
export function assertOpenTo({ kind }: Pick<JobRecord, 'kind'>, state: JobState, act: JobAct): void {
  if (actsOpenTo(kind, state).includes(act)) return
  const never = rulesOf(kind).never?.[act]
  if (never === undefined) throw notOpen(state, act)
  throw new ServiceError('job_not_running', never.detail, never.hint === undefined ? {} : { hint: never.hint })
}

/** Returns the job typed as resumable. Throws `job_not_running` if it cannot be resumed. */
export function resumable(job: JobRecord, state: JobState): JobRecord & { readonly kind: ResumableKind } {
  assertOpenTo(job, state, 'resume')
  if (!isResumable(job)) throw notOpen(state, 'resume')
  return job
}

export const notOpen = (state: JobState, act: JobAct) =>
  new ServiceError('job_not_running', `The job is ${state}; ${otherwise[act]}.`)
