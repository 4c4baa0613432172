import { acted, call, type ActOptions, type WriteOptions } from '../call.ts'
import type { CallOptions, Transport } from '../transport.ts'
import type * as result from '../wire.generated.ts'

/** Discounts of running subscriptions. A discount applies from the next invoice on; adding one bills or credits nothing now. */
export interface DiscountsClient {
  /** Returns the discounts of the tenant's subscriptions. Discounts of the customer and of single items are not included. */
  list(tenantId: string, options?: CallOptions): Promise<result.Discount[]>
  /** Dry run of `add`: returns what it would change, with the next invoice before and after. Throws the same errors. */
  plan(tenantId: string, discount: result.NewDiscount, options?: CallOptions): Promise<result.DiscountPlan>
  add(tenantId: string, discount: result.NewDiscount, options?: WriteOptions & ActOptions): Promise<result.Discount>
  /** Returns what `remove` would change, with the next invoice before and after the change. */
  planRemoval(tenantId: string, discount: string, options?: CallOptions): Promise<result.DiscountPlan>
  remove(tenantId: string, discount: string, options?: WriteOptions & ActOptions): Promise<void>
}

export function discountsClient(transport: Transport): DiscountsClient {
  const dry = { query: { dryRun: true } }
  return {
    list: async (id, options) => (await call(transport, 'listDiscounts', { params: { id } }, options)).discounts,
    // With `dry_run` the service returns the plan, otherwise the discount.
    plan: async (id, body, options) =>
      (await call(transport, 'addDiscount', { params: { id }, body, ...dry }, options)) as result.DiscountPlan,
    add: async (id, body, options = {}) =>
      (await call(transport, 'addDiscount', { params: { id }, body, keyed: true }, acted(options))) as result.Discount,
    planRemoval: (id, discount, options) =>
      call(transport, 'removeDiscount', { params: { id, discount }, ...dry }, options),
    remove: async (id, discount, options = {}) => {
      await call(transport, 'removeDiscount', { params: { id, discount }, keyed: true }, acted(options))
    },
  }
}
