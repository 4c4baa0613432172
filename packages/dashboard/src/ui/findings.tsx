// Findings of the service's checks, each with the page that shows its details.
import { Link } from 'wouter'
import type { Finding } from '@ratecard/client'
import { pageWords } from '../words/page-words.ts'
import { Prose } from './basic.tsx'

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
