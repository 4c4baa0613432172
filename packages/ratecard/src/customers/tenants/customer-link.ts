// Links a tenant to its customer at the processor. Only one customer is created, even under concurrent calls, and an existing customer is
// never replaced.
import { createHash } from 'node:crypto'
import { processorId, type ProcessorId } from '../../catalog/resource.ts'
import { ServiceError } from '../../base/errors/service-error.ts'
import { askProcessor, isUnknownObject } from '../../processor/failures.ts'
import { ProcessorError } from '../../processor/processor-error.ts'
import type { Store } from '../../store/store.ts'
import { auditRow } from './audit.ts'
import type { TenantDeps } from './deps.ts'
import { customerAtNeed } from './marked-customers.ts'
import { withTenant } from '../../acts/lease.ts'
import type { Principal } from '../../api/customers/sessions.ts'
import type { TenantRecord } from '../../store/records/tenants.ts'

/**
 * Time (ms) after which the processor no longer replays the response of an idempotency key. 25 hours, because the processor keeps responses
 * for a day.
 */
const keyMemoryMs = 25 * 60 * 60 * 1000

export interface Customers {
  /** Returns the id of a principal's tenant. Throws `request_invalid` for a service key that names no tenant. */
  tenantIdOf(principal: Principal): string
  /** Returns the tenant of a principal. Throws `request_invalid` for a service key that names no tenant, or `tenant_not_found`. */
  tenantOf(principal: Principal): Promise<TenantRecord>
  /**
   * Returns the tenant's customer at the processor; creates the customer if there is none yet. Throws `customer_deleted` if the mirror knows
   * that it was deleted.
   */
  customerOf(tenant: Pick<TenantRecord, 'id' | 'processorCustomerId'>): Promise<ProcessorId>
  /** Runs work for the tenant's customer. If the processor refuses it because the customer was deleted, throws `customer_deleted`. */
  livingFor<T>(tenant: Pick<TenantRecord, 'id' | 'processorCustomerId'>, work: () => Promise<T>): Promise<T>
  /** Links the tenant to a new customer, in place of one that was deleted at the processor. */
  replaceDeleted(tenant: Pick<TenantRecord, 'id' | 'processorCustomerId'>): Promise<void>
}

export function createCustomers(deps: TenantDeps): Customers {
  return {
    tenantIdOf,
    tenantOf: async (principal) => findTenant(deps, tenantIdOf(principal)),
    async customerOf({ id, processorCustomerId }) {
      if (processorCustomerId === null) return withTenant(deps, id, (signal) => bindCustomer(deps, id, signal))
      const known = await deps.store.mirror.find('customer', processorCustomerId)
      if (known?.deleted === true) throw customerDeleted(id, processorCustomerId)
      return processorId(processorCustomerId)
    },
    async livingFor({ id, processorCustomerId }, work) {
      try {
        return await work()
      } catch (error) {
        const isUnknown = error instanceof ServiceError && isUnknownObject(error.cause)
        if (!isUnknown || processorCustomerId === null || !(await isDeleted(deps, processorCustomerId))) throw error
        throw customerDeleted(id, processorCustomerId)
      }
    },
    replaceDeleted: ({ id, processorCustomerId }) =>
      withTenant(deps, id, async (signal) => {
        const tenant = await findTenant(deps, id)
        if (processorCustomerId === null || tenant.processorCustomerId !== processorCustomerId) return
        await deps.account()
        const made = await askProcessor(signal, () => makeCustomer(deps, tenant, signal))
        const [before, after] = [{ processorCustomerId }, { processorCustomerId: made }]
        const row = { tenantId: id, action: 'tenant_updated', before, after } as const
        const nobody = { author: null, by: null, requestId: null }
        const audit = auditRow({ newId: deps.newId, now: deps.clock.now() }, row, nobody)
        if ((await deps.store.tenants.update(id, after, audit)) === null) throw tenantNotFound(id)
      }),
  }
}

/** Asks the processor whether the customer was deleted. */
export function isDeleted(
  {
    processor,
    shutdown,
  }: { readonly processor: Pick<TenantDeps['processor'], 'customerState'>; readonly shutdown: AbortSignal },
  customer: string,
): Promise<boolean> {
  return askProcessor(
    shutdown,
    async () => (await processor.customerState(processorId(customer), shutdown)) === 'deleted',
  )
}

