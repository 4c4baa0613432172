// Creates, changes and deletes tenants. Decides when a tenant may be changed or deleted, and never changes a subscription.
import { ServiceError } from '../../base/errors/service-error.ts'
import { processorId, type ProcessorId } from '../../catalog/resource.ts'
import { askProcessor, isUnknownObject } from '../../processor/failures.ts'
import type { EditedField, TenantRecord } from '../../store/records/tenants.ts'
import { pick } from '../../store/records/columns.ts'
import type { PageQuery } from '../../store/records/page.ts'
import { closePages, subscriptionsOf } from './at-processor.ts'
import { auditEntry, auditRow, editedFields, editedOf, type EditedFields } from './audit.ts'
import { findTenant, isDeleted, tenantNotFound } from './customer-link.ts'
import { markedCustomer } from './marked-customers.ts'
import { cancelFree } from './free-subscriptions.ts'
import type { TenantDeps } from './deps.ts'
import { checkNewTenant, checkTenantChange } from './fields.ts'
import { withTenant } from '../../acts/lease.ts'
import type { Caller } from '../../api/notation/callers.ts'
import type { NewTenant, TenantChange } from '../../api/customers/tenants.ts'

export const tenants = {
  createTenant,
  findTenant,
  updateTenant,
  removeTenant: (deps: TenantDeps, id: string, caller: Caller) =>
    withTenant(deps, id, (signal) => removeTenant(deps, id, caller, signal)),
  cancelSubscription: cancelFree,
  tenantAudit,
}

async function tenantAudit(deps: TenantDeps, id: string, page: PageQuery) {
  const { items, total } = await deps.store.tenants.audit(id, page)
  // The audit trail of a deleted tenant stays. So an unknown tenant is an error only if it has no entries.
  if (total === 0) await findTenant(deps, id)
  return { items: items.map(auditEntry), total }
}

/**
 * Creates a tenant without a request to the processor, so that this works while the processor is down. A customer id in the request is
 * verified only when it is first used. A tenant that is made again, e.g. after a restore, takes the customer that names it.
 */
async function createTenant(deps: TenantDeps, wanted: NewTenant, caller: Caller): Promise<TenantRecord> {
  checkNewTenant(wanted)
  const now = deps.clock.now()
  const given = givenFields(wanted)
  const found =
    wanted.id === undefined || given.processorCustomerId !== null ? null : await markedCustomer(deps, wanted.id)
  const tenant: TenantRecord = {
    ...{ ...given, processorCustomerId: given.processorCustomerId ?? found },
    id: wanted.id ?? `ten_${deps.newId()}`,
    enterpriseTemplate: null,
    enterpriseId: null,
    enterpriseEndsAt: null,
    enterpriseThen: null,
    createdAt: now,
    updatedAt: now,
  }
  const row = { tenantId: tenant.id, action: 'tenant_created', before: null, after: editedOf(tenant) } as const
  await deps.store.tenants.add(tenant, auditRow({ newId: deps.newId, now }, row, caller))
  return tenant
}

async function updateTenant(deps: TenantDeps, id: string, change: TenantChange, caller: Caller): Promise<TenantRecord> {
  checkTenantChange(change)
  // While the tenant's lease is held, no checkout or price swap runs with the old customer. The lease also orders concurrent renames, so
  // that tenant and customer end up with the same name.
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
  const change = changedFields(tenant, wanted)
  if (Object.keys(change).length === 0) return tenant
  if (change.processorCustomerId !== undefined) {
    await refuseWithEnterprise(deps, tenant)
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

/**
 * Renames the customer at the processor before the tenant's record is changed. So if the processor rejects the name, nothing has changed. A
 * retry does no harm.
 */
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
      // The customer may not exist, because a customer id is verified only when it is used. Then there is nothing to rename.
      if (!isUnknownObject(error)) throw error
    }
  })
}

/** Returns the editable fields of the request, with null for absent ones. */
function givenFields(wanted: NewTenant): EditedFields {
  return Object.fromEntries(editedFields.map((field) => [field, wanted[field] ?? null])) as EditedFields
}

/** Returns the fields of the request whose values differ from the tenant's. A field that is not in the request stays unchanged. */
function changedFields(tenant: TenantRecord, wanted: TenantChange): Partial<EditedFields> {
  return pick(
    wanted as EditedFields,
    editedFields.filter((field) => wanted[field] !== undefined && wanted[field] !== tenant[field]),
  )
}

/**
 * Throws if negotiated prices are applied. They belong to subscriptions of the present customer, and would be lost with another customer. A
 * customer that was deleted at the processor has none.
 */
async function refuseWithEnterprise(deps: TenantDeps, tenant: TenantRecord): Promise<void> {
  if (tenant.processorCustomerId === null) return
  if (tenant.enterpriseTemplate === null && tenant.enterpriseId === null) return
  await deps.account()
  if (await isDeleted(deps, tenant.processorCustomerId)) return
  throw new ServiceError('conflict', `Enterprise pricing is applied to the customer of the tenant "${tenant.id}".`, {
    hint: 'First remove its enterprise pricing, then change the customer.',
  })
}

/** Deletes a tenant. The store also ends its sessions and free subscriptions. */
async function removeTenant(deps: TenantDeps, id: string, caller: Caller, signal: AbortSignal): Promise<void> {
  const tenant = await findTenant(deps, id)
  await letGoOfCustomer(deps, tenant, removing, signal)
  const row = { tenantId: id, action: 'tenant_deleted', before: editedOf(tenant), after: null } as const
  const audit = auditRow({ newId: deps.newId, now: deps.clock.now() }, row, caller)
  if (!(await deps.store.tenants.remove(id, audit))) throw tenantNotFound(id)
}

/** Texts of the error for a tenant that still has live subscriptions. */
interface Parting {
  readonly refusal: (subscriptions: string) => string
  readonly hint: string
}

const removing: Parting = {
  refusal: (subscriptions) => `The tenant still has live subscriptions: ${subscriptions}.`,
  hint: 'First cancel them at the processor, because they would still bill the customer.',
}

const changing: Parting = {
  refusal: (subscriptions) => `The tenant’s current customer still has live subscriptions: ${subscriptions}.`,
  hint: 'First cancel them at the processor, because they would still bill the customer. Then change the customer.',
}

/**
 * Prepares to remove the link between a tenant and its customer. Throws if the customer has live subscriptions, and expires its open
 * checkout pages.
 */
async function letGoOfCustomer(
  deps: TenantDeps,
  tenant: TenantRecord,
  parting: Parting,
  signal: AbortSignal,
): Promise<void> {
  if (tenant.processorCustomerId === null) return
  const customer = processorId(tenant.processorCustomerId)
  await refuseWithSubscriptions(deps, customer, parting, signal)
  // The open checkout pages are closed first. Otherwise a payment could arrive for a tenant that is deleted, or that has another customer
  // by then.
  await closePages(deps.processor, { customer, tenantId: tenant.id }, signal)
  // Checks the subscriptions again, because a page may have been paid just before it expired.
  await refuseWithSubscriptions(deps, customer, parting, signal)
}

async function refuseWithSubscriptions(
  deps: TenantDeps,
  customer: ProcessorId,
  { refusal, hint }: Parting,
  signal: AbortSignal,
): Promise<void> {
  // Throws if the key belongs to another processor account. There the customer would be unknown, and its subscriptions would not be found.
  await deps.account()
  const live = await subscriptionsOf(deps.processor, customer, signal)
  if (live.length === 0) return
  throw new ServiceError('conflict', refusal(live.map(({ id }) => id).join(', ')), { hint })
}
