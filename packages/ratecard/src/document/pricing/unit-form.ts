// Chooses the plural form of a feature's unit, for the pricing table and the dashboard. Pure.
import type { Feature } from '../schema/feature-schema.ts'

/**
 * Returns a unit in the plural form that a number needs in a language, e.g. in English `project` for 1 and `projects` for 10. If the form
 * is missing, uses the form `other`. A unit without plural forms is returned unchanged. null for a feature without a unit.
 */
export function unitForm(
  unit: Feature['unit'],
  count: number | 'unlimited',
  locale: string | undefined,
): string | null {
  if (unit === undefined || typeof unit === 'string') return unit ?? null
  const form = count === 'unlimited' ? 'other' : new Intl.PluralRules(locale).select(count)
  return unit[form] ?? unit.other
}
