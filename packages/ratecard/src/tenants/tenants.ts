// Who buys. Decides what a tenant is and when it may change or go; never changes a subscription.
import { ServiceError } from '../errors/service-error.ts'
import { processorId } from '../catalog/resource.ts'
import type { ProcessorId } from '../catalog/resource.ts'
import { askProcessor, isUnknownObject } from '../processor/failures.ts'
import type { Caller, NewTenant, TenantChange, TenantOperations } from '../service/tenants.ts'
import type { EditedField, TenantRecord } from '../store/records/tenants.ts'
import { pick } from '../store/records/columns.ts'
import { closePages, subscriptionsOf } from './at-processor.ts'
import { auditEntry, auditRow, editedFields, editedOf } from './audit.ts'
import type { EditedFields } from './audit.ts'
import { findTenant, tenantNotFound } from './customer-link.ts'
import { cancelFree } from './free-subscriptions.ts'
import type { TenantDeps } from './deps.ts'
import { checkNewTenant, checkTenantChange } from './fields.ts'
import { withTenant } from './lease.ts'

export type Tenants = Pick<
  TenantOperations,
  'createTenant' | 'listTenants' | 'findTenant' | 'updateTenant' | 'removeTenant' | 'tenantAudit' | 'cancelSubscription'
>

export function createTenants(deps: TenantDeps): Tenants {
  const { tenants } = deps.store
  return {
    createTenant: (tenant, caller) => createTenant(deps, tenant, caller),
    listTenants: (query) => tenants.list(query),
    findTenant: (id) => findTenant(deps, id),
    updateTenant: (id, change, caller) => updateTenant(deps, id, change, caller),
    removeTenant: (id, caller) => withTenant(deps, id, (signal) => removeTenant(deps, id, caller, signal)),
    cancelSubscription: (id, subscription, caller) => cancelFree(deps, id, subscription, caller),
    async tenantAudit(id, page) {
      const { items, total } = await tenants.audit(id, page)
      // The trail outlives its tenant.
      if (total === 0) await findTenant(deps, id)
      return { items: items.map(auditEntry), total }
    },
  }
}

/** Asks nothing of the processor: tenants can be made while it is away, and a customer id is believed until it is used. */
async function createTenant(deps: TenantDeps, wanted: NewTenant, caller: Caller): Promise<TenantRecord> {
  checkNewTenant(wanted)
  const now = deps.clock.now()
  const tenant: TenantRecord = {
    ...givenFields(wanted),
    id: wanted.id ?? `ten_${deps.newId()}`,
    enterpriseTemplate: null,
    enterpriseId: null,
    createdAt: now,
    updatedAt: now,
  }
  const row = { tenantId: tenant.id, action: 'tenant_created', before: null, after: editedOf(tenant) } as const
  await deps.store.tenants.add(tenant, auditRow({ newId: deps.newId, now }, row, caller))
  return tenant
}

async function updateTenant(deps: TenantDeps, id: string, change: TenantChange, caller: Caller): Promise<TenantRecord> {
  checkTenantChange(change)
  // A customer must not change under a checkout that makes one, or under a swap of prices; and of two new names the same one
  // must be the last here and at the processor.
  return withTenant(deps, id, (signal) => applyChange(deps, id, change, caller, signal))
}

async function applyChange(
  deps: TenantDeps,
  id: string,
  wanted: TenantChange,
  caller: Caller,
  signal: AbortSignal,
): Promise<TenantRecord> {
  const tenant = await findTenant(deps, id)
  const change = differing(tenant, wanted)
  if (Object.keys(change).length === 0) return tenant
  if (change.processorCustomerId !== undefined) {
    refuseWithEnterprise(tenant)
    await letGoOfCustomer(deps, tenant, changing, signal)
  }
  await renameCustomer(deps, change.processorCustomerId ?? tenant.processorCustomerId, change, signal)
  const before = pick(tenant, Object.keys(change) as EditedField[])
  const row = { tenantId: id, action: 'tenant_updated', before, after: change } as const
  const audit = auditRow({ newId: deps.newId, now: deps.clock.now() }, row, caller)
  const updated = await deps.store.tenants.update(id, change, audit)
  if (updated === null) throw tenantNotFound(id)
  return updated
}

