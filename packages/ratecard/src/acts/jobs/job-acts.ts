// Acts (resume, cancel) that are allowed on a job, by its kind and state. The API lists the allowed acts from this table, and checks
// requests against it.
import { ServiceError } from '../../base/errors/service-error.ts'
import { jobActs, type JobAct, type JobKind, type JobRecord } from '../../store/records/journal.ts'

type JobState = JobRecord['state']

interface Rules {
  /** States in which the act is allowed. */
  readonly resume: readonly JobState[]
  readonly cancel: readonly JobState[]
  /** For each act (resume, cancel) that is never allowed on a kind of job: the reason, with an alternative. */
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
        detail: 'The application of a deal to one tenant cannot be resumed.',
        hint: 'Apply the deal again. Completed changes are not repeated; the remaining ones are made.',
      },
      cancel: { detail: 'The application of a deal to one tenant cannot be cancelled while it runs.' },
    },
  },
  subscription_change: {
    resume: [],
    cancel: [],
    never: {
      resume: {
        detail: 'A job that changes one subscription cannot be resumed.',
        hint: 'Check the tenant’s subscriptions, then request the change again.',
      },
      cancel: { detail: 'A job that changes one subscription cannot be cancelled while it runs.' },
    },
  },
  subscription_discount: {
    resume: [],
    cancel: [],
    never: {
      resume: {
        detail: 'A change of discounts cannot be resumed.',
        hint: 'Send the same request again with the same Idempotency-Key. Completed changes are not repeated.',
      },
      cancel: { detail: 'A change of discounts cannot be cancelled while it runs.' },
    },
  },
  credit_grant: {
    resume: [],
    cancel: ['waiting'],
    never: {
      resume: {
        detail: 'The job of a credit cannot be resumed by hand.',
        hint: 'The service retries automatically until the credit is granted or the job is cancelled.',
      },
    },
  },
  webhook_rotation: {
    resume: [],
    // Only the second step of a webhook rotation can be cancelled, because the first step is completed within the request that starts the
    // rotation.
    cancel: ['waiting'],
    never: {
      resume: {
        detail: 'A rotation cannot be resumed.',
        hint: 'The service continues automatically when the overlap ends. If there is no new endpoint, rotate again.',
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

/** Returns the job with the type of a resumable job. Throws `job_not_running` if the job cannot be resumed. */
export function resumable(job: JobRecord, state: JobState): JobRecord & { readonly kind: ResumableKind } {
  assertOpenTo(job, state, 'resume')
  if (!isResumable(job)) throw notOpen(state, 'resume')
  return job
}

export const notOpen = (state: JobState, act: JobAct, hint?: string) =>
  new ServiceError('job_not_running', `The job is ${state}; ${otherwise[act]}.`, { hint })
