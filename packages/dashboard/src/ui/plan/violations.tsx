// Renders the policies that a change breaks: the rule, what breaks it, the reason for the rule, and the controls with which an owner can
// override it.
import { useState } from 'react'
import type { Violation } from '@ratecard/client'
import { useSessionKey } from '../../session.ts'
import { pluralize } from '../../words/words.ts'
import { Badge, Id, Prose } from '../basic.tsx'

/** True for the first violation of each policy: a policy is shown once, with everything that breaks it. */
const isFirstOfPolicy = ({ id }: Violation, index: number, all: readonly Violation[]) =>
  all.findIndex((one) => one.id === id) === index

/** Lists the violations, denied ones first. Renders nothing without any. */
export function Violations({ of: violations }: { readonly of: readonly Violation[] }) {
  if (violations.length === 0) return null
  const isDenied = ({ severity }: Violation) => severity === 'deny'
  const denied = violations.filter(isDenied)
  return (
    <div className={`alert ${denied.length > 0 ? 'alert-problem' : 'alert-warning'}`}>
      <p>
        <b>{pluralize(violations.filter(isFirstOfPolicy).length, 'broken policy', 'broken policies')}</b>
      </p>
      <ul className="issues">
        {[...denied, ...violations.filter((one) => !isDenied(one))].filter(isFirstOfPolicy).map((policy) => (
          <li key={policy.id}>
            <Badge tone={isDenied(policy) ? 'bad' : 'warn'}>{isDenied(policy) ? 'denied' : 'warned'}</Badge>{' '}
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
      {denied.length === 0 ? null : (
        <p>A denied change is refused, unless a key of scope “owner” overrides the policy with a reason.</p>
      )}
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
  const denied = [...new Set(violations.filter(({ severity }) => severity === 'deny').map(({ id }) => id))]
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
