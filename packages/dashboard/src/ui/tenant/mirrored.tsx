// Components for data from the mirror, the service's copy of the processor's data: its age, and a message while the mirror is off or
// incomplete.
import type { ReactNode } from 'react'
import type { LoadState } from '../../frame/live.ts'
import { Badge, Empty, Loading, NotLoaded, Prose, Time } from '../basic.tsx'

/** Reload interval (ms) of data from the mirror. */
export const mirrorReload = { everyMs: 15_000 }

/** Renders the age of data from the mirror. Renders nothing for data that was read live. */
export function AsOf({ of }: { readonly of: { readonly asOf?: string; readonly stale?: boolean } }) {
  if (of.asOf === undefined) return null
  return (
    <p className="quiet small">
      As of <Time at={of.asOf} /> {of.stale === true ? <Badge tone="warn">The mirror is out of date</Badge> : null}
    </p>
  )
}

interface MirroredProps<Value> {
  readonly of: LoadState<Value>
  readonly what: string
  readonly children: (value: Value) => ReactNode
}

/** Like `Show`, with an explanation if the mirror is off or not complete. */
export function ShowMirrored<Value>({ of, what, children }: MirroredProps<Value>) {
  const { error, value } = of
  if (error?.code === 'mirror_off' || error?.code === 'mirror_filling')
    return (
      <Empty title={error.code === 'mirror_off' ? 'The mirror is off' : 'Reading the account'}>
        <p role="status">
          <Prose>{error.message}</Prose> {error.hint === undefined ? null : <Prose>{error.hint}</Prose>}
        </p>
      </Empty>
    )
  return (
    <>
      {error === null ? null : <NotLoaded error={error} what={what} isOld={value !== undefined} onRetry={of.reload} />}
      {value === undefined ? error === null ? <Loading what={what} /> : null : children(value)}
    </>
  )
}

/** Returns amounts of several currencies, one per line. Returns a dash if there are none, so that a table knows that its cell is empty. */
export const amounts = (of: readonly { readonly formatted: string }[] | undefined): ReactNode =>
  of === undefined || of.length === 0 ? (
    '—'
  ) : (
    <>
      {of.map(({ formatted }) => (
        <span key={formatted} className="money block">
          {formatted}
        </span>
      ))}
    </>
  )

const tones = { past_due: 'bad', unpaid: 'bad', active: 'good', trialing: 'note', paused: 'warn' } as const

export const stateTone = (state: string) => (state in tones ? tones[state as keyof typeof tones] : 'plain')
