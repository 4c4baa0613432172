// Check of new promotion codes that are restricted to one customer. The processor rejects a code for an unknown customer. Without this
// check the push would stop at that code, after it has already deactivated the code that the new one replaces.
import type { Issue } from '../../base/errors/issue.ts'
import type { Planned } from './planned.ts'
import { processorId } from '../../catalog/resource.ts'
import { ServiceError } from '../../base/errors/service-error.ts'
import { runSteps } from '../../acts/journal/run-steps.ts'
import { readForPush } from '../../processor/failures.ts'
import type { SyncDeps } from '../deps.ts'
import { readConcurrency } from './price-uses.ts'

/**
 * Returns one issue for each new promotion code whose customer does not exist at the processor. Each customer is looked up once. If the key
 * may not read customers, returns a warning for each code instead.
 */
export async function unknownCustomers(
  { processor }: Pick<SyncDeps, 'processor'>,
  { plan, place }: Planned,
  signal: AbortSignal,
): Promise<Issue[]> {
  const codes = plan.steps.flatMap((step) =>
    step.op === 'create' && step.kind === 'promotion_code' && step.fields.customer !== ''
      ? [{ id: step.configId, customer: step.fields.customer }]
      : [],
  )
  const unknown = new Set<string>()
  const unasked = new Set<string>()
  const customers = new Set(codes.map((code) => code.customer))
  await runSteps([...customers], readConcurrency, async (customer) => {
    // If the key may not read one customer, it may not read the others. So skip the remaining lookups.
    if (unasked.size > 0) unasked.add(customer)
    else
      try {
        const state = await readForPush(() => processor.customerState(processorId(customer), signal))
        if (state !== 'living') unknown.add(customer)
      } catch (error) {
        if (!(error instanceof ServiceError) || error.code !== 'processor_unauthorized') throw error
        unasked.add(customer)
      }
  })
  const refused = codes
    .filter(({ customer }) => unknown.has(customer))
    .map(({ id, customer }): Issue => ({
      code: 'reference_unknown',
      pointer: place('promotion_code', id, 'customer'),
      severity: 'error',
      detail: `The promotion code "${id}" is for the customer "${customer}", which does not exist at the processor.`,
      hint: 'Give the id of a customer at the processor (`cus_…`), or leave `customer` out.',
    }))
  const unchecked = codes
    .filter(({ customer }) => unasked.has(customer))
    .map(({ id, customer }): Issue => ({
      code: 'customer_unchecked',
      pointer: place('promotion_code', id, 'customer'),
      severity: 'warning',
      detail: `The key may not read customers at the processor, so the customer "${customer}" of the promotion code "${id}" was not checked.`,
      hint: 'Allow the key to read customers. Otherwise, if the customer does not exist, the push stops when the processor refuses the code.',
    }))
  return [...refused, ...unchecked]
}
