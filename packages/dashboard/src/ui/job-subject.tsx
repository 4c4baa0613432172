import { Link } from 'wouter'
import type { JobReport } from '@ratecard/client'
import { Text } from './basic.tsx'

/** Paths of the pages that show the subject of a job, by the job's kind. A template has no page of its own. */
const pages: Readonly<Record<JobReport['kind'], ((subject: string) => string) | null>> = {
  enterprise_apply: (tenant) => `/tenants/${tenant}`,
  subscription_change: (tenant) => `/tenants/${tenant}`,
  subscription_discount: (tenant) => `/tenants/${tenant}`,
  credit_grant: (tenant) => `/tenants/${tenant}`,
  template_move: null,
  migration: (price) => `/prices/${price}`,
  webhook_rotation: () => '/webhooks',
}

/** Renders what a job changes (a tenant, a price, a template or a webhook), as a link to its page. */
export function JobSubject({ of: { kind, subject } }: { readonly of: Pick<JobReport, 'kind' | 'subject'> }) {
  const page = pages[kind]
  const text = <Text>{subject}</Text>
  return page === null ? text : <Link href={page(encodeURIComponent(subject))}>{text}</Link>
}
