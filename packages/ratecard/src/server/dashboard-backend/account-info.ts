// The processor account, its mode (test or live) and the environment. The dashboard shows account and mode on every page and in every
// confirmation dialog; the command line sends the variables of an environment’s file only to that environment.
import type { Clock } from '../../base/clock.ts'
import type { Store } from '../../store/store.ts'
import type { AccountInfo } from '../../api/server/dashboard.ts'

export interface AccountInfoDeps {
  /** Billing time. */
  readonly clock: Clock
  readonly store: Pick<Store, 'facts'>
  readonly mode: AccountInfo['mode']
  readonly environment: AccountInfo['environment']
  /** Reads the account from the processor. */
  readonly readAccount: () => Promise<{ readonly id: string }>
}

export function createAccountInfo({ clock, store, mode, environment, readAccount }: AccountInfoDeps) {
  return {
    /** Returns the account that pushes write to. Asks the processor only if there was no push yet. */
    async accountInfo(): Promise<AccountInfo> {
      // Once there was a push, this value is `<account id> <test|live>`. Before that, the account is read from the processor.
      const known = { mode, environment, billingTime: clock.now() }
      const bound = await store.facts.get('processor_account')
      if (bound !== null) return { ...known, accountId: bound.split(' ')[0] ?? null }
      // If the processor does not respond, only the mode is returned, because it comes from the settings. `/readyz` reports the failure.
      const account = await readAccount().catch(() => null)
      return { ...known, accountId: account?.id ?? null }
    },
  }
}
