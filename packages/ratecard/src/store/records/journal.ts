// Records of journalled work: pushes and jobs (e.g. migrations), each with its steps.
import { oneOf, text, textOrNull, time, timeOrNull, whole, wholeOrNull } from './columns.ts'
import type { Columns, RecordOf, RowOf } from './columns.ts'
import { changeKinds } from './configuration.ts'
import { keyColumns } from './actor.ts'

export const pushStates = ['planned', 'running', 'interrupted', 'applied', 'failed', 'abandoned'] as const
export const jobKinds = [
  'enterprise_apply',
  'subscription_change',
  'subscription_discount',
  'credit_grant',
  'template_move',
  'migration',
  'webhook_rotation',
] as const
/** `waiting`: the remaining steps wait for a date, at which the service resumes the job. `interrupted`: an operator must resume the job. */
export const jobStates = ['running', 'waiting', 'interrupted', 'done', 'failed', 'cancelled'] as const
/** Actions that an operator may take on a job. */
export const jobActs = ['resume', 'cancel'] as const
export const unfinishedJobStates = [
  'running',
  'waiting',
  'interrupted',
] as const satisfies readonly (typeof jobStates)[number][]
export const stepStates = ['pending', 'begun', 'succeeded', 'failed', 'unknown', 'skipped'] as const

export type PushState = (typeof pushStates)[number]
export type JobKind = (typeof jobKinds)[number]
export type JobAct = (typeof jobActs)[number]
export type StepState = (typeof stepStates)[number]

/** Journal columns that pushes and jobs share. */
const journalled = {
  author: textOrNull('shown'),
  message: textOrNull('shown'),
  ...keyColumns,
  stepsTotal: whole('shown'),
  stepsDone: whole('shown'),
  /** JSON of the problem that ended the work, as it was sent to the caller. */
  error: textOrNull(),
  createdAt: time('shown'),
  updatedAt: time('shown'),
  finishedAt: timeOrNull('shown'),
} satisfies Columns

/** Journal columns that the steps of pushes and jobs share. */
const journalledStep = {
  position: whole(),
  /** JSON of the planned step. */
  step: text(),
  state: oneOf(stepStates),
  /** Number of attempts, which is part of the idempotency key. */
  attempts: whole(),
  /** JSON of the last failure, with the processor's own error. */
  error: textOrNull(),
  beganAt: timeOrNull(),
  endedAt: timeOrNull(),
} satisfies Columns

export const pushColumns = {
  id: text('shown'),
  kind: oneOf(changeKinds, 'shown'),
  state: oneOf(pushStates, 'shown'),
  document: textOrNull(),
  version: text('shown'),
  ...journalled,
  /** JSON of the plan: its changes (for people) and its bindings. */
  plan: text(),
  /** Current revision at the time of planning the push; null before the first version. */
  baseRevision: wholeOrNull(),
  /** Revision that the push created; null until the push succeeds. */
  revision: wholeOrNull('shown'),
} satisfies Columns

export type PushRecord = RecordOf<typeof pushColumns>
/** A push without its document and plan, so that lists do not read large texts. */
export type PushHead = Omit<PushRecord, 'document' | 'plan'>
export const pushHeadColumns = Object.keys(pushColumns).filter(
  (name): name is keyof PushHead => name !== 'document' && name !== 'plan',
)

export const stepColumns = {
  pushId: text(),
  ...journalledStep,
  /** JSON of the step as it was sent, with its references resolved. */
  resolved: textOrNull(),
  processorId: textOrNull(),
  requestId: textOrNull(),
} satisfies Columns

export const jobColumns = {
  id: text('shown'),
  kind: oneOf(jobKinds, 'shown'),
  /** Id of the tenant, template, price or webhook that the job is about. */
  subject: text('shown'),
  state: oneOf(jobStates, 'shown'),
  /** Time at which a waiting job resumes; null in any other state. */
  resumesAt: timeOrNull('shown'),
  /** JSON of the request that started the job. */
  input: text(),
  ...journalled,
  requestId: textOrNull(),
} satisfies Columns

export type JobRecord = RecordOf<typeof jobColumns>

export const jobStepColumns = {
  jobId: text(),
  ...journalledStep,
  /** Epoch milliseconds before which a pending step must not run; null if the step does not wait. */
  waitsUntil: timeOrNull(),
  /** JSON of the step's result. */
  result: textOrNull(),
} satisfies Columns

/** A step with `index` instead of `position`. The column has another name because `index` is a reserved word in SQL. */
type WithIndex<Row> = Omit<Row, 'position'> & { readonly index: number }
export type StepRow = RowOf<typeof stepColumns>
export type StepRecord = WithIndex<StepRow>
export type JobStepRow = RowOf<typeof jobStepColumns>
export type JobStepRecord = WithIndex<JobStepRow>

/** Requests to cancel running work. A request is deleted when its work stops running. */
export const cancelRequestColumns = {
  kind: oneOf(['push', 'job']),
  id: text(),
  requestedAt: time(),
} satisfies Columns

export type NewPush = Pick<
  PushRecord,
  | 'id'
  | 'kind'
  | 'document'
  | 'version'
  | 'author'
  | 'message'
  | 'keyId'
  | 'keyName'
  | 'plan'
  | 'baseRevision'
  | 'createdAt'
> & {
  /** All steps in order, each as JSON. */
  readonly steps: readonly string[]
}

export type NewJob = Pick<
  JobRecord,
  'id' | 'kind' | 'subject' | 'input' | 'author' | 'message' | 'keyId' | 'keyName' | 'requestId' | 'createdAt'
> & {
  /** All steps in order, each as JSON. */
  readonly steps: readonly string[]
}

export interface UnansweredStep {
  readonly job: JobRecord
  readonly step: JobStepRecord
}