/** Before the record: when the processor does not take it nothing has changed, and to send it again is harmless. */
async function renameCustomer(
  deps: TenantDeps,
  customer: string | null,
  { name, email }: Partial<EditedFields>,
  signal: AbortSignal,
): Promise<void> {
  if (customer === null || (name === undefined && email === undefined)) return
  const change = { ...(name === undefined ? {} : { name }), ...(email === undefined ? {} : { email }) }
  await deps.account()
  await askProcessor(signal, async () => {
    try {
      const options = { idempotencyKey: `ratecard-customer-${deps.newId()}`, signal }
      await deps.processor.updateCustomer(processorId(customer), change, options)
    } catch (error) {
      // A customer id is believed until it is used: one that is not there has no name either.
      if (!isUnknownObject(error)) throw error
    }
  })
}

/** What is absent is null. */
function givenFields(wanted: NewTenant): EditedFields {
  return Object.fromEntries(editedFields.map((field) => [field, wanted[field] ?? null])) as EditedFields
}

/** What is absent stays as it is. */
function differing(tenant: TenantRecord, wanted: TenantChange): Partial<EditedFields> {
  return pick(
    wanted as EditedFields,
    editedFields.filter((field) => wanted[field] !== undefined && wanted[field] !== tenant[field]),
  )
}

/** The negotiated prices are on this customer's subscriptions: nobody would find them again. */
function refuseWithEnterprise(tenant: TenantRecord): void {
  if (tenant.processorCustomerId === null) return
  if (tenant.enterpriseTemplate === null && tenant.enterpriseId === null) return
  throw new ServiceError('conflict', `Enterprise pricing is applied to the customer of the tenant "${tenant.id}".`, {
    hint: 'Remove its enterprise pricing first, then change the customer.',
  })
}

/** The store ends its sessions and free subscriptions with it. */
async function removeTenant(deps: TenantDeps, id: string, caller: Caller, signal: AbortSignal): Promise<void> {
  const tenant = await findTenant(deps, id)
  await letGoOfCustomer(deps, tenant, removing, signal)
  const row = { tenantId: id, action: 'tenant_deleted', before: editedOf(tenant), after: null } as const
  const audit = auditRow({ newId: deps.newId, now: deps.clock.now() }, row, caller)
  if (!(await deps.store.tenants.remove(id, audit))) throw tenantNotFound(id)
}

/** How a tenant that is still billed is told why it cannot part with its customer. */
interface Parting {
  readonly refusal: (subscriptions: string) => string
  readonly hint: string
}

const removing: Parting = {
  refusal: (subscriptions) => `The tenant still has live subscriptions: ${subscriptions}.`,
  hint: 'Cancel them at the processor first: they would go on to bill a customer that nobody knows.',
}

const changing: Parting = {
  refusal: (subscriptions) => `The tenant’s present customer still has live subscriptions: ${subscriptions}.`,
  hint: 'Cancel them at the processor first, then change the customer: they would go on to bill one that nobody knows.',
}

/** Only a customer that pays for nothing, and has no page to do so, can be parted from its tenant. */
async function letGoOfCustomer(
  deps: TenantDeps,
  tenant: TenantRecord,
  parting: Parting,
  signal: AbortSignal,
): Promise<void> {
  if (tenant.processorCustomerId === null) return
  const customer = processorId(tenant.processorCustomerId)
  await refuseWithSubscriptions(deps, customer, parting, signal)
  // Whoever pays on a page that is still open buys for a tenant that is gone, or that has another customer by now.
  await closePages(deps.processor, { customer, tenantId: tenant.id }, signal)
  // Somebody may have paid on one of them just before.
  await refuseWithSubscriptions(deps, customer, parting, signal)
}

async function refuseWithSubscriptions(
  deps: TenantDeps,
  customer: ProcessorId,
  { refusal, hint }: Parting,
  signal: AbortSignal,
): Promise<void> {
  // Another account would know nothing of the customer, and so of what it pays for.
  await deps.account()
  const live = await subscriptionsOf(deps.processor, customer, signal)
  if (live.length === 0) return
  throw new ServiceError('conflict', refusal(live.map(({ id }) => id).join(', ')), { hint })
}
