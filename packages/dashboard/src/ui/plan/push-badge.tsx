import { Link } from 'wouter'
import { Badge } from '../basic.tsx'

const tones = {
  planned: 'note',
  running: 'note',
  waiting: 'note',
  begun: 'note',
  pending: 'plain',
  skipped: 'plain',
  interrupted: 'warn',
  unknown: 'warn',
  cancelled: 'warn',
  abandoned: 'plain',
  applied: 'good',
  done: 'good',
  succeeded: 'good',
  failed: 'bad',
} as const

/** Words for the states that are no plain words themselves. */
const labels: Readonly<Record<string, string>> = {
  begun: 'sent, no response yet',
  pending: 'not done yet',
  unknown: 'outcome unknown',
  succeeded: 'done',
}

/** Badge with the state of a push, of a job, or of a step. */
export const PushBadge = ({ state }: { readonly state: string }) => (
  <Badge tone={(tones as Readonly<Record<string, (typeof tones)[keyof typeof tones]>>)[state] ?? 'plain'}>
    {labels[state] ?? state}
  </Badge>
)

/**
 * Returns the last two table cells of a push or a job: its progress and a link to its page. `what` names it for screen readers, e.g. `push
 * psh_1`.
 */
export const progressCells = (
  of: { readonly stepsDone: number; readonly stepsTotal: number },
  href: string,
  what: string,
) => [
  <span className="steps-count">
    {of.stepsDone} / {of.stepsTotal}
  </span>,
  <Link href={href} className="nowrap" aria-label={`Details of ${what}`}>
    Details
  </Link>,
]
