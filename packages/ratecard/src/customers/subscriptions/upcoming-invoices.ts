import type { UpcomingInvoices } from '../../api/customers/upcoming-invoices.ts'
import { formatMinor } from '../../base/money/format.ts'
import { askProcessor } from '../../processor/failures.ts'
import type { InvoicePreview } from '../../processor/customer-half.ts'
import { paidByBalance } from '../item-swaps/monthly-money.ts'
import type { SubscriberDeps } from './deps.ts'
import { readPriceNames, type PriceNames } from './price-names.ts'
import { liveSubscriptions } from './subscriptions.ts'

/** Returns a preview of the next invoice of each live subscription, earliest first. Invoices without a date come last. */
export async function readUpcomingInvoices(deps: SubscriberDeps, tenantId: string): Promise<UpcomingInvoices> {
  const tenant = await deps.findTenant(tenantId)
  const live = await liveSubscriptions(deps, tenant)
  const { processor, shutdown } = deps
  const previews = await Promise.all(
    live.map(({ id }) => askProcessor(shutdown, () => processor.upcomingInvoice(id, shutdown))),
  )
  const due = previews
    .filter((preview) => preview !== null)
    .sort((a, b) => (a.dueAt ?? Infinity) - (b.dueAt ?? Infinity))
  const prices = due.flatMap(({ lines }) => lines.flatMap(({ price }) => (price === null ? [] : [price])))
  const names = await readPriceNames(deps, prices)
  return due.map((preview) => withPriceNames(preview, names))
}

function withPriceNames(whole: InvoicePreview, names: PriceNames): UpcomingInvoices[number] {
  const { startingBalance: _balance, discounts: _discounts, ...preview } = whole
  return {
    ...preview,
    ...paidByBalance(whole),
    formatted: formatMinor(preview.amountDue, preview.currency),
    lines: preview.lines.map(({ price, net: _net, ...line }) => ({
      ...line,
      priceId: price === null ? null : names(price).configId,
      processorPriceId: price,
    })),
  }
}
