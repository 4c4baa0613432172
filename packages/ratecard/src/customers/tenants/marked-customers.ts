// Finds the customer of a tenant by the mark on it (`ratecard_tenant_id`), e.g. after a backup was restored that is older than the tenant.
import { processorId, type ProcessorId } from '../../catalog/resource.ts'
import { ServiceError } from '../../base/errors/service-error.ts'
import { askProcessor } from '../../processor/failures.ts'
import { mirroredKinds } from '../../processor/mirrored.ts'
import type { TenantDeps } from './deps.ts'

const auditPage = 100

type Deps = Pick<TenantDeps, 'store' | 'processor'>

/**
 * Returns the customer whose metadata names the tenant, as far as the mirror knows; null if there is none. Customers of other tenants do not
 * count, nor one that this store has let go of, because its tenant was deleted or got another customer. Throws `customer_ambiguous`.
 */
export async function markedCustomer({ store }: Deps, tenantId: string): Promise<ProcessorId | null> {
  const found = await store.mirror.markedWith(tenantId)
  if (found.length === 0) return null
  const taken = await store.tenants.idsByCustomer(found)
  const former = await lettenGo({ store }, tenantId)
  const [only, ...others] = found.filter((id) => !taken.has(id) && !former.has(id))
  if (only === undefined || others.length === 0) return only ?? null
  const names = [only, ...others].join(', ')
  throw new ServiceError(
    'customer_ambiguous',
    `Several customers at the processor are of the tenant "${tenantId}": ${names}.`,
    {
      hint: 'Name the one that pays in "processor_customer_id", and delete the metadata "ratecard_tenant_id" of the others.',
    },
  )
}

/** Like {@link markedCustomer}, for the first need of a customer: while the mirror has not read all customers, asks the processor. */
export async function customerAtNeed(deps: Deps, tenantId: string, signal: AbortSignal): Promise<ProcessorId | null> {
  const marked = await markedCustomer(deps, tenantId)
  if (marked !== null || !(await lacksCustomers(deps))) return marked
  const found = await askProcessor(signal, () => deps.processor.findCustomer(tenantId, 0, signal))
  if (found === null || (await deps.store.tenants.findByCustomer(found)) !== null) return null
  return (await lettenGo(deps, tenantId)).has(found) ? null : found
}

/** True while a first fill of the mirror runs that has not read all customers. A mirror that is off knows none, and is not waited for. */
async function lacksCustomers({ store }: Pick<Deps, 'store'>): Promise<boolean> {
  const filling = (await store.mirror.state())?.filling ?? null
  return filling !== null && mirroredKinds.indexOf(filling.kind) <= mirroredKinds.indexOf('customer')
}

/** Returns the customers that the tenant once had in this store. */
async function lettenGo({ store }: Pick<Deps, 'store'>, tenantId: string): Promise<ReadonlySet<ProcessorId>> {
  const former = new Set<ProcessorId>()
  for (let offset = 0; ; offset += auditPage) {
    const { items } = await store.tenants.audit(tenantId, { limit: auditPage, offset })
    for (const { before } of items) {
      const { processor_customer_id: id } = JSON.parse(before ?? '{}') as { processor_customer_id?: string | null }
      if (typeof id === 'string') former.add(processorId(id))
    }
    if (items.length < auditPage) return former
  }
}
