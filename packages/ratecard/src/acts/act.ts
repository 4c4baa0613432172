// Carries out one write of an act once, whatever dies meanwhile. The journal has its state:
//
//   pending ─ begun ─┬─ succeeded
//                    ├─ skipped   refused before it was sent
//                    ├─ failed    refused by the processor
//                    └─ unknown   no answer came ─ sent again under its own key, or found ─┬─ succeeded
//                                                                                          └─ pending   it never happened, and never will
//
// A step that is still `begun` when another process looks at it has lost its process, and counts as `unknown`.
import { ServiceError } from '../base/errors/service-error.ts'
import { askProcessor } from '../processor/failures.ts'
import { ProcessorError } from '../processor/processor-error.ts'
import type { WriteOptions } from '../processor/write-options.ts'
import type { Caller } from '../api/notation/callers.ts'
import { calledBy } from '../store/records/actor.ts'
import type { JobKind, JobRecord, JobStepRecord } from '../store/records/journal.ts'
import { foundAt, knowsKey, lateForMs, retryWrite } from './journal/late-writes.ts'
import { attemptStep, failureText, idempotencyKey, stateAfter } from './journal/run-steps.ts'
import type { JobDeps } from './jobs/deps.ts'
import type { TenantLease } from './lease.ts'

type Json = Readonly<Record<string, unknown>>

/** What is a kind of write’s own: its form in the journal, how it is sent, and how its outcome is found. */
export interface Act<Step, Done> {
  /** Returns the step as the journal stores it and users see it, in snake_case. */
  record(step: Step): Json
  /** Parses a step from its journal record. */
  read(text: string): Step
  /** Returns what the step changes, for the error of a late write, e.g. `A change of the subscription sub_1`. */
  about(step: Step): string
  /** Sends the step once; the adapter may retry the request. */
  send(step: Step, options: WriteOptions): Promise<Done>
  /** Returns what the step left at the processor; null if it changed nothing. */
  find(step: Step, signal: AbortSignal): Promise<Done | null>
  /** Returns the result as the journal stores it. */
  result(step: Step, done: Done): Json
  /** True if the step was refused before it was sent, and the act goes on without it. */
  isSkipped?(done: Done): boolean
}

export type ActDeps = Pick<JobDeps, 'clock'> & { readonly store: Pick<JobDeps['store'], 'jobs'> }

/** Sends a step, and finds its outcome if the response is lost. Throws if the step had no effect, or if its outcome cannot be found. */
export async function carryOut<Step, Done>(act: Act<Step, Done>, step: Step, options: WriteOptions): Promise<Done> {
  try {
    return await act.send(step, options)
  } catch (error) {
    if (!(error instanceof ProcessorError) || !error.outcomeUnknown) throw error
    const found = await act.find(step, options.signal).catch(() => null)
    if (found === null) throw error
    return found
  }
}

export interface NewAct<Step> {
  readonly id: string
  readonly kind: JobKind
  readonly subject: string
  readonly input: Json
  readonly steps: readonly Step[]
  readonly caller: Caller
}

/** Writes the act with all its steps to the journal. */
export function openAct<Step>(
  { store: { jobs }, clock }: ActDeps,
  act: Pick<Act<Step, unknown>, 'record'>,
  { input, steps, caller, ...job }: NewAct<Step>,
  { token }: Pick<TenantLease, 'token'>,
): Promise<JobRecord> {
  return jobs.open(
    {
      ...job,
      ...calledBy(caller),
      input: JSON.stringify(input),
      createdAt: clock.now(),
      steps: steps.map((step) => JSON.stringify(act.record(step))),
    },
    token,
  )
}

interface StepPlace<Step> {
  readonly jobId: string
  readonly index: number
  readonly step: Step
}

/**
 * Carries out a step of the journal and stores its outcome. If an error does not come from the processor, the step stays `begun`: whoever
 * acts on the subject next finds its outcome.
 */
export function runStep<Step, Done>(
  { store: { jobs } }: ActDeps,
  act: Act<Step, Done>,
  { jobId, index, step }: StepPlace<Step>,
  { token, signal }: TenantLease,
): Promise<Done> {
  return attemptStep({
    begin: () => jobs.begin(jobId, index, token),
    send: ({ attempts }) => {
      const options = { idempotencyKey: idempotencyKey('job', jobId, index, attempts), signal }
      return askProcessor(signal, () => carryOut(act, step, options))
    },
    succeeded: async (done) => {
      const state = act.isSkipped?.(done) === true ? 'skipped' : 'succeeded'
      await jobs.settle(jobId, index, { state, result: JSON.stringify(act.result(step, done)), error: null }, token)
      return done
    },
    failed: async (error) => {
      const cause = processorErrorOf(error)
      if (cause === null) throw error
      await jobs.settle(jobId, index, { state: stateAfter(cause), result: null, error: failureText(error) }, token)
      throw error
    },
  })
}

/** Returns the processor's error in a failure; null if the failure has another cause. */
export function processorErrorOf(error: unknown): ProcessorError | null {
  return error instanceof ServiceError && error.cause instanceof ProcessorError ? error.cause : null
}

/**
 * Finds the outcome of a step that was sent and has no result, and stores it. `sent` is the step as it was sent. Returns true if the step is
 * done. Throws `tenant_busy` with a `Retry-After` as long as the processor may still carry it out.
 */
export async function settleLate<Step, Done>(
  deps: ActDeps,
  act: Act<Step, Done>,
  { record, sent }: { readonly record: JobStepRecord; readonly sent: string },
  { token, signal }: TenantLease,
): Promise<boolean> {
  const { jobs } = deps.store
  const { jobId, index, error } = record
  const sentAnew = () => jobs.settle(jobId, index, { state: 'unknown', result: record.result, error }, token)
  const found = foundAt(record, deps.clock.now())
  if (found !== record) await sentAnew()
  const done = await outcomeOf(deps, act, { record: found, sent, sentAnew }, signal)
  const outcome =
    done === null
      ? ({ state: 'pending', result: null, error } as const)
      : ({ state: 'succeeded', result: JSON.stringify(done), error: null } as const)
  await jobs.settle(jobId, index, outcome, token)
  return done !== null
}

interface SentStep {
  readonly record: JobStepRecord
  readonly sent: string
  /** Stores in the journal that the write was sent again without a response. */
  readonly sentAnew: () => Promise<void>
}

/** Returns the result of a late write in the form of the journal. Returns null if it changed nothing and can no longer take effect. */
export async function outcomeOf<Step, Done>(
  { clock }: Pick<ActDeps, 'clock'>,
  act: Act<Step, Done>,
  { record, sent, sentAnew }: SentStep,
  signal: AbortSignal,
): Promise<Json | null> {
  const { jobId, index, attempts } = record
  const step = act.read(sent)
  const now = clock.now()
  const late = {
    what: `${act.about(step)} (step ${String(index + 1)} of job ${jobId})`,
    forMs: lateForMs(record, now),
    sendable: knowsKey(record, now),
    code: 'tenant_busy',
    extra: { job_id: jobId },
    sentAnew,
  } as const
  const options = { idempotencyKey: idempotencyKey('job', jobId, index, attempts), signal }
  return askProcessor(signal, async () => {
    const answer = late.forMs > 0 ? await retryWrite(() => act.send(step, options), late) : null
    const done = answer ?? (await act.find(step, signal))
    return done === null ? null : act.result(step, done)
  })
}
