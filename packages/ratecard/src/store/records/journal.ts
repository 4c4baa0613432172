// Records of journalled work: pushes, and jobs that change subscriptions, each with its steps.
import { oneOf, text, textOrNull, time, timeOrNull, whole, wholeOrNull } from './columns.ts'
import type { Columns, RecordOf, RowOf } from './columns.ts'
import { changeKinds } from './configuration.ts'
import { keyColumns } from './actor.ts'

export const pushStates = ['planned', 'running', 'interrupted', 'applied', 'failed', 'abandoned'] as const
export const jobKinds = ['enterprise_apply', 'template_move', 'migration', 'webhook_rotation'] as const
/** `waiting`: what is left must wait for a date, and the service goes on with it then. `interrupted` needs a person. */
export const jobStates = ['running', 'waiting', 'interrupted', 'done', 'failed', 'cancelled'] as const
/** What a person may ask of a job. */
export const jobActs = ['resume', 'cancel'] as const
/** A job that something is still to come of. */
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

/** What the journal keeps of a push and of a job alike. */
const journalled = {
  author: textOrNull('shown'),
  message: textOrNull('shown'),
  ...keyColumns,
  stepsTotal: whole('shown'),
  stepsDone: whole('shown'),
  /** JSON: the problem that ended it, as sent to the caller. */
  error: textOrNull(),
  createdAt: time('shown'),
  updatedAt: time('shown'),
  finishedAt: timeOrNull('shown'),
} satisfies Columns

/** The same of a step. */
const journalledStep = {
  position: whole(),
  /** JSON: what is to be done, as planned. */
  step: text(),
  state: oneOf(stepStates),
  /** How often it was begun; part of the idempotency key. */
  attempts: whole(),
  /** JSON: the processor's own words. */
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
  /** JSON: the plan's changes (what a person reads) and bindings. */
  plan: text(),
  /** Which revision was current when it was planned; null before the first. */
  baseRevision: wholeOrNull(),
  /** The revision that it became. */
  revision: wholeOrNull('shown'),
} satisfies Columns

export type PushRecord = RecordOf<typeof pushColumns>
/** Without what makes it large. */
export type PushHead = Omit<PushRecord, 'document' | 'plan'>
/** Names of the columns of a head. */
export const pushHeadColumns = Object.keys(pushColumns).filter(
  (name): name is keyof PushHead => name !== 'document' && name !== 'plan',
)

export const stepColumns = {
  pushId: text(),
  ...journalledStep,
  /** JSON: the step as sent, references resolved. */
  resolved: textOrNull(),
  processorId: textOrNull(),
  requestId: textOrNull(),
} satisfies Columns

export const jobColumns = {
  id: text('shown'),
  kind: oneOf(jobKinds, 'shown'),
  /** What it is about: a tenant, a template, a price. */
  subject: text('shown'),
  state: oneOf(jobStates, 'shown'),
  /** When a waiting job goes on; null for any other. */
  resumesAt: timeOrNull('shown'),
  /** JSON: what was asked for. */
  input: text(),
  ...journalled,
  requestId: textOrNull(),
} satisfies Columns

export type JobRecord = RecordOf<typeof jobColumns>

export const jobStepColumns = {
  jobId: text(),
  ...journalledStep,
  /** A pending step has nothing to do before; null when it does not wait. */
  waitsUntil: timeOrNull(),
  /** JSON: what came of it. */
  result: textOrNull(),
} satisfies Columns

/** `index` is a reserved word of SQL. */
type WithIndex<Row> = Omit<Row, 'position'> & { readonly index: number }
export type StepRow = RowOf<typeof stepColumns>
export type StepRecord = WithIndex<StepRow>
export type JobStepRow = RowOf<typeof jobStepColumns>
export type JobStepRecord = WithIndex<JobStepRow>

/** Somebody wants this piece of running work to stop; gone as soon as the work does not run. */
export const cancelRequestColumns = {
  kind: oneOf(['push', 'job']),
  id: text(),
  requestedAt: time(),
} satisfies Columns
