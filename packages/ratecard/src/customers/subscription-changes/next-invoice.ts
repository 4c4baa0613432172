// Asks the processor for the next regular invoice after a change. A preview writes nothing.
import type { ProcessorId } from '../../catalog/resource.ts'
import type { InvoicePreview } from '../../processor/customer-half.ts'
import { askProcessor } from '../../processor/failures.ts'
import type { ItemsUpdate, PreviewedUpdate } from '../../processor/subscription-change.ts'
import type { ChangeDecision, ChangeSituation } from './decide/decision.ts'
import {
  begunAt,
  codeAfter,
  discountsOfUsage,
  discountsThen,
  inArrears,
  meteredPrices,
  usageOnly,
  usedUpBy,
  withUsage,
} from './decide/next-invoice.ts'
import type { ChangeDeps } from './deps.ts'

/** Previews the next regular invoice. `due` is the invoice that the change makes now; null if it makes none. */
export async function nextInvoice(
  { processor }: Pick<ChangeDeps, 'processor'>,
  { decision, situation }: { readonly decision: ChangeDecision; readonly situation: ChangeSituation },
  { update, due }: { readonly update: ItemsUpdate; readonly due: InvoicePreview | null },
  signal: AbortSignal,
): Promise<InvoicePreview | null> {
  const { billsNow, restarts, when, subscription, renewal, periodEnd } = decision
  const { state, promotionCode, promotionTerms: terms } = situation
  const promotion = { code: promotionCode, terms }
  const ask = (one: PreviewedUpdate) => askProcessor(signal, () => processor.previewUpdate(one, mode, signal))
  const mode = restarts && billsNow ? 'recurring' : 'renewal'
  const metered = meteredPrices(subscription)
  if (decision.free !== null) return lastInvoice(processor, { decision, update, metered }, signal)
  if (renewal !== null) {
    const codes = renewal.promotionCodes.filter((code) => code !== promotionCode)
    const code = codeAfter(promotion, state, due)
    const promotionCodes = code === null ? codes : renewal.promotionCodes
    const then = { ...renewal, usedUp: usedUpBy(due, state), promotionCodes }
    return askProcessor(signal, () => processor.previewScheduled(then, mode, signal))
  }
  if (when === 'now') return ask({ ...update, promotion: discountsThen(promotion, state, { at: null, due }) })
  if (!restarts || subscription.status === 'trialing') return ask(inArrears(decision, update))
  const begun = await ask({ ...update, promotion: discountsThen(promotion, state, { at: periodEnd, due: null }) })
  if (begun === null) return null
  const next = begunAt(begun, decision)
  if (metered.size === 0) return next
  const usage = { ...update, items: [], proration: 'none', promotion: discountsOfUsage(promotion, state) } as const
  return withUsage(next, await ask(usage), metered)
}

/** Previews the last invoice of a subscription that a free price replaces: the usage of its period. null if there is none to bill. */
async function lastInvoice(
  processor: ChangeDeps['processor'],
  {
    decision: { when, free, releases },
    update,
    metered,
  }: {
    readonly decision: ChangeDecision
    readonly update: ItemsUpdate
    readonly metered: ReadonlySet<ProcessorId | null>
  },
  signal: AbortSignal,
): Promise<InvoicePreview | null> {
  if (when === 'now' || metered.size === 0) return null
  // The processor does not preview the cancellation of a subscription that a schedule manages.
  const isFinal = free?.endsAnyway !== true && releases === null
  const found = await askProcessor(signal, () =>
    processor.previewUpdate({ ...update, proration: 'none' }, isFinal ? 'final' : 'renewal', signal),
  )
  return isFinal || free?.endsAnyway === true ? found : usageOnly(found, metered)
}
