// Policies as sentences, e.g. `No price rises by more than 10%.`
import type { PolicySet } from '@ratecard/client'
import type { Policy } from '../../../ratecard/src/document/schema/policies/policy-rules.ts'
import { count, dayText, money } from './words.ts'

/** Returns what a rule demands, with its value. The service accepted the rule, so its value has the form that the rule needs. */
export function ruleWords(given: PolicySet['rules'][number]): string {
  const rule = given as Policy
  switch (rule.rule) {
    case 'max_increase_percent':
      return `No price rises by more than ${count(rule.value)}%.`
    case 'max_decrease_percent':
      return `No price falls by more than ${count(rule.value)}%.`
    case 'no_archive_with_subscribers':
      return 'No price with subscribers is archived.'
    case 'required_metadata':
      return `Products and prices have the metadata ${rule.value.join(', ')}.`
    case 'id_pattern':
      return `New ids match ${rule.value}.`
    case 'currencies':
      return `Amounts are in ${rule.value.map((currency) => currency.toUpperCase()).join(', ')} only.`
    case 'max_tenants_affected':
      return `A change affects at most ${count(rule.value)} tenants.`
    case 'max_monthly_affected':
      return `A change affects at most ${money(rule.value.amount, rule.value.currency)} a month.`
    case 'freeze':
      return `Nothing changes from ${dayText(rule.value.from)} to ${dayText(rule.value.to)}.`
    case 'require_message':
      return 'Each change has a reason.'
  }
}
