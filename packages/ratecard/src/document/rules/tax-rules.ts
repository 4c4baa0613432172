import { undefinedReference, idsOf } from './document-rules.ts'
import { entryName, errorIssue, quoteValue, type Rule } from './draft.ts'

/** Checks that percentages written as numbers have at most 4 decimals. Percentages written as text are checked by the schema. */
export const percentagesHaveFourDecimals: Rule = ({ taxRates }) =>
  taxRates.flatMap((rate) => {
    const percentage = rate.number('percentage')
    if (percentage === undefined || /^\d+(\.\d{1,4})?$/.test(String(percentage))) return []
    return [
      errorIssue(
        'value_invalid',
        rate.at('percentage'),
        `${entryName('tax rate', rate)} has the percentage ${String(percentage)}, which has more than 4 decimals.`,
        `Write ${String(Number(percentage.toFixed(4)))}.`,
      ),
    ]
  })

/** Checks that the rates of `tax` exist and are active, because the processor refuses an archived rate in a new sale. */
export const taxRatesOfSales: Rule = (draft) => {
  const tax = draft.root.child('tax')
  const known = idsOf(draft.taxRates)
  const byId = new Map(draft.taxRates.map((rate) => [rate.text('id'), rate]))
  const seen = new Set<string>()
  return tax.list('rates').flatMap((id, index) => {
    const pointer = `${tax.at('rates')}/${index}`
    if (typeof id !== 'string') return []
    const rate = byId.get(id)
    if (rate === undefined)
      return [undefinedReference(draft, 'tax_rate_undefined', pointer, { kind: 'tax rate', id, known })]
    if (rate.value('active') === false)
      return [
        errorIssue(
          'tax_rate_inactive',
          pointer,
          `The tax rate ${quoteValue(id)} is not active, so that new sales cannot use it.`,
          'Name an active tax rate, or remove `active: false` from this one.',
        ),
      ]
    const repeated = seen.has(id)
    seen.add(id)
    return repeated
      ? [
          errorIssue(
            'value_invalid',
            pointer,
            `The tax rate ${quoteValue(id)} is listed twice.`,
            'Remove one of the two.',
          ),
        ]
      : []
  })
}

/** Checks that a document has either automatic tax or tax rates for sales, because the processor refuses both together. */
export const oneKindOfTax: Rule = ({ root }) => {
  const tax = root.child('tax')
  if (tax.value('automatic') !== true || tax.list('rates').length === 0) return []
  return [
    errorIssue(
      'tax_conflict',
      tax.at('rates'),
      'The member `tax` has both `automatic` and `rates`; the processor takes only one of them.',
      'Remove `rates`, or remove `automatic`.',
    ),
  ]
}
