import { call } from '../call.ts'
import type { FeatureId } from '../ids.ts'
import type { CallOptions, Transport } from '../transport.ts'
import type * as result from '../wire.generated.ts'

/**
 * A question about a feature: the amount that the tenant wants to use. `used` is the amount in use now; your program must count it for a
 * feature of type `limit`. With a service key, pass `tenantId`.
 */
export interface FeatureQuestion {
  readonly used?: number | undefined
  readonly requested?: number | undefined
  readonly tenantId?: string | undefined
}

export interface EntitlementsClient {
  /** Returns the features that the tenant of the session may use. With a service key, pass `tenantId`. */
  (query?: { readonly tenantId?: string | undefined }, options?: CallOptions): Promise<result.Entitlements>
  /** Checks whether the tenant may use more of a feature, e.g. `check('projects', { used: 9 })`. */
  check(feature: FeatureId, question?: FeatureQuestion, options?: CallOptions): Promise<result.FeatureCheck>
  /** Checks up to 50 features at once. The results are in the order of `checks`. */
  checkAll(
    checks: readonly ({ readonly feature: FeatureId } & Pick<FeatureQuestion, 'used' | 'requested'>)[],
    query?: { readonly tenantId?: string | undefined },
    options?: CallOptions,
  ): Promise<result.FeatureCheck[]>
}

export const entitlementsClient = (transport: Transport): EntitlementsClient =>
  Object.assign(
    (query: { readonly tenantId?: string | undefined } = {}, options?: CallOptions) =>
      call(transport, 'getEntitlements', { query }, options),
    {
      check: (async (feature, question = {}, options) =>
        (await call(
          transport,
          'checkEntitlements',
          { body: { feature, ...question } },
          options,
        )) as result.FeatureCheck) satisfies EntitlementsClient['check'],
      checkAll: (async (checks, { tenantId } = {}, options) => {
        const body = { checks: [...checks], tenantId }
        return ((await call(transport, 'checkEntitlements', { body }, options)) as result.FeatureChecks).checks
      }) satisfies EntitlementsClient['checkAll'],
    },
  )
