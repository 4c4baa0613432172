// The processor account of the service, and its mode (test or live). Shown on every page, and in every confirmation dialog.
import { createContext, useContext } from 'react'
import type { AccountInfo } from '@ratecard/client'

/** Null until it is loaded. */
export const AccountContext = createContext<AccountInfo | null>(null)

export const useAccount = () => useContext(AccountContext)

export const modeNames = { sandbox: 'Sandbox', test: 'Test mode', live: 'Live' } as const satisfies Readonly<
  Record<AccountInfo['mode'], string>
>
