// Usage that was taken and then dropped: the processor finds it out later and says so in events of its second API.
import type { Stripe } from 'stripe'
import { processorId } from '../../../catalog/resource.ts'
import type { UsageError } from '../../customer-half.ts'
import { ProcessorError } from '../../processor-error.ts'
import type { StripeContext } from '../catalog/context.ts'
import { integer, listOf, present, text } from '../connection/reading.ts'
import type { Untrusted } from '../connection/reading.ts'

type Report =
  Stripe.V2.Core.Events.V1BillingMeterErrorReportTriggeredEvent | Stripe.V2.Core.Events.V1BillingMeterNoMeterFoundEvent

/** Asked for one by one: a list of several would be told otherwise than the SDK tells it. */
const reports = ['v1.billing.meter.error_report_triggered', 'v1.billing.meter.no_meter_found'] as const

/** The latest hundred of each kind; the processor keeps thirty days. Newest first. */
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

/** The SDK’s page of this list does not hold what came with the answer: that it came is all there is to know. */
async function listReports({ stripe }: StripeContext, type: (typeof reports)[number]) {
  const { data } = await stripe.v2.core.events.list({ types: [type], limit: 100 })
  return { data, lastResponse: { statusCode: 200 } } as unknown as Stripe.Response<Reports>
}

function understoodReport(report: Untrusted<Report>): UsageError[] {
  try {
    const at = Date.parse(text(report.created, 'created'))
    const of = 'related_object' in report ? report.related_object?.id : null
    return listOf(present(report.data, 'data').reason?.error_types).map((error) => ({
      at,
      meter: of ? processorId(of) : null,
      code: text(error.code, 'code'),
      count: integer(error.error_count, 'error_count'),
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
