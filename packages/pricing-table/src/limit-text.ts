// Texts of a product's limits, e.g. `10 projects`, `50,000 API calls a month`, `Unlimited seats`. Entitlement checks compare usage with the
// same numbers.
import type { FeatureLimit } from '../../ratecard/src/document/schema/feature-schema.ts'
import { unitForm } from '../../ratecard/src/document/pricing/unit-form.ts'
import type { ListedLimit } from './limits.ts'
import type { Card, Period } from './model.ts'
import { formatCount } from './money.ts'
import type { View } from './view.ts'
import { fill, limitPeriodWords } from './words.ts'

export function limitText({ feature, limit: entry }: ListedLimit, card: Card, { words, locale }: View): string {
  const { limit, per_quantity: each } = entry
  const unit = unitForm(feature.unit, limit, locale)
  const number = limit === 'unlimited' ? words.unlimited : formatCount(limit, locale)
  if (unit === null) return fill(words.limitOf, { name: feature.name, limit: number })
  if (limit === 'unlimited') return fill(words.unlimitedOf, { unit })
  const text = `${number} ${unit}`
  const counted = each === true ? fill(words.each, { money: text, unit: card.product.unit_label ?? words.unit }) : text
  const period = feature.type === 'metered' ? resetPeriod(entry, card) : null
  return period === null ? counted : `${counted} ${limitPeriodWords(period, words, locale)}`
}

/** Returns the period after which usage starts at zero again; null if it never does. */
function resetPeriod({ resets }: FeatureLimit, { offers }: Card): Period | null {
  if (resets === 'never') return null
  const billed = offers.find(({ period }) => period !== 'once')?.period
  // Without a subscription at the processor, usage is counted per calendar month.
  return resets === 'month' ? 'month' : (billed ?? 'month')
}
