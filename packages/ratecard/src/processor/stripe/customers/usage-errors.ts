// Reads reports of dropped usage, i.e. usage that Stripe accepted and dropped later. Stripe reports it in events of its v2 API.
import type { Stripe } from 'stripe'
import { processorId } from '../../../catalog/resource.ts'
import type { UsageError } from '../../customer-half.ts'
import { ProcessorError } from '../../processor-error.ts'
import type { StripeContext } from '../catalog/context.ts'
import { requireInteger, listOf, requirePresent, text, type Untrusted } from '../connection/reading.ts'

type Report =
  Stripe.V2.Core.Events.V1BillingMeterErrorReportTriggeredEvent | Stripe.V2.Core.Events.V1BillingMeterNoMeterFoundEvent

/**
 * Event types that report dropped usage. Each type is requested separately, because the SDK serializes a list of several types in a form
 * that differs from the API's documentation.
 */
const reports = ['v1.billing.meter.error_report_triggered', 'v1.billing.meter.no_meter_found'] as const

/** Returns the latest hundred events of each type, newest first. Stripe keeps them for thirty days. */
export async function readUsageErrors(context: StripeContext, signal: AbortSignal): Promise<readonly UsageError[]> {
  const found: UsageError[] = []
  for (const type of reports) {
    const page = await context.caller.call({
      operation: 'GET /v2/core/events',
      access: 'read',
      signal,
      send: () => listReports(context, type),
      flaw: (answer) => (Array.isArray(answer.data) ? null : 'it is no list'),
    })
    for (const report of page.data) found.push(...understoodReport(report))
  }
  return found.sort((a, b) => b.at - a.at)
}

interface Reports {
  readonly data: readonly Untrusted<Report>[]
}

/**
 * Reads one page of reports. For this list, the SDK's page has no `lastResponse`, so a placeholder with status 200 is added. The request
 * has succeeded, because otherwise the SDK would have thrown.
 */
async function listReports({ stripe }: StripeContext, type: (typeof reports)[number]) {
  const { data } = await stripe.v2.core.events.list({ types: [type], limit: 100 })
  return { data, lastResponse: { statusCode: 200 } } as unknown as Stripe.Response<Reports>
}

function understoodReport(report: Untrusted<Report>): UsageError[] {
  try {
    const at = Date.parse(text(report.created, 'created'))
    const of = 'related_object' in report ? report.related_object?.id : null
    return listOf(requirePresent(report.data, 'data').reason?.error_types).map((error) => ({
      at,
      meter: of ? processorId(of) : null,
      code: text(error.code, 'code'),
      count: requireInteger(error.error_count, 'error_count'),
      message: listOf(error.sample_errors)[0]?.error_message ?? report.data?.developer_message_summary ?? '',
      identifiers: listOf(error.sample_errors).flatMap(({ request }) => request?.identifier ?? []),
    }))
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown'
    throw new ProcessorError(
      'broken',
      `Stripe’s ${report.type ?? 'event'} ${report.id ?? ''} could not be read: ${why}.`,
    )
  }
}
