// Numbers beside entries of the menu, e.g. 3 beside Tenants if 3 tenants are past due. Those of Health and Drift come from the last run of
// the service's checks, by any user, because a run sends requests to the processor.
import { useSyncExternalStore } from 'react'
import type { DriftReport, Finding, Money, Worker } from '@ratecard/client'
import { api } from '../api.ts'
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

let known: readonly Finding[] | null = null

/** Returns the findings of the last run that a page has read; null before the first one. */
export const useKnownFindings = () =>
  useSyncExternalStore(
    subscribe,
    () => known,
    () => null,
  )

/** Updates the numbers of the menu from findings: the number of problems, and of drifted fields. */
export function noteFindings(findings: readonly Finding[]): void {
  known = findings
  const drifted = findings.find(({ check }) => check === 'drift')?.detail
  change({
    '/health': findings.filter(({ status }) => status === 'problem' || status === 'warning').length,
    '/drift': Number(/^\d+/.exec(drifted ?? '')?.[0] ?? 0),
  })
}

/** Updates the number of drifted fields from the drift page. */
export const noteDrift = ({ editedFields }: DriftReport): void => change({ '/drift': editedFields })

/** Stores the number of tenants that are past due. */
export const noteMoney = ({ currencies }: Money): void =>
  change({ '/tenants': currencies.reduce((sum, { pastDue }) => sum + pastDue.tenants, 0) })

const recent = { limit: 20 }

/** Age (seconds) up to which findings of an earlier run are shown: a day. So the menu causes at most one run a day, and one after a push. */
const maxFindingsAge = 86_400

/**
 * Loads all numbers, when the dashboard is opened and after each change. If data cannot be read (e.g. because there is no mirror), its
 * number is left out; the page of that menu entry shows the reason.
 */
export function readAttention(): void {
  const unread = () => undefined
  void api.admin.doctor({ maxAgeSeconds: maxFindingsAge }).then(noteFindings, unread)
  // The overview reads the money itself.
  if (!location.pathname.endsWith('/overview')) void api.money.now().then(noteMoney, unread)
  void api.admin
    .pushes(recent)
    .then(({ pushes }) => change({ '/plan': pushes.filter(({ state }) => state === 'interrupted').length }), unread)
  void api.jobs
    .list(recent)
    .then(({ jobs }) => change({ '/jobs': jobs.filter(({ state }) => state === 'interrupted').length }), unread)
  void api.workers.list().then((workers) => change({ '/workers': workers.filter(isDown).length }), unread)
}

const isDown = ({ state }: Worker) => state === 'unavailable' || state === 'restarting'
