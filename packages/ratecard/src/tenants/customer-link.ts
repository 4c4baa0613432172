// Which customer of the processor a tenant is. Makes one where there is none, exactly one, however many ask at once;
// never replaces one that is there.
import { createHash } from 'node:crypto'
import { processorId } from '../catalog/resource.ts'
import type { ProcessorId } from '../catalog/resource.ts'
import { ServiceError } from '../errors/service-error.ts'
import { askProcessor } from '../processor/failures.ts'
import { ProcessorError } from '../processor/processor-error.ts'
import type { Principal } from '../service/tenants.ts'
import type { TenantRecord } from '../store/tenant-store.ts'
import type { TenantDeps } from './deps.ts'
import { withTenant } from './lease.ts'

/** The processor answers a repeated idempotency key with the first answer for about a day. */
const keyMemoryMs = 25 * 60 * 60 * 1000

export interface Customers {
  /** On whose behalf the principal acts. `request_invalid` for a key that names no tenant, `tenant_not_found`. */
  tenantOf(principal: Principal): Promise<TenantRecord>
  /** The tenant's customer at the processor, made when there is none yet. */
  customerOf(tenant: TenantRecord): Promise<ProcessorId>
}

export function createCustomers(deps: TenantDeps): Customers {
  return {
    async tenantOf(principal) {
      const id = principal.kind === 'session' ? principal.session.tenantId : principal.tenantId
      if (id === null)
        throw new ServiceError('request_invalid', 'A service key must say for which tenant: `tenant_id` is missing.', {
          issues: [
            { code: 'field_missing', pointer: '#/tenant_id', severity: 'error', detail: '"tenant_id" is required.' },
          ],
        })
      return findTenant(deps, id)
    },
    customerOf: async ({ id, processorCustomerId }) =>
      processorCustomerId === null
        ? withTenant(deps, id, (signal) => bindCustomer(deps, id, signal))
        : processorId(processorCustomerId),
  }
}

export async function findTenant({ store }: Pick<TenantDeps, 'store'>, id: string): Promise<TenantRecord> {
  const tenant = await store.tenants.find(id)
  if (tenant === null) throw tenantNotFound(id)
  return tenant
}

export function tenantNotFound(id: string): ServiceError {
  return new ServiceError('tenant_not_found', `There is no tenant "${id}".`)
}

/** Under the tenant's lease: whoever waited for it finds the customer that the first one made. */
async function bindCustomer(deps: TenantDeps, id: string, signal: AbortSignal): Promise<ProcessorId> {
  const tenant = await findTenant(deps, id)
  if (tenant.processorCustomerId !== null) return processorId(tenant.processorCustomerId)
  await deps.account()
  const made = await askProcessor(signal, () => makeCustomer(deps, tenant, signal))
  // Should the lease have been lost meanwhile, the customer that was bound first is the tenant's, not ours.
  const bound = await deps.store.tenants.bindCustomer(id, made, deps.clock.now())
  if (bound === null) throw tenantNotFound(id)
  return processorId(bound.processorCustomerId ?? made)
}

/**
 * The first attempt has a key of the tenant alone, so that after a crash it meets the customer that it made. When its outcome
 * stays unknown, the customer is looked up. A fresh key is used only when the processor replays a failure for the first one: an
 * attempt that is not over could still make a second customer.
 */
async function makeCustomer(deps: TenantDeps, tenant: TenantRecord, signal: AbortSignal): Promise<ProcessorId> {
  const { id, name, email } = tenant
  const attempt = (salt: string) =>
    deps.processor.createCustomer({ tenantId: id, name, email }, { idempotencyKey: customerKey(tenant, salt), signal })
  const locate = (failure: unknown) => {
    if (!mayHaveHappened(failure)) throw failure
    const since = Math.max(tenant.createdAt, deps.clock.now() - keyMemoryMs)
    return deps.processor.findCustomer(id, since, signal)
  }
  try {
    return await attempt('')
  } catch (failure) {
    const found = await locate(failure)
    if (found !== null) return found
    if (!isOver(failure)) throw failure
  }
  try {
    return await attempt(deps.newId())
  } catch (failure) {
    const found = await locate(failure)
    if (found === null) throw failure
    return found
  }
}

/** A key that came before with another name or address is refused: what that attempt made is looked up as well. */
function mayHaveHappened(failure: unknown): boolean {
  return failure instanceof ProcessorError && (failure.outcomeUnknown || failure.original.type === 'idempotency_error')
}

/** Nothing is carried out under the key any more, or it was used with another name or address. */
function isOver(failure: unknown): boolean {
  if (!(failure instanceof ProcessorError)) return false
  return failure.repeated || (failure.kind === 'rejected' && failure.original.type === 'idempotency_error')
}

function customerKey({ id, createdAt }: TenantRecord, salt: string): string {
  const text = JSON.stringify([id, createdAt, salt])
  return `ratecard-customer-${createHash('sha256').update(text).digest('hex').slice(0, 40)}`
}
