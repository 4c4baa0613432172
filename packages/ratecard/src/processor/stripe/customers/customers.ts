// Customers of tenants. The metadata of each customer contains the tenant's id, so that the customer is found again if the response to its
// creation was lost.
import type { Stripe } from 'stripe'
import { processorId, type ProcessorId } from '../../../catalog/resource.ts'
import type { CustomerState, NewCustomer } from '../../customer-half.ts'
import type { WriteOptions } from '../../processor.ts'
import type { StripeContext } from '../catalog/context.ts'
import { readAll, readOne, writeOne } from './single-object.ts'
import type { UntrustedReply } from '../connection/reading.ts'

/** Metadata key on every customer and checkout session that Ratecard creates; its value is the tenant's id. */
export const tenantKey = 'ratecard_tenant_id'
/** Tolerance (s) for the difference between Stripe's clock, which sets the creation time, and this machine's clock. */
const clockSkewSeconds = 600

export async function createCustomer(
  context: StripeContext,
  { tenantId, name, email }: NewCustomer,
  options: WriteOptions,
): Promise<ProcessorId> {
  const params = { name, ...(email === null ? {} : { email }), metadata: { [tenantKey]: tenantId } }
  const request = {
    operation: 'POST /v1/customers',
    send: (sending: Stripe.RequestOptions) => context.stripe.customers.create(params, sending),
  }
  const reply = await writeOne(context, request, { object: 'customer', id: null }, options)
  return processorId(reply.id)
}

export async function updateCustomer(
  context: StripeContext,
  customer: ProcessorId,
  { name, email }: { readonly name?: string; readonly email?: string | null },
  options: WriteOptions,
): Promise<void> {
  // An empty string clears a field at Stripe.
  const params = { ...(name === undefined ? {} : { name }), ...(email === undefined ? {} : { email: email ?? '' }) }
  const request = {
    operation: 'POST /v1/customers/{id}',
    send: (sending: Stripe.RequestOptions) => context.stripe.customers.update(customer, params, sending),
  }
  await writeOne(context, request, { object: 'customer', id: customer }, options)
}

export async function customerState(
  context: StripeContext,
  customer: ProcessorId,
  signal: AbortSignal,
): Promise<CustomerState> {
  const request = {
    operation: 'GET /v1/customers/:id',
    send: (options: Stripe.RequestOptions) => context.stripe.customers.retrieve(customer, {}, options),
  }
  const found = await readOne<Stripe.Customer | Stripe.DeletedCustomer>(
    context,
    request,
    { object: 'customer', id: customer },
    signal,
  )
  return found === null ? 'unknown' : found.deleted === true ? 'deleted' : 'living'
}

/**
 * Finds the customer of a tenant. Lists customers instead of searching, because Stripe's search does not find new objects at once. Returns
 * the oldest match, so that all callers get the same customer.
 */
export async function findCustomer(
  context: StripeContext,
  tenantId: string,
  since: number,
  signal: AbortSignal,
): Promise<ProcessorId | null> {
  const created = { gte: Math.max(0, Math.floor(since / 1000) - clockSkewSeconds) }
  const customers = await readAll<Stripe.Customer>(
    context,
    'customer',
    {
      operation: 'GET /v1/customers',
      page: (paging, options) => context.stripe.customers.list({ ...paging, created }, options),
    },
    signal,
  )
  const ours = customers.findLast((customer) => markOf(customer) === tenantId)
  return ours === undefined ? null : processorId(ours.id)
}

/** Returns the id of the tenant that the metadata of a customer names; null if it names none. */
export function markOf({ metadata }: UntrustedReply<Stripe.Customer>): string | null {
  return metadata && Object.hasOwn(metadata, tenantKey) ? (metadata[tenantKey] ?? null) : null
}
