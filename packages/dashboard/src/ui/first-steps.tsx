// The way from files to the first sale, for a service that has not sold yet. Each step says where it is done; steps that are done are marked.
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useAccount } from '../frame/account.ts'
import { useCatalog, useHasNoCatalog } from '../frame/catalog.ts'
import { useMayAct } from '../session.ts'
import { Badge, Card } from './basic.tsx'

interface Step {
  readonly title: string
  readonly isDone: boolean
  readonly text: ReactNode
}

export function FirstSteps() {
  const catalog = useCatalog()
  const isSandbox = useAccount()?.mode === 'sandbox'
  const price = [...(catalog?.prices.values() ?? [])].find(
    ({ price: { amount = 0, interval } }) => amount > 0 && interval !== undefined,
  )
  const steps: readonly Step[] = [
    {
      title: 'Write your prices as files',
      isDone: catalog !== null,
      text: (
        <>
          <code>npx ratecard init</code> makes a project with files to edit. <LoadExample />
        </>
      ),
    },
    {
      title: 'See the plan, and apply it',
      isDone: catalog !== null,
      text: (
        <>
          Drop the files on the <Link href="/plan">Plan</Link> page, or run <code>npx ratecard billing push</code>.
          Nothing is written before you confirm.
        </>
      ),
    },
    {
      title: 'Sell',
      isDone: false,
      text: isSandbox ? (
        <>
          Try it without a card: <code>npx ratecard tenants create acme</code>, then{' '}
          <code>npx ratecard sandbox buy acme {price?.price.id ?? 'pro_monthly'}</code>. Your application sends tenants
          to a checkout.
        </>
      ) : (
        'Your application creates a tenant and sends it to a checkout.'
      ),
    },
    { title: 'See the money', isDone: false, text: 'Revenue appears here after the first sale of a recurring price.' },
  ]
  return (
    <Card title="First steps">
      <ol className="first-steps">
        {steps.map(({ title, isDone, text }) => (
          <li key={title}>
            <p>
              <b>{title}</b> {isDone ? <Badge tone="good">done</Badge> : null}
            </p>
            <p className="quiet">{text}</p>
          </li>
        ))}
      </ol>
    </Card>
  )
}

/** Link that loads an example into the plan page. Only at a sandbox without a price list, where it can do no harm. */
export function LoadExample() {
  const isSandbox = useAccount()?.mode === 'sandbox'
  const mayAct = useMayAct()
  const isEmpty = useHasNoCatalog()
  if (!isSandbox || !mayAct || !isEmpty) return null
  return (
    <Link href="/plan?example" className="button button-small">
      Load an example
    </Link>
  )
}
