// Findings of the service's checks, each with the page that shows its details.
import { Link } from 'wouter'
import type { Finding } from '@ratecard/client'
import { pageWords } from '../words/page-words.ts'
import { Badge, Prose } from './basic.tsx'

/** What the checks are called on pages. A check that is not here is called as in the answer of the service. */
const names: Readonly<Record<string, string>> = {
  store: 'Store',
  history: 'History',
  processor: 'Account at Stripe',
  pushes: 'Unfinished pushes',
  policies: 'Policies',
  webhooks: 'Webhook endpoints',
  'lookup keys': 'Lookup keys',
  subscriptions: 'Paying twice',
  customers: 'Customers and tenants',
  usage: 'Dropped usage',
  'unbilled usage': 'Unbilled usage',
  'counted usage': 'Counted usage',
  credits: 'Credits',
  drift: 'Edited at Stripe',
  'past due': 'Unpaid renewals',
  owed: 'Open invoices',
  mirror: 'Mirror',
  workers: 'Workers',
  schedules: 'Scheduled runs',
}

export const checkName = (check: string) => names[check] ?? check

/** True for a finding that needs an action by the user. */
export const needsAction = ({ status }: Finding) => status === 'problem' || status === 'warning'

export const FindingBadge = ({ of: { status } }: { readonly of: Finding }) => (
  <Badge tone={status === 'problem' ? 'bad' : 'warn'}>{status}</Badge>
)

/** Page by check, and its link text. Checks that no page shows in detail are left out. */
const places: Readonly<Record<string, readonly [path: string, text: string]>> = {
  pushes: ['/plan', 'Show the pushes'],
  drift: ['/drift', 'Show the drift'],
  'past due': ['/tenants?state=past_due', 'Show these tenants'],
  owed: ['/tenants?owing', 'Show these tenants'],
  webhooks: ['/webhooks', 'Show the webhooks'],
  workers: ['/workers', 'Show the workers'],
  schedules: ['/workers', 'Show the workers'],
}

/** Renders what was found, the next step, and a link to the page with the details, unless the next step has one already. */
export function FindingText({ of: { check, status, detail, hint } }: { readonly of: Finding }) {
  const isLinked = hint !== undefined && pageWords(hint).some(({ kind }) => kind === 'page')
  const [path, text] = isLinked || (status === 'ok' && hint === undefined) ? [] : (places[check] ?? [])
  return (
    <>
      <p>
        <Prose>{detail}</Prose> {path === undefined ? null : <Link href={path}>{text}</Link>}
      </p>
      {hint === undefined ? null : (
        <p className="quiet small">
          <Prose>{hint}</Prose>
        </p>
      )}
    </>
  )
}
