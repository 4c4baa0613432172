// Starts a schedule at its start date: the first phase begins and its subscription is created.
import type { OperationContext } from '../../protocol/operation-context.ts'
import type { SubscriptionScheduleBody } from '../../objects/schedule-bodies.ts'
import { withPlannedMetadata } from '../../protocol/parameters/metadata.ts'
import { noInvoiceText } from '../invoices/invoice-text.ts'
import { customerOf } from '../subscriptions/subscription-records.ts'
import { subscribe } from '../subscriptions/subscribe.ts'

export function startSchedule(call: OperationContext, schedule: SubscriptionScheduleBody): SubscriptionScheduleBody {
  const [phase] = schedule.phases
  if (phase === undefined) throw new Error(`${schedule.id} has no phases`)
  const { default_settings: usual } = schedule
  const method = phase.collection_method ?? usual.collection_method
  const { days_until_due: days, ...words } = phase.invoice_settings ?? usual.invoice_settings
  const started = call.update(
    schedule,
    {
      ...schedule,
      current_phase: { end_date: phase.end_date, start_date: phase.start_date },
      status: 'active',
      _due: null,
    },
    null,
  )
  const made = subscribe(call, {
    customer: customerOf(call, schedule.customer),
    items: [],
    billingMode: schedule.billing_mode,
    phase,
    currency: phase.currency,
    metadata: withPlannedMetadata({}, phase.metadata),
    description: phase.description ?? usual.description,
    terms: {
      automatic_tax: phase.automatic_tax ?? usual.automatic_tax,
      collection_method: method,
      days_until_due: method === 'send_invoice' ? days : null,
      default_tax_rates: phase.default_tax_rates,
    },
    invoiceText: { ...noInvoiceText, ...words },
    paymentMethod: phase.default_payment_method ?? usual.default_payment_method ?? undefined,
    trialEnd: phase.trial_end,
    cancelAt: schedule.end_behavior === 'cancel' && schedule.phases.length === 1 ? phase.end_date : undefined,
    prorationBehavior: phase.proration_behavior,
    invoicesLater: true,
    schedule: schedule.id,
  })
  return call.update(started, { ...started, subscription: made.id }, 'subscription_schedule.updated')
}
