// The service key of this session and its scope.
import { createContext, useContext } from 'react'
import type { ServiceKey } from '@ratecard/client'

export const SessionContext = createContext<ServiceKey | null>(null)

/** True if the session may perform actions. False for a `read` key; pages then show no actions, because the service would refuse them. */
export const useMayAct = () => (useContext(SessionContext)?.scope ?? 'read') !== 'read'
export const useSessionKey = () => useContext(SessionContext)
