// Describes a job as text: its steps, and the commands that undo the job.
import type { JobReport } from '@ratecard/client'
import { stepSentences } from '../../base/wording/job-words.ts'
import { showTime } from '../views/text/table.ts'

/** Returns the sentences about the steps of a job. Skipped steps and steps that wait for a date have none; they are listed separately. */
export function sentencesOf(job: JobReport): string[] {
  return job.steps
    .filter(({ state }) => state !== 'skipped' && !(state === 'pending' && job.state === 'waiting'))
    .flatMap((step) => stepSentences(step, { job, time: (at) => `${showTime(at)} UTC` }))
}

/** Returns the commands that undo or continue the job. */
export function waysBack({ id, kind, subject, allows, steps }: JobReport): string[] {
  const done = steps.filter((step) => step.state === 'succeeded')
  const open = allows.includes('resume') ? [`To continue: ratecard jobs resume ${id}`] : []
  if (done.length === 0) return open
  switch (kind) {
    case 'migration':
      return [
        ...open,
        `To undo: restore the former price with \`ratecard billing rollback REVISION\` (see \`ratecard billing history\`), then \`ratecard billing migrate --price ${subject}\`. Nothing was billed or credited by the move itself.`,
      ]
    case 'enterprise_apply':
      return [...open, `To undo: \`ratecard enterprise remove ${subject}\` moves the tenant to the list prices.`]
    case 'subscription_discount':
      return [
        `To undo: \`ratecard tenants discounts list ${subject}\` lists the discounts, and \`ratecard tenants discounts remove\` takes one away.`,
      ]
    case 'credit_grant':
      return [
        `To undo: void or expire the credit at the processor. \`ratecard tenants credits ${subject}\` lists the credits.`,
      ]
    case 'webhook_rotation':
      return [
        ...open,
        `The old secret cannot be restored; \`ratecard billing webhook rotate ${subject}\` creates another new one.`,
      ]
    case 'subscription_change':
      return [
        `To undo: \`ratecard subscriptions resume ${subject}\` undoes a scheduled change, a pause or a planned cancellation. To undo a change that is made, change the subscription again: \`ratecard subscriptions change ${subject} ITEMS\`.`,
      ]
    case 'template_move':
      return [
        ...open,
        `To undo, for one tenant at a time: \`ratecard enterprise remove TENANT\`, or apply another deal.`,
      ]
  }
}
