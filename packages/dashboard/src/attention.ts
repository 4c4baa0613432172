// Numbers beside entries of the menu, e.g. 3 beside Tenants if 3 tenants are past due. They come from data that the pages have loaded. The
// menu itself never runs the checks of the service, because these call the processor.
import { useSyncExternalStore } from 'react'
import type { Finding, Money } from '@ratecard/client'
import { api } from './api.ts'
import type { MenuPath } from './menu.ts'

type Numbers = Partial<Readonly<Record<MenuPath, number>>>

let numbers: Numbers = {}
const listeners = new Set<() => void>()

function change(changed: Numbers): void {
  numbers = { ...numbers, ...changed }
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Returns the number beside an entry of the menu. 0: no number is shown. */
export const useAttention = (path: MenuPath): number =>
  useSyncExternalStore(
    subscribe,
    () => numbers[path] ?? 0,
    () => 0,
  )

/** Updates the numbers of the menu from the findings of the health page: findings that are not in order, and drifted fields. */
export function noteFindings(findings: readonly Finding[]): void {
  const drifted = findings.find(({ check }) => check === 'drift')?.detail
  change({
    '/health': findings.filter(({ status }) => status !== 'ok').length,
    '/drift': Number(/^\d+/.exec(drifted ?? '')?.[0] ?? 0),
  })
}

/** Stores the number of tenants that are past due. */
export const noteMoney = ({ currencies }: Money): void =>
  change({ '/tenants': currencies.reduce((sum, { pastDue }) => sum + pastDue.tenants, 0) })

/** Loads the numbers that come from the mirror, when the dashboard is opened. Without a mirror the menu shows none. */
export function readAttention(): void {
  void api.money.now().then(noteMoney, () => undefined)
}
