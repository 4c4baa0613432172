// The service key of this session and its scope.
import { createContext, useContext } from 'react'
import type { ServiceKey } from '@ratecard/client'
import type { PageQuestion } from './embedded-data.ts'

export const ownKey: PageQuestion<ServiceKey> = { key: 'key', load: (from, options) => from.admin.ownKey(options) }

export const SessionContext = createContext<ServiceKey | null>(null)

/** False for a `read` key: pages then show no actions. The service refuses them in any case. */
export const useMayAct = () => useContext(SessionContext)?.scope === 'write'
export const useSessionKey = () => useContext(SessionContext)
