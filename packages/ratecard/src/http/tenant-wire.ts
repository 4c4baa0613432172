// Tenants, subscriptions, sessions and usage in their form on the wire.
import { toRfc3339 } from '../clock.ts'
import type {
  AuditEntry,
  Session,
  Tenant,
  TenantOperations,
  TenantSubscription,
  TenantSubscriptions,
} from '../service-tenants.ts'

const timeOrNull = (epochMs: number | null) => (epochMs === null ? null : toRfc3339(epochMs))

export function tenantToWire(tenant: Tenant) {
  return {
    id: tenant.id,
    name: tenant.name,
    email: tenant.email,
    processor_customer_id: tenant.processorCustomerId,
    enterprise_template: tenant.enterpriseTemplate,
    enterprise_id: tenant.enterpriseId,
    created_at: toRfc3339(tenant.createdAt),
    updated_at: toRfc3339(tenant.updatedAt),
  }
}

export function tenantSubscriptionsToWire(tenantId: string, found: TenantSubscriptions) {
  return {
    tenant_id: tenantId,
    billing_status: found.billingStatus,
    subscriptions: found.subscriptions.map(subscriptionToWire),
  }
}

function subscriptionToWire(subscription: TenantSubscription) {
  return {
    id: subscription.id,
    home: subscription.home,
    status: subscription.status,
    currency: subscription.currency,
    cancel_at_period_end: subscription.cancelAtPeriodEnd,
    trial_end: timeOrNull(subscription.trialEnd),
    created_at: toRfc3339(subscription.createdAt),
    duplicate_of: subscription.duplicateOf,
    items: subscription.items.map((item) => ({
      id: item.id,
      price_id: item.priceId,
      processor_price_id: item.processorPriceId,
      quantity: item.quantity,
      legacy: item.legacy,
      usage_type: item.usageType,
      current_period_end: timeOrNull(item.currentPeriodEnd),
      scheduled_price_id: item.scheduledPriceId,
    })),
  }
}

export function auditEntryToWire(entry: AuditEntry) {
  return {
    id: entry.id,
    action: entry.action,
    before: entry.before,
    after: entry.after,
    result: entry.result,
    author: entry.author,
    key_id: entry.keyId,
    request_id: entry.requestId,
    created_at: toRfc3339(entry.createdAt),
  }
}

type Invoices = Awaited<ReturnType<TenantOperations['upcomingInvoices']>>

/** The invoice that comes first on top, all of them beneath. Those without a time come last. */
export function upcomingInvoiceToWire(tenantId: string, found: Invoices) {
  const invoices = [...found]
    .sort((a, b) => (a.dueAt ?? Number.MAX_SAFE_INTEGER) - (b.dueAt ?? Number.MAX_SAFE_INTEGER))
    .map(invoiceToWire)
  const { subscription: _subscription, ...first } = invoices[0] ?? noInvoice
  return { tenant_id: tenantId, ...first, invoices }
}

const noInvoice = {
  subscription: null,
  currency: null,
  subtotal: null,
  total: null,
  amount_due: null,
  due_at: null,
  formatted: null,
  lines: [],
}

function invoiceToWire(invoice: Invoices[number]) {
  return {
    subscription: invoice.subscription,
    currency: invoice.currency,
    subtotal: invoice.subtotal,
    total: invoice.total,
    amount_due: invoice.amountDue,
    due_at: timeOrNull(invoice.dueAt),
    formatted: invoice.formatted,
    lines: invoice.lines.map((line) => ({
      description: line.description,
      price_id: line.priceId,
      processor_price_id: line.processorPriceId,
      quantity: line.quantity,
      amount: line.amount,
      period_start: toRfc3339(line.periodStart),
      period_end: toRfc3339(line.periodEnd),
    })),
  }
}

export function sessionToWire(session: Session & { readonly value: string }) {
  return {
    id: session.id,
    tenant_id: session.tenantId,
    value: session.value,
    created_at: toRfc3339(session.createdAt),
    expires_at: toRfc3339(session.expiresAt),
  }
}
