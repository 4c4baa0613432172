// Products and prices that are switched off at the processor although the price list sells them: customers see them, and cannot buy them.
import { createContext, useContext, type ReactNode } from 'react'
import { Link } from 'wouter'
import type { DriftReport } from '@ratecard/client'
import { api } from '../../api.ts'
import { useAttention } from '../../frame/attention.ts'
import { useLoaded } from '../../frame/live.ts'
import { Badge } from '../basic.tsx'

const none: ReadonlySet<string> = new Set()
const SwitchedOffContext = createContext(none)

/** Reads the drift, which takes several requests to the processor, only if the service's checks found some. */
export function SwitchedOff({ children }: { readonly children: ReactNode }) {
  const hasDrift = useAttention('/drift') > 0
  const off = useLoaded(
    `switched off ${String(hasDrift)}`,
    async (signal) => (hasDrift ? keysOf(await api.admin.drift({ signal })) : none),
    { isLive: false },
  )
  return <SwitchedOffContext value={off.value ?? none}>{children}</SwitchedOffContext>
}

const keysOf = ({ differences }: DriftReport): ReadonlySet<string> =>
  new Set(
    differences
      .filter(
        ({ action, fields }) =>
          action === 'reactivate' || fields.some(({ field, before }) => field === 'active' && before === false),
      )
      .map(({ kind, configId }) => `${kind} ${configId}`),
  )

export function OffBadge({ kind, id }: { readonly kind: 'product' | 'price'; readonly id: string }) {
  if (!useContext(SwitchedOffContext).has(`${kind} ${id}`)) return null
  return (
    <Link href="/drift">
      <Badge tone="bad">off at the processor</Badge>
    </Link>
  )
}