export const customerDeleted = (tenant: string, customer: string) =>
  new ServiceError(
    'customer_deleted',
    `The customer ${customer} of the tenant "${tenant}" was deleted at the processor.`,
    {
      hint: 'The next checkout of the tenant makes a new customer. To link another one, change the tenant’s "processor_customer_id".',
    },
  )

function tenantIdOf(principal: Principal): string {
  const id = principal.kind === 'session' ? principal.session.tenantId : principal.tenantId
  if (id !== null) return id
  throw new ServiceError(
    'request_invalid',
    'A request with a service key must name the tenant: `tenant_id` is missing.',
    {
      issues: [
        { code: 'field_missing', pointer: '#/tenant_id', severity: 'error', detail: '"tenant_id" is required.' },
      ],
    },
  )
}

export async function findTenant(
  { store }: { readonly store: Pick<Store, 'tenants'> },
  id: string,
): Promise<TenantRecord> {
  const tenant = await store.tenants.find(id)
  if (tenant === null) throw tenantNotFound(id)
  return tenant
}

export function tenantNotFound(id: string): ServiceError {
  return new ServiceError('tenant_not_found', `There is no tenant "${id}".`, {
    hint: 'List them with `ratecard tenants list`.',
  })
}

/** Creates the customer under the tenant's lease, so that a concurrent call waits and then finds that customer. */
async function bindCustomer(deps: TenantDeps, id: string, signal: AbortSignal): Promise<ProcessorId> {
  const tenant = await findTenant(deps, id)
  if (tenant.processorCustomerId !== null) return processorId(tenant.processorCustomerId)
  await deps.account()
  const made =
    (await customerAtNeed(deps, id, signal)) ?? (await askProcessor(signal, () => makeCustomer(deps, tenant, signal)))
  // If the lease was lost meanwhile, another process may have stored a different customer first. Then `bindCustomer` returns that customer,
  // and it is used.
  const bound = await deps.store.tenants.bindCustomer(id, made, deps.clock.now())
  if (bound === null) throw tenantNotFound(id)
  return processorId(bound.processorCustomerId ?? made)
}

/**
 * Creates a customer. The idempotency key of the first attempt is derived only from the tenant, so a retry after a crash returns the same
 * customer. If the outcome is unknown, the customer is looked up. A new key is used only if the first attempt can no longer create a
 * customer, because otherwise there could be two.
 */
async function makeCustomer(deps: TenantDeps, tenant: TenantRecord, signal: AbortSignal): Promise<ProcessorId> {
  const { id, name, email } = tenant
  const attempt = (salt: string) =>
    deps.processor.createCustomer({ tenantId: id, name, email }, { idempotencyKey: customerKey(tenant, salt), signal })
  const locate = (failure: unknown) => {
    if (!isOutcomeUnknown(failure)) throw failure
    const since = Math.max(tenant.createdAt, deps.clock.now() - keyMemoryMs)
    return deps.processor.findCustomer(id, since, signal)
  }
  try {
    // A customer in place of a deleted one gets a key of its own: the processor would replay the deleted one.
    return await attempt(tenant.processorCustomerId ?? '')
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

/**
 * True if the attempt may have created a customer. An idempotency error means that an earlier attempt used the same key with another name
 * or address. That earlier attempt may have created the customer.
 */
function isOutcomeUnknown(failure: unknown): boolean {
  return failure instanceof ProcessorError && (failure.outcomeUnknown || failure.original.type === 'idempotency_error')
}

/**
 * True if retries with this key cannot create a customer: the processor replayed a failure, or the key was used with another name or
 * address.
 */
function isOver(failure: unknown): boolean {
  if (!(failure instanceof ProcessorError)) return false
  return failure.repeated || (failure.kind === 'rejected' && failure.original.type === 'idempotency_error')
}

function customerKey({ id, createdAt }: TenantRecord, salt: string): string {
  const text = JSON.stringify([id, createdAt, salt])
  return `ratecard-customer-${createHash('sha256').update(text).digest('hex').slice(0, 40)}`
}
