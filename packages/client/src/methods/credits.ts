import { acted, call, type ActOptions, type WriteOptions } from '../call.ts'
import type { CallOptions, Transport } from '../transport.ts'
import type * as result from '../wire.generated.ts'

/** Credits: prepaid or promotional money of a tenant that pays for metered usage. */
export interface CreditsClient {
  /** Returns the tenant's credits with their remaining amounts, oldest first. Includes used and expired credits. */
  list(tenantId: string, options?: CallOptions): Promise<result.Credits>
  /** Gives the tenant a promotional credit. A retry with the same `idempotencyKey` does not give a second one. */
  add(tenantId: string, credit: result.NewCredit, options?: WriteOptions & ActOptions): Promise<result.Credit>
}

export function creditsClient(transport: Transport): CreditsClient {
  return {
    list: (id, options) => call(transport, 'listCredits', { params: { id } }, options),
    add: (id, body, options = {}) =>
      call(transport, 'addCredit', { params: { id }, body, keyed: true }, acted(options)),
  }
}
