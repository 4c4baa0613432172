import { modeNames, useAccount } from '../frame/account.ts'
import { Id } from './text.tsx'

/** Renders the mode in its own colour, and the account. Renders nothing until they are loaded. */
export function WhichAccount() {
  const account = useAccount()
  if (account === null) return null
  return (
    <span className="which-account">
      <span className={`mode mode-${account.mode}`}>{modeNames[account.mode]}</span>
      {account.accountId === null ? null : (
        <span className="quiet small">
          <Id>{account.accountId}</Id>
        </span>
      )}
    </span>
  )
}
