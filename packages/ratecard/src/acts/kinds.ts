// The kinds of acts, each a row: whose lease its process holds, where the journal has what it sends to a subscription, and what an operator
// may do with its job in which state. The API lists the allowed acts from this table, and checks requests against it.
import { ServiceError } from '../base/errors/service-error.ts'
import {
  jobActs,
  jobKinds,
  type JobAct,
  type JobKind,
  type JobRecord,
  type JobStepRecord,
} from '../store/records/journal.ts'
import { pushLease } from './lease.ts'
import { jobLease, tenantLease } from './lease.ts'

type JobState = JobRecord['state']

interface KindOfAct {
  /** Whose lease the process holds: that of the tenant (the subject of the job), of pushes, or of the job itself. */
  readonly lease: 'tenant' | 'push' | 'job'
  /**
   * Where the journal has the content of a write to a subscription. A migration plans each step again just before it sends it, so the
   * content of its writes is in `result`. Null for a kind that writes to no subscription.
   */
  readonly sent: 'step' | 'result' | null
  /** States in which the act is allowed. */
  readonly resume: readonly JobState[]
  readonly cancel: readonly JobState[]
  /** For each act (resume, cancel) that is never allowed on a kind of job: the reason, with an alternative. */
  readonly never?: Readonly<Partial<Record<JobAct, { readonly detail: string; readonly hint?: string }>>>
}

const stoppable = {
  resume: ['interrupted', 'waiting', 'failed'],
  cancel: ['running', 'waiting'],
} as const satisfies Pick<KindOfAct, JobAct>

/** An act that one request does to one tenant: it ends with the request, or the tenant's next act settles it. */
const ofOneTenant = { lease: 'tenant', sent: 'step', resume: [], cancel: [] } as const satisfies KindOfAct

const kinds = {
  template_move: { lease: 'job', sent: null, ...stoppable },
  migration: { lease: 'job', sent: 'result', ...stoppable },
  enterprise_apply: {
    ...ofOneTenant,
    never: {
      resume: {
        detail: 'The application of a deal to one tenant cannot be resumed.',
        hint: 'Apply the deal again. Completed changes are not repeated; the remaining ones are made.',
      },
      cancel: { detail: 'The application of a deal to one tenant cannot be cancelled while it runs.' },
    },
  },
  subscription_change: {
    ...ofOneTenant,
    never: {
      resume: {
        detail: 'A job that changes one subscription cannot be resumed.',
        hint: 'Check the tenant’s subscriptions, then request the change again.',
      },
      cancel: { detail: 'A job that changes one subscription cannot be cancelled while it runs.' },
    },
  },
  subscription_discount: {
    ...ofOneTenant,
    never: {
      resume: {
        detail: 'A change of discounts cannot be resumed.',
        hint: 'Send the same request again with the same Idempotency-Key. Completed changes are not repeated.',
      },
      cancel: { detail: 'A change of discounts cannot be cancelled while it runs.' },
    },
  },
  credit_grant: {
    lease: 'job',
    sent: null,
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
    lease: 'push',
    sent: null,
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
} as const satisfies Readonly<Record<JobKind, KindOfAct>>

/** Kinds of jobs that can be resumed in some state. */
export type ResumableKind = {
  [Kind in JobKind]: (typeof kinds)[Kind]['resume'] extends readonly [] ? never : Kind
}[JobKind]

const rulesOf = (kind: JobKind): KindOfAct => kinds[kind]

/** Returns the name of the lease that the process running the job holds. */
export function leaseOf({ id, kind, subject }: Pick<JobRecord, 'id' | 'kind' | 'subject'>): string {
  return { tenant: tenantLease(subject), push: pushLease, job: jobLease(id) }[kinds[kind].lease]
}

/** True for a kind that acts on one tenant, its subject. */
export const isOfTenant = (kind: JobKind): boolean => kinds[kind].lease === 'tenant'

export type SubscriptionKind = {
  [Kind in JobKind]: (typeof kinds)[Kind]['sent'] extends null ? never : Kind
}[JobKind]

/** Kinds that write to subscriptions. */
export const subscriptionKinds = jobKinds.filter((kind) => kinds[kind].sent !== null)

/** Returns the content of a step's write to a subscription; null if none was sent. */
export function sentOf(kind: JobKind, { step, result }: Pick<JobStepRecord, 'step' | 'result'>): string | null {
  const { sent } = rulesOf(kind)
  return sent === null ? null : { step, result }[sent]
}

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
export function requireResumable(job: JobRecord, state: JobState): JobRecord & { readonly kind: ResumableKind } {
  assertOpenTo(job, state, 'resume')
  if (!isResumable(job)) throw notOpen(state, 'resume')
  return job
}

export const notOpen = (state: JobState, act: JobAct, hint?: string) =>
  new ServiceError('job_not_running', `The job is ${state}; ${otherwise[act]}.`, { hint })
