// Rules about `grants_credit`: credit for metered usage that the buyers of a price get.
import type { Issue } from '../../base/errors/issue.ts'
import { isLocalDraft } from './attached-price-rules.ts'
import { idsOf, undefinedReference } from './document-rules.ts'
import { entryName, errorIssue, quoteValue, warningIssue, type Draft, type Entry, type Rule } from './draft.ts'

/**
 * Checks prices that grant credit: the price must be paid in advance, the meters of its credit must exist, and there must be something that
 * the credit can pay for.
 */
export const grantedCredits: Rule = (draft) =>
  draft.prices.flatMap((price) => {
    if (!price.has('grants_credit')) return []
    const unfit = unfitOf(price)
    if (unfit !== null) {
      const detail = `${entryName('price', price)} ${unfit}, so no payment in advance could grant a credit.`
      return [errorIssue('credit_invalid', price.at('grants_credit'), detail, 'Remove `grants_credit`.')]
    }
    const credit = price.child('grants_credit')
    const wrong = meterIssues(draft, credit)
    return wrong.length > 0 ? wrong : currencyIssues(draft, price, credit)
  })

/** Returns the reason why a price cannot grant credit, worded as the end of a sentence; null if it can. */
function unfitOf(price: Entry): string | null {
  if (price.value('usage_type') === 'metered') return 'is metered, so it is billed afterwards'
  return isLocalDraft(price) ? 'is free and exists only in Ratecard' : null
}

function meterIssues(draft: Draft, credit: Entry): readonly Issue[] {
  const known = idsOf(draft.meters)
  const ids = credit.list('meters')
  return ids.flatMap((id, index) => {
    if (typeof id !== 'string') return []
    const pointer = `${credit.at('meters')}/${String(index)}`
    if (ids.indexOf(id) < index)
      return [
        errorIssue('value_invalid', pointer, `The meter ${quoteValue(id)} is listed twice.`, 'Remove one of the two.'),
      ]
    if (!known.includes(id))
      return [undefinedReference(draft, 'meter_undefined', pointer, { kind: 'meter', id, known })]
    if (draft.prices.some((price) => price.text('meter') === id)) return []
    const detail = `No price bills the meter ${quoteValue(id)}, so the credit could not pay for its usage.`
    return [
      errorIssue('credit_invalid', pointer, detail, 'Add a metered price with this meter, or remove the meter here.'),
    ]
  })
}

function currencyIssues(draft: Draft, price: Entry, credit: Entry): readonly Issue[] {
  const currency = credit.text('currency') ?? price.text('currency')
  if (currency === undefined) return []
  const pointer = credit.has('currency') ? credit.at('currency') : credit.pointer
  const meters = credit.has('meters') ? credit.list('meters') : idsOf(draft.meters)
  const billed = draft.prices.filter((one) => meters.includes(one.text('meter')))
  if (!billed.some((one) => currenciesOf(one).includes(currency)))
    return [
      warningIssue(
        'credit_unusable',
        pointer,
        `${entryName('price', price)} grants a credit in ${currency}, but no metered price that it could pay for has that currency.`,
        'Add a metered price in that currency, or change the currency of the credit.',
      ),
    ]
  const others = currenciesOf(price).filter((one) => one !== currency)
  // Who buys a one-time price may pay for usage in another currency.
  if (others.length === 0 || (!price.has('interval') && credit.has('currency'))) return []
  return [
    warningIssue(
      'credit_unusable',
      pointer,
      `${entryName('price', price)} is also sold in ${others.join(', ')}, and its credit in ${currency} pays invoices in ${currency} only.`,
      'Create one price per currency, each with a credit in its own currency.',
    ),
  ]
}

const currenciesOf = (price: Entry): readonly string[] => [
  ...(price.text('currency') === undefined ? [] : [price.text('currency') ?? '']),
  ...price.child('currency_options').keys(),
]
