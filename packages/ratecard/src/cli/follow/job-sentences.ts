// Describes a job as text: one sentence per step, and the commands that undo the job. The step records have the journal's format.
import type { JobReport } from '@ratecard/client'
import { showTime } from '../views/table.ts'

type JsonRecord = Readonly<Record<string, unknown>>
type JobReportStep = JobReport['steps'][number]

/** Returns one sentence for each succeeded, running or failed step. Skipped steps have none; they are listed separately. */
export function sentencesOf(job: JobReport): string[] {
  return job.steps.flatMap((step) => sentenceOf(job, step))
}

function sentenceOf({ state: jobState }: JobReport, { state, step, result, error }: JobReportStep): string[] {
  const who = [text(step['tenant_id']), text(step['subscription'])].filter((part) => part !== null).join(', ')
  switch (state) {
    case 'succeeded':
      return movesOf(who, result ?? step)
    case 'failed':
      return [`${who} was refused: ${reasonOf(error)}.`]
    case 'unknown':
    case 'begun':
      return [`${who}: the outcome is not known yet. It is looked up when the job continues.`]
    case 'pending':
      return jobState === 'waiting' ? [] : [`${who} has not been done.`]
    default:
      return []
  }
}

function movesOf(who: string, record: JsonRecord): string[] {
  const { swaps } = record
  if (Array.isArray(swaps)) {
    const moved = swaps.filter(isWords)
    if (moved.length === 0) return [`${who}: everything was in place.`]
    return moved.map(
      (swap) =>
        `${who}, ${text(swap['subscription']) ?? ''}: ${text(swap['from']) ?? '?'} became ${text(swap['to']) ?? '?'}${when(swap)}.`,
    )
  }
  const items = Array.isArray(record['items']) ? record['items'].filter(isWords) : []
  return items.map((item) => {
    const { from_processor_id: before, to_processor_id: after, quantity } = item
    const many = typeof quantity === 'number' && quantity !== 1 ? ` × ${String(quantity)}` : ''
    const prices =
      item['from'] === item['to']
        ? `${text(item['from']) ?? '?'}${many} went`
        : `${text(item['from']) ?? '?'}${many} became ${text(item['to']) ?? '?'},`
    return `${who}: ${prices} from ${text(before) ?? '?'} to ${text(after) ?? '?'}${when(record)}.`
  })
}

function when(record: JsonRecord): string {
  const at = text(record['effective_at'])
  if (at !== null) return `, from ${showTime(at)} UTC on`
  return record['effective'] === 'period_end' ? ', when the period ends' : ', billed from the renewal on'
}

/** Returns the commands that undo or continue the job. */
export function waysBack({ id, kind, subject, state, steps }: JobReport): string[] {
  const done = steps.filter((step) => step.state === 'succeeded')
  const open = state === 'interrupted' || state === 'failed' ? [`To continue: ratecard jobs resume ${id}`] : []
  if (done.length === 0) return open
  switch (kind) {
    case 'migration':
      return [
        ...open,
        `To undo: restore the former price with \`ratecard billing rollback REVISION\` (see \`ratecard billing history\`), then \`ratecard billing migrate --price ${subject}\`. Nothing was billed or credited by the move itself.`,
      ]
    case 'enterprise_apply':
      return [...open, `To undo: \`ratecard enterprise remove ${subject}\` moves the tenant to the list prices.`]
    case 'webhook_rotation':
      return [
        ...open,
        `The old secret cannot be restored; \`ratecard billing webhook rotate ${subject}\` creates another new one.`,
      ]
    default:
      return [
        ...open,
        `To undo, for one tenant at a time: \`ratecard enterprise remove TENANT\`, or apply another deal.`,
      ]
  }
}

function reasonOf(error: JsonRecord | null): string {
  return (text(error?.['detail']) ?? text(error?.['message']) ?? 'no reason is recorded').replace(/\.$/, '')
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function isWords(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
