import { Badge } from './basic.tsx'

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

/** State of a push, a job, or one of their steps. */
export const PushBadge = ({ state }: { readonly state: string }) => (
  <Badge tone={(tones as Readonly<Record<string, (typeof tones)[keyof typeof tones]>>)[state] ?? 'plain'}>
    {state}
  </Badge>
)
