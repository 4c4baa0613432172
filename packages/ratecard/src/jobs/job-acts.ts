// What may be asked of a job, by its kind and where it stands. The answers name it, and whoever acts is held to the same.
import { ServiceError } from '../errors/service-error.ts'
import { jobActs } from '../store/records/journal.ts'
import type { JobAct, JobKind, JobRecord } from '../store/records/journal.ts'

type JobState = JobRecord['state']

interface Rules {
  /** States in which the act is open. */
  readonly resume: readonly JobState[]
  readonly cancel: readonly JobState[]
  /** Why an act is open in no state, and what to do instead. */
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
        hint: 'Apply again: what is in place is left alone, the rest is finished.',
      },
      cancel: { detail: 'Applying to one tenant cannot be stopped half-way.' },
    },
  },
  webhook_rotation: {
    resume: [],
    // Its second step, that is; the first is made within one request.
    cancel: ['waiting'],
    never: {
      resume: {
        detail: 'A rotation is not resumed.',
        hint: 'When its overlap ends, the service goes on by itself. One that never got a new endpoint: rotate again.',
      },
    },
  },
} as const satisfies Readonly<Record<JobKind, Rules>>

/** Kinds that are resumed in some state. */
export type ResumableKind = {
  [Kind in JobKind]: (typeof rules)[Kind]['resume'] extends readonly [] ? never : Kind
}[JobKind]

const rulesOf = (kind: JobKind): Rules => rules[kind]
const isResumable = (job: JobRecord): job is JobRecord & { kind: ResumableKind } => rulesOf(job.kind).resume.length > 0

/** What may be asked of such a job now. */
export function actsOpenTo(kind: JobKind, state: JobState): JobAct[] {
  const { resume, cancel } = rulesOf(kind)
  const open: Readonly<Record<JobAct, boolean>> = { resume: resume.includes(state), cancel: cancel.includes(state) }
  return jobActs.filter((act) => open[act])
}

const otherwise: Readonly<Record<JobAct, string>> = {
  resume: 'only one that stopped before its end can be resumed',
  cancel: 'only one that runs or waits can be cancelled',
}

/** `job_not_running` unless the act is open to it. */
export function assertOpenTo({ kind }: Pick<JobRecord, 'kind'>, state: JobState, act: JobAct): void {
  if (actsOpenTo(kind, state).includes(act)) return
  const never = rulesOf(kind).never?.[act]
  if (never === undefined) throw notOpen(state, act)
  throw new ServiceError('job_not_running', never.detail, never.hint === undefined ? {} : { hint: never.hint })
}

/** The same for `resume`: what is open to it is of a kind that is resumed. */
export function resumable(job: JobRecord, state: JobState): JobRecord & { readonly kind: ResumableKind } {
  assertOpenTo(job, state, 'resume')
  if (!isResumable(job)) throw notOpen(state, 'resume')
  return job
}

export const notOpen = (state: JobState, act: JobAct) =>
  new ServiceError('job_not_running', `The job is ${state}; ${otherwise[act]}.`)
