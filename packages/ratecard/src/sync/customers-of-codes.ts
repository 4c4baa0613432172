// Customers that codes would be made for. The processor refuses a code for one that it does not know, and the push would stop
// half-way for it, with the code that was to give way switched off.
import type { BillingConfig } from '../config/document/schema.ts'
import type { Issue } from '../errors/issue.ts'
import { placesOf } from '../catalog/places.ts'
import type { Plan } from '../catalog/plan.ts'
import { processorId } from '../catalog/resource.ts'
import { readForPush } from '../processor/failures.ts'
import type { SyncDeps } from './deps.ts'

/** One issue for each code that the plan makes for a customer whom the processor does not know. Each customer is asked for once. */
export async function unknownCustomers(
  { processor }: Pick<SyncDeps, 'processor'>,
  { plan, config }: { readonly plan: Plan; readonly config: BillingConfig },
  signal: AbortSignal,
): Promise<Issue[]> {
  const codes = plan.steps.flatMap((step) =>
    step.op === 'create' && step.kind === 'promotion_code' && step.fields.customer !== ''
      ? [{ id: step.configId, customer: step.fields.customer }]
      : [],
  )
  const unknown = new Set<string>()
  for (const customer of new Set(codes.map((code) => code.customer)))
    if (!(await readForPush(() => processor.knowsCustomer(processorId(customer), signal)))) unknown.add(customer)
  return codes
    .filter(({ customer }) => unknown.has(customer))
    .map(({ id, customer }) => ({
      code: 'reference_unknown',
      pointer: placesOf(config)('promotion_code', id, 'customer'),
      severity: 'error',
      detail: `The promotion code "${id}" is for the customer "${customer}", whom the processor does not know.`,
      hint: 'Give the id of a customer at the processor (`cus_…`), or leave `customer` out.',
    }))
}
