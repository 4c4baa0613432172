// What does not answer now: the service, its store or the processor. The frame of the page says it once; parts of the page that could not be
// loaded because of it only say that they wait.
import { createContext, useContext } from 'react'
import type { AccountInfo } from '@ratecard/client'
import type { Outage } from './pulse.ts'

/** Null while everything answers. */
export const OutageContext = createContext<Outage | null>(null)

export const useOutage = () => useContext(OutageContext)

/** Codes of errors that an outage of each part causes. */
const causes: Readonly<Record<Outage['part'], readonly string[]>> = {
  service: ['server_unreachable', 'request_timeout', 'answer_invalid', 'page_failed'],
  store: ['store_unavailable'],
  processor: ['processor_unavailable', 'processor_timeout'],
}

/** True if the outage is the cause of the error. */
export const isCausedBy = (outage: Outage | null, error: { readonly code: string }) =>
  outage !== null && causes[outage.part].includes(error.code)

/** Returns the name of a part for a sentence, e.g. `Stripe`. */
export function partName(part: Outage['part'], mode: AccountInfo['mode'] | undefined): string {
  if (part === 'service') return 'The service'
  if (part === 'store') return 'The database'
  return mode === 'sandbox' ? 'The sandbox' : 'Stripe'
}

/** What an outage means for who reads a page. */
export const consequences = {
  service: 'This page shows what was loaded before. It goes on by itself as soon as the service answers.',
  store: 'Nothing can be read or changed until it does. This page shows what was loaded before.',
  processor: 'Prices, tenants and money are shown as of then. Nothing can be pushed or sold until it answers.',
} as const satisfies Readonly<Record<Outage['part'], string>>
