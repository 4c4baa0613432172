import { setTimeout as wait } from 'node:timers/promises'
import {
  RatecardError,
  errorFromProblem,
  type Client,
  type PushEvent,
  type PushOutcome,
  type PushReport,
} from '@ratecard/client'
import { problemCodes } from '../../base/errors/codes.ts'
import { changeWords, kindWord, stepWords } from '../../base/wording/change-words.ts'
import { CliFailure } from '../failure.ts'
import type { FailureCode } from '../failure-codes.ts'
import type { Output } from '../terminal/output.ts'

const endStates = new Set<PushReport['state']>(['applied', 'failed', 'interrupted', 'abandoned'])

/** The plan that the command has shown. */
export type ShownPlan = Pick<PushOutcome, 'writes' | 'details'>

/**
 * Shows the progress of a push until it ends. Returns the report of a push that was applied; otherwise throws the push's error. `plan` is
 * null if the command did not show one.
 */
export async function followPush(
  client: Client,
  id: string,
  { out, signal, plan }: { readonly out: Output; readonly signal: AbortSignal; readonly plan: ShownPlan | null },
): Promise<PushReport> {
  const progress = createProgress(out, plan)
  for (;;) {
    try {
      for await (const event of client.admin.pushEvents(id, { signal })) progress.show(event)
    } catch (error) {
      // A proxy may cut off a long response. Then continue, because the push report is read next and contains the current state.
      if (signal.aborted || !isCut(error)) throw error
    }
    const report = await client.admin.findPush(id, { signal }).catch((error: unknown) => {
      throw signal.aborted ? error : lostSight(error, id)
    })
    if (endStates.has(report.state)) {
      out.endProgress()
      if (report.state === 'applied') return report
      throw failureOf(report)
    }
    await wait(300, undefined, { signal })
  }
}

/** True if the connection broke (no response, or a response that ended early). False for an error response. */
export function isCut(error: unknown): boolean {
  return error instanceof RatecardError ? error.status < 400 : error instanceof TypeError
}

/** Returns the error for a connection that broke after the push had started. The error must not suggest that the push never started. */
function lostSight(error: unknown, id: string): unknown {
  if (!(error instanceof RatecardError) || !isCut(error)) return error
  return new CliFailure(70, {
    code: error.code as FailureCode,
    title: 'The connection to the server broke during the push',
    detail: `${error.message} The progress of push ${id} is in the server's journal. The earlier version is served until the push is complete.`,
    hint: `When the server is back, \`ratecard billing pushes ${id}\` shows its state. Push again, or finish it with \`ratecard billing resume ${id}\`.`,
  })
}

function failureOf(report: PushReport): RatecardError {
  const progress = { push_id: report.id, steps_done: report.stepsDone, steps_total: report.stepsTotal }
  const problem = report.error ?? {
    code: 'push_unfinished',
    title: `The push was ${report.state}`,
    detail: `The push ${report.id} was ${report.state} before it was complete.`,
    hint: `\`ratecard billing resume ${report.id}\` finishes it. A new push makes a new plan from the current state.`,
    status: 409,
  }
  // The journal stores only the code and the details of an error. Its title and status are found by the code.
  const known = Object.entries(problemCodes).find(([code]) => code === problem['code'])?.[1]
  const status = typeof problem['status'] === 'number' ? problem['status'] : (known?.status ?? 500)
  return errorFromProblem({ ...progress, ...(known && { title: known.title }), ...problem }, { status })
}

/**
 * Creates the progress display. On a terminal it is one line that is redrawn, with an estimate of the time left. Otherwise it is one line
 * per finished step.
 */
function createProgress(out: Output, plan: ShownPlan | null): { show(event: PushEvent): void } {
  const adopted = new Set(plan?.details.filter(({ action }) => action === 'adopt').map(keyOf))
  const writes = plan?.writes ?? null
  let written = 0
  const startedAt = performance.now()
  let startedWith: number | null = null
  return {
    show(event) {
      startedWith ??= event.stepsDone
      if (!out.live) {
        if (event.type !== 'step' || event.step.state !== 'succeeded') return
        if (event.step.op !== 'record') written += 1
        out.say(stepLine(event.step, { adopted, written, writes, steps: event.stepsTotal }))
        return
      }
      const done = event.stepsDone - startedWith
      const perStep = done > 0 ? (performance.now() - startedAt) / done : null
      const left = perStep === null ? null : Math.ceil((perStep * (event.stepsTotal - event.stepsDone)) / 1000)
      const what = event.type === 'step' ? `  ${event.step.kind} ${event.step.configId}` : ''
      out.progress(
        `${progressBar(event)} ${event.stepsDone}/${event.stepsTotal}${left === null ? '' : `  about ${left} s left`}${what}`,
      )
    },
  }
}

type Step = Extract<PushEvent, { type: 'step' }>['step']

interface StepContext {
  /** Keys of the resources that the plan adopts. */
  readonly adopted: ReadonlySet<string>
  /** Number of writes so far, and in the plan. */
  readonly written: number
  readonly writes: number | null
  readonly steps: number
}

const keyOf = ({ kind, configId }: Pick<Step, 'kind' | 'configId'>) => `${kind} ${configId}`

/**
 * Returns the line of a finished step. Steps are numbered like the writes of the plan. A step without a write at the processor (e.g. of a
 * free price) has no number.
 */
function stepLine(
  { index, op, kind, configId, processorId }: Step,
  { adopted, written, writes, steps }: StepContext,
): string {
  const { done } = adopted.has(keyOf({ kind, configId })) ? changeWords.adopt : stepWords[op]
  const total = writes ?? steps
  const width = String(total).length
  const number = String(writes === null ? index + 1 : written).padStart(width)
  const place = writes !== null && op === 'record' ? ' '.repeat(2 * width + 3) : `[${number}/${total}]`
  return `  ${place} ${done} ${kindWord(kind)} ${configId}${processorId === null ? '' : ` (${processorId})`}`
}

function progressBar({ stepsDone, stepsTotal }: PushEvent): string {
  const width = 24
  const filled = stepsTotal === 0 ? width : Math.round((stepsDone / stepsTotal) * width)
  return `Applying ${'█'.repeat(filled)}${'░'.repeat(width - filled)}`
}
