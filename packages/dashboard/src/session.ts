// Which key this browser is signed in with, and what it may do.
import { createContext, useContext } from 'react'
import type { ServiceKey } from '@ratecard/client'
import type { PageQuestion } from './embedded-data.ts'

export const ownKey: PageQuestion<ServiceKey> = { key: 'key', load: (from, options) => from.admin.ownKey(options) }

export const SessionContext = createContext<ServiceKey | null>(null)

/** False for a key that only reads: then no act is on any page, and the service refuses it all the same. */
export const useMayAct = () => useContext(SessionContext)?.scope === 'write'
export const useSessionKey = () => useContext(SessionContext)
