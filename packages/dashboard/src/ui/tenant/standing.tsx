// Badges beside the state of subscriptions: paused invoices, and a planned end.
import type { ListedTenant, Subscriber } from '@ratecard/client'
import { endWords } from '../../../../ratecard/src/base/wording/planned-end.ts'
import { Badge, Time } from '../basic.tsx'
import { stateTone } from './mirrored.tsx'
import { stateLabel } from '../../words/words.ts'

type State = Pick<Subscriber, 'pause' | 'endsAt'> & { readonly status: string }

/** Renders the state of one subscription, e.g. "Active", "invoices paused" and "ends Dec 3, 2026". */
export const SubscriptionState = ({ of: { status, pause, endsAt } }: { readonly of: State }) => (
  <span className="badges">
    <Badge tone={stateTone(status)}>{stateLabel(status)}</Badge>
    {pause === null ? null : (
      <Badge tone="warn">
        invoices paused
        {pause.until === null ? null : (
          <>
            {' '}
            until <Time at={pause.until} isDay />
          </>
        )}
      </Badge>
    )}
    {endsAt === null ? null : (
      <Badge tone="warn">
        ends <Time at={endsAt} isDay />
      </Badge>
    )}
  </span>
)

/** Renders the state of all subscriptions of a tenant. A badge for only some of them has their number, e.g. "1 of 2 ends Dec 3, 2026". */
export function TenantState({ of }: { readonly of: ListedTenant }) {
  const { billingStatus, subscriptions = 0, pausedSubscriptions: paused = 0, endsAt = null } = of
  const ending = of.endingSubscriptions ?? 0
  if (billingStatus === undefined) return '—'
  const share = (number: number) => (number === subscriptions ? '' : `${number} of ${subscriptions} `)
  return (
    <span className="badges">
      <Badge tone={stateTone(billingStatus)}>{stateLabel(billingStatus)}</Badge>
      {paused === 0 ? null : <Badge tone="warn">{share(paused)}invoices paused</Badge>}
      {endsAt === null ? null : (
        <Badge tone="warn">
          {endWords(ending, subscriptions)} <Time at={endsAt} isDay />
        </Badge>
      )}
    </span>
  )
}
