// The processor account and its mode (test or live). The dashboard shows both on every page and in every confirmation dialog.
import type { AccountInfo, DashboardOperations } from '../service/dashboard.ts'
import type { Store } from '../store/store.ts'

export interface AccountInfoDeps {
  readonly store: Pick<Store, 'facts'>
  readonly mode: AccountInfo['mode']
  /** Reads the account from the processor. */
  readonly readAccount: () => Promise<{ readonly id: string }>
}

export function createAccountInfo({
  store,
  mode,
  readAccount,
}: AccountInfoDeps): Pick<DashboardOperations, 'accountInfo'> {
  return {
    async accountInfo() {
      // Once there was a push, this value is `<account id> <test|live>`. Before that, the account is read from the processor.
      const bound = await store.facts.get('processor_account')
      if (bound !== null) return { mode, accountId: bound.split(' ')[0] ?? null }
      // If the processor does not respond, only the mode is returned, because it comes from the settings. `/readyz` reports the failure.
      const account = await readAccount().catch(() => null)
      return { mode, accountId: account?.id ?? null }
    },
  }
}
