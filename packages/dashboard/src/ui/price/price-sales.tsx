// Subscribers and revenue of each price in the price list, from the mirror. Without a mirror they are left out of the list.
import { createContext, useContext, useMemo, type ReactNode } from 'react'
import { Link } from 'wouter'
import type { Money } from '@ratecard/client'
import { api } from '../../api.ts'
import { useLoaded } from '../../frame/live.ts'
import { pluralize } from '../../words/words.ts'
import { Badge } from '../basic.tsx'
import { mirrorReload } from '../tenant/mirrored.tsx'

interface Sales {
  subscriptions: number
  legacy: number
  readonly amounts: string[]
}

const SalesContext = createContext<ReadonlyMap<string, Sales> | null>(null)

/** Loads the sales of all prices, by price id; null until they are loaded, and without a mirror. */
export function useSales(): ReadonlyMap<string, Sales> | null {
  const now = useLoaded('money', (signal) => api.money.now({ signal }), mirrorReload)
  return useMemo(() => (now.value === undefined ? null : salesOf(now.value)), [now.value])
}

export const SalesOfPrices = ({ children }: { readonly children: ReactNode }) => (
  <SalesContext value={useSales()}>{children}</SalesContext>
)

/** Returns the number of paying subscriptions to several prices together; null if it is not known. */
export function useSubscriptionsOf(prices: readonly { readonly id: string }[]): number | null {
  const sales = useContext(SalesContext)
  return sales === null ? null : prices.reduce((sum, { id }) => sum + (sales.get(id)?.subscriptions ?? 0), 0)
}

function salesOf({ currencies }: Money): ReadonlyMap<string, Sales> {
  const found = new Map<string, Sales>()
  for (const { byPrice } of currencies)
    for (const { priceId, subscriptions, legacy, mrr, formatted } of byPrice) {
      if (priceId === null) continue
      const sales = found.get(priceId) ?? { subscriptions: 0, legacy: 0, amounts: [] }
      found.set(priceId, sales)
      sales.subscriptions += subscriptions
      sales.legacy += legacy.subscriptions
      // Prices by usage have no amount before the end of a period.
      if (mrr !== '0') sales.amounts.push(formatted)
    }
  return found
}

export function PriceSales({ id }: { readonly id: string }) {
  const sales = useContext(SalesContext)
  if (sales === null) return null
  const one = sales.get(id)
  return (
    <p className="small">
      <Link href={`/prices/${encodeURIComponent(id)}`}>
        {one === undefined ? 'No paying subscribers' : pluralize(one.subscriptions, 'paying subscription')}
        <span className="visually-hidden"> of {id}</span>
      </Link>
      {one === undefined || one.amounts.length === 0 ? null : (
        <span className="quiet">, {one.amounts.join(' + ')} a month</span>
      )}{' '}
      {one === undefined || one.legacy === 0 ? null : (
        <Link href={`/prices/${encodeURIComponent(id)}?legacy`}>
          <Badge tone="warn">{one.legacy} on an earlier price</Badge>
        </Link>
      )}
    </p>
  )
}
