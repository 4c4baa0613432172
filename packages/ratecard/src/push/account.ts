import { ServiceError } from '../base/errors/service-error.ts'
import type { ProcessorAccount } from '../processor/processor.ts'
import type { SyncDeps } from './deps.ts'
import { readForPush } from '../processor/failures.ts'

const fact = 'processor_account'

/**
 * Binds this environment to a processor account and mode (test or live) on the first connection. Throws `account_mismatch` for any other
 * account or mode. Otherwise a test key in production, or the key of another account, would write a second catalog and lose every mapping.
 */
export async function bindAccount(
  deps: Pick<SyncDeps, 'store' | 'processor'>,
  signal: AbortSignal,
  intent: 'write' | 'look' = 'write',
): Promise<ProcessorAccount> {
  const account = await readForPush(() => deps.processor.account(signal))
  const mine = `${account.id} ${account.livemode ? 'live' : 'test'}`
  // A dry run only reads the binding and stores nothing.
  const bound =
    intent === 'write' ? await deps.store.facts.bind(fact, mine) : ((await deps.store.facts.get(fact)) ?? mine)
  if (bound === mine) return account
  throw new ServiceError(
    'account_mismatch',
    `This environment belongs to the processor account ${bound}; the key is of ${mine}.`,
    {
      hint: 'Use a key of that account, or use a separate data directory (or database) for the other account.',
    },
  )
}

/**
 * Returns {@link bindAccount} with a cache, because the account of a key does not change while the process runs. A failure is not cached.
 */
export function createBoundAccount(
  deps: Pick<SyncDeps, 'store' | 'processor' | 'shutdown'>,
): () => Promise<ProcessorAccount> {
  let known: Promise<ProcessorAccount> | null = null
  return () =>
    (known ??= bindAccount(deps, deps.shutdown).catch((error: unknown) => {
      known = null
      throw error
    }))
}
