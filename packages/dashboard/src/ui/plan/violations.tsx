// Renders the policies that a change breaks: the rule, what breaks it, the reason for the rule, and the controls with which an owner can
// override it.
import { useState } from 'react'
import type { Violation } from '@ratecard/client'
import { useSessionKey } from '../../session.ts'
import { pluralize } from '../../words/words.ts'
import { Prose } from '../basic.tsx'
import { Id } from '../text.tsx'

/** True for the first violation of each policy: a policy is shown once, with everything that breaks it. */
const isFirstOfPolicy = ({ id }: Violation, index: number, all: readonly Violation[]) =>
  all.findIndex((one) => one.id === id) === index

const isDenied = ({ severity }: Violation) => severity === 'deny'

/** Lists the violations: those that deny the change in a box of their own, then those that only warn. */
export const Violations = ({ of: violations }: { readonly of: readonly Violation[] }) => (
  <>
    <BrokenPolicies of={violations.filter(isDenied)} isDenial />
    <BrokenPolicies of={violations.filter((one) => !isDenied(one))} isDenial={false} />
  </>
)

interface BrokenProps {
  readonly of: readonly Violation[]
  readonly isDenial: boolean
}

function BrokenPolicies({ of: violations, isDenial }: BrokenProps) {
  const policies = violations.filter(isFirstOfPolicy)
  if (policies.length === 0) return null
  return (
    <div className={`alert ${isDenial ? 'alert-problem' : 'alert-warning'}`}>
      <p>
        <b>
          {isDenial ? 'Refused by ' : 'Warned of by '}
          {pluralize(policies.length, 'policy', 'policies')}
        </b>
      </p>
      <ul className="issues">
        {policies.map((policy) => (
          <li key={policy.id}>
            <Id>{policy.id}</Id>
            {policy.reason === null ? null : (
              <>
                : <Prose>{policy.reason}</Prose>
              </>
            )}
            {violations
              .filter(({ id }) => id === policy.id)
              .map(({ detail }, index) => (
                <p key={index} className="policy-detail">
                  <Prose>{detail}</Prose>
                </p>
              ))}
          </li>
        ))}
      </ul>
      {isDenial ? <p>A key of scope “owner” can override it with a reason.</p> : null}
    </div>
  )
}

/**
 * Returns the ids of the policies to override, and a form field for owners to override them. `isAllowed` is false while a policy denies the
 * change without being overridden, or an override has no reason.
 */
export function useOverride(violations: readonly Violation[], message: string | undefined) {
  const isOwner = useSessionKey()?.scope === 'owner'
  const [isChosen, setIsChosen] = useState(false)
  const denied = [...new Set(violations.filter(isDenied).map(({ id }) => id))]
  const overrides = isOwner && isChosen
  const field =
    denied.length === 0 || !isOwner ? null : (
      <label>
        <input type="checkbox" checked={isChosen} onChange={(event) => setIsChosen(event.target.checked)} /> Override{' '}
        {denied.map((id) => (
          <Id key={id}>{id}</Id>
        ))}{' '}
        this time. The reason is required.
      </label>
    )
  return {
    field,
    override: overrides && denied.length > 0 ? { override: denied } : {},
    isAllowed: denied.length === 0 || (overrides && message !== undefined),
  }
}
