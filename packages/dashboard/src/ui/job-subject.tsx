import { Link } from 'wouter'
import type { JobReport } from '@ratecard/client'
import { Text } from './text.tsx'
import { NamedPrice, NamedTenant } from './named.tsx'

/** Renders what a job changes (a tenant, a price, a template or a webhook), as a link to its page. A template has no page of its own. */
export function JobSubject({ of }: { readonly of: Pick<JobReport, 'kind' | 'subject' | 'subjectName'> }) {
  const { kind, subject } = of
  if (kind === 'migration') return <NamedPrice id={subject} />
  if (kind === 'template_move') return <Text>{subject}</Text>
  if (kind === 'webhook_rotation')
    return (
      <Link href="/webhooks">
        <Text>{subject}</Text>
      </Link>
    )
  return <NamedTenant id={subject} name={of.subjectName} />
}
