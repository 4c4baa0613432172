// Counts the items that a job moved, from the results of its steps. A step can succeed without moving an item.
import type { JobReport } from '@ratecard/client'
import type { Output } from '../terminal/output.ts'
import { showTime } from '../views/text/table.ts'

type JsonRecord = Readonly<Record<string, unknown>>

/** An item that was not moved, with the reason. */
export interface UnmovedItem {
  readonly tenant: string | null
  readonly what: string
  readonly reason: string
}

export interface JobOutcome {
  readonly moved: number
  readonly stayed: readonly UnmovedItem[]
  /** Number of items that wait for a date. */
  readonly waiting: number
}

export function outcomeOf({ steps }: JobReport): JobOutcome {
  const outcome = { moved: 0, stayed: [] as UnmovedItem[], waiting: 0 }
  for (const { state, step, result } of steps) {
    const tenant = textOf(step['tenant_id'])
    if (state === 'pending') outcome.waiting += 1
    else if (state === 'skipped')
      outcome.stayed.push({
        tenant,
        what: textOf(step['subscription']) ?? '',
        reason: textOf(result?.['reason']) ?? 'No reason is recorded.',
      })
    else if (state === 'succeeded') {
      // The result of a step that handles a whole tenant contains the number of moved prices, and a list of the items that were not moved.
      const swapped = result?.['prices_swapped']
      // A change that depends on a payment has moved nothing yet.
      const isUnpaid = (result?.['payment'] ?? null) !== null
      outcome.moved += typeof swapped === 'number' ? swapped : isUnpaid ? 0 : 1
      for (const { subscription, price, reason, detail } of recordsOf(result?.['skipped']))
        outcome.stayed.push({
          tenant,
          what: [textOf(subscription), textOf(price)].filter((part) => part !== null).join('  '),
          reason: reasonText(textOf(reason) ?? 'No reason is recorded.', textOf(detail) ?? undefined),
        })
    }
  }
  return outcome
}

/** Returns the message about checkout pages that were closed because the tenant's negotiated prices changed. */
export function closedPagesText(count: number): string {
  const pages = count === 1 ? 'page closed, because it' : 'pages closed, because they'
  return `${String(count)} open checkout ${pages} sold a former price of the tenant.`
}

/** Returns a short reason, followed by its explanation if there is one. */
export function reasonText(reason: string, detail: string | undefined): string {
  return detail === undefined ? reason : `${reason}. ${detail}`
}

/** Prints how many items were moved, how many wait, and which items were not moved and why. */
export function printOutcome(job: JobReport, out: Output): void {
  const { moved, stayed, waiting } = outcomeOf(job)
  printUnmoved(job, out)
  const skipped = stayed.length === 0 ? '' : `, skipped ${String(stayed.length)}`
  const scheduled = job.scheduledMoves.length
  const done = [
    ...(moved > scheduled ? [`Moved ${String(moved - scheduled)}`] : []),
    ...(scheduled > 0 ? [`Scheduled ${String(scheduled)} for the renewal`] : []),
  ]
  // There is no check mark if nothing was moved, because it would suggest success.
  if (moved > 0)
    out.say(`${out.paint.green('✓')} ${done.join('. ')}${skipped}. Former prices: ratecard jobs show ${job.id}`)
  else if (stayed.length > 0) out.say(`Moved nothing${skipped}.`)
  else if (waiting > 0) out.say('Nothing moved yet.')
  else out.say(`${out.paint.green('✓')} No item was left to move.`)
  printWaiting(job, out)
}

const maxShown = 20

/** Prints the items that were not moved, at most 20, each with the reason. */
export function printUnmoved(job: JobReport, out: Output): void {
  const { stayed } = outcomeOf(job)
  for (const { tenant, what, reason } of stayed.slice(0, maxShown)) {
    const name = [tenant, what].filter((part) => part !== null && part !== '').join('  ')
    out.say(`  ${out.paint.dim('·')}  ${name} stays: ${reason}`)
  }
  if (stayed.length > maxShown)
    out.say(`     and ${String(stayed.length - maxShown)} more, with --json or: ratecard jobs show ${job.id}`)
}

/** Prints the moves of a migration that wait at the processor, at most 20, and how to take them back. */
export function printScheduled(
  { id, scheduledMoves: moves }: Pick<JobReport, 'id' | 'scheduledMoves'>,
  out: Output,
): void {
  if (moves.length === 0) return
  out.say(`${String(moves.length)} ${moves.length === 1 ? 'move stays' : 'moves stay'} scheduled:`)
  for (const { tenantId, customer, subscription, effectiveAt } of moves.slice(0, maxShown))
    out.say(`  ${out.paint.dim('·')}  ${tenantId ?? customer}  ${subscription}  at ${showTime(effectiveAt)} UTC`)
  if (moves.length > maxShown) out.say(`     and ${String(moves.length - maxShown)} more, with --json`)
  out.say(`To take them back: ratecard jobs cancel ${id} --take-back`)
}

/** Prints what a job took back of a migration, and what not and why. */
export function printTakenBack(job: JobReport, out: Output): void {
  printUnmoved(job, out)
  const { moved } = outcomeOf(job)
  const moves = `${String(moved)} scheduled ${moved === 1 ? 'move' : 'moves'}`
  out.say(`${out.paint.green('✓')} Took back ${moves}: ratecard jobs show ${job.id}`)
}

/** Prints what a waiting job waits for, and that no action is needed. Prints nothing for other jobs. */
export function printWaiting({ id, kind, state, resumesAt, input, steps, error }: JobReport, out: Output): void {
  if (state !== 'waiting' || resumesAt === null) return
  if (kind === 'webhook_rotation') {
    out.say(
      `The old endpoint signs beside the new one until ${showTime(resumesAt)} UTC; then the service switches it off.`,
    )
    return
  }
  if (kind === 'subscription_change') {
    const reason = steps.every((step) => step.state === 'succeeded')
      ? (textOf(error?.['detail']) ??
        'The change waits for its payment. If it is never paid, the service puts back the scheduled change that it took off.')
      : 'The change was not made. The service puts back the scheduled change that it took off.'
    out.say(`${reason} It looks again at ${showTime(resumesAt)} UTC.`)
    return
  }
  const rest = steps.filter((step) => step.state === 'pending').length
  const asked = textOf(input['to'])
  const renewal =
    asked === null || !/^\d/.test(asked) ? 'a later renewal' : `the first renewal after ${showTime(asked)} UTC`
  out.say(
    `${String(rest)} ${rest === 1 ? 'waits' : 'wait'} for ${renewal}: the service continues on its own, first at ${showTime(resumesAt)} UTC. To stop that: ratecard jobs cancel ${id}`,
  )
}

function recordsOf(value: unknown): readonly JsonRecord[] {
  return Array.isArray(value)
    ? value.filter((item): item is JsonRecord => typeof item === 'object' && item !== null && !Array.isArray(item))
    : []
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
