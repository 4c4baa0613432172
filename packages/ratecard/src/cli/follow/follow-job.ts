import { setTimeout as wait } from 'node:timers/promises'
import type { Client, JobReport } from '@ratecard/client'
import { CliFailure } from '../failure.ts'
import type { Output } from '../terminal/output.ts'

const pollMs = 500

/** Shows the progress of a job until the job ends or the command is stopped. Stopping the command does not stop the job. */
export async function followJob(client: Client, id: string, out: Output, signal: AbortSignal): Promise<JobReport> {
  const startedAt = performance.now()
  let first: number | null = null
  try {
    for (;;) {
      const job = await client.jobs.find(id, { signal })
      first ??= job.stepsDone
      if (job.state !== 'running') return job
      const done = job.stepsDone - first
      const left = done > 0 ? ((performance.now() - startedAt) / done) * (job.stepsTotal - job.stepsDone) : null
      const estimate = left === null ? '' : `  about ${String(Math.ceil(left / 1000))} s left`
      out.progress(`${String(job.stepsDone)}/${String(job.stepsTotal)}${estimate}`)
      await wait(pollMs, undefined, { signal })
    }
  } catch (error) {
    if (signal.aborted)
      out.note(`The job continues. To follow it: ratecard jobs show ${id}. To stop it: ratecard jobs cancel ${id}.`)
    throw error
  } finally {
    out.endProgress()
  }
}

/** Throws unless the job is done. A job that waits for a date and has no failed steps counts as success: see `job-outcome.ts`. */
export function requireDone(job: JobReport): void {
  if (job.state === 'done') return
  const failed = job.steps.filter((step) => step.state === 'failed' || step.state === 'unknown')
  if (job.state === 'waiting' && failed.length === 0) return
  const why = failed.map(({ error, step }) => `${nameOf(step)}: ${textOf(error)}`)
  throw new CliFailure(1, {
    code: `job_${job.state}`,
    title: failed.length > 0 ? 'The job was not completed' : `The job was ${job.state}`,
    detail: [`${String(job.stepsDone)} of ${String(job.stepsTotal)} steps are done.`, ...why].join('\n'),
    hint: `Finish it with \`ratecard jobs resume ${job.id}\`; completed steps are not repeated.`,
    extra: { job_id: job.id },
  })
}

function nameOf(step: Readonly<Record<string, unknown>>): string {
  const name = step['tenant_id'] ?? step['subscription']
  return typeof name === 'string' ? name : 'a step'
}

function textOf(error: Readonly<Record<string, unknown>> | null): string {
  const text = error?.['detail'] ?? error?.['message']
  return typeof text === 'string' ? text : 'its outcome is unknown'
}
