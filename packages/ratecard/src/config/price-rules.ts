import type { Issue } from '../errors/issue.ts'
import { idsOf, undefinedReference } from './document-rules.ts'
import { named, problem, quoted } from './draft.ts'
import type { Entry, Rule } from './draft.ts'

const amountFields = ['amount', 'unit_amount_decimal', 'tiers'] as const
/** The processor's limit of three years, in each interval. */
const longest: Readonly<Record<string, number>> = { day: 1095, week: 156, month: 36, year: 3 }

/** A tiered price that lacks its tiers is left to `tieredHasTiers`, which says more. */
export const amountOrTiers: Rule = ({ prices }) =>
  prices.flatMap((price) => {
    const given = amountFields.filter((field) => price.has(field))
    if (given.length === 1 || (given.length === 0 && isTiered(price))) return []
    const detail =
      given.length === 0
        ? `${named('price', price)} has neither an amount nor tiers.`
        : `${named('price', price)} has ${given.map((field) => `\`${field}\``).join(' and ')}.`
    return [
      problem(
        'amount_or_tiers',
        price.pointer,
        detail,
        'Give exactly one of `amount`, `unit_amount_decimal` and `tiers`.',
      ),
    ]
  })

export const tieredHasTiers: Rule = ({ prices }) =>
  prices.flatMap((price) => {
    if (price.has('tiers')) {
      // With an amount beside them, `amountOrTiers` speaks: which of the two stays decides about the scheme.
      if (isTiered(price) || price.has('amount') || price.has('unit_amount_decimal')) return []
      const detail = `${named('price', price)} has tiers but is not tiered.`
      return [problem('tiers_missing', price.at('tiers'), detail, 'Add `"billing_scheme": "tiered"`.')]
    }
    if (isTiered(price)) {
      const detail = `${named('price', price)} is tiered but has no tiers.`
      return [problem('tiers_missing', price.pointer, detail, 'Add `tiers`, or remove `billing_scheme`.')]
    }
    if (price.has('tiers_mode'))
      return [
        problem(
          'tiers_missing',
          price.at('tiers_mode'),
          `${named('price', price)} has a \`tiers_mode\` but no tiers.`,
          'Remove `tiers_mode`.',
        ),
      ]
    return []
  })

export const tiersAscend: Rule = ({ prices }) =>
  prices.flatMap((price) => {
    const limits = price.entries('tiers').map((tier) => ({ tier, upTo: tier.value('up_to') }))
    // A malformed limit has its own issue; an order cannot be judged with it.
    if (
      limits.length === 0 ||
      limits.length !== price.list('tiers').length ||
      !limits.every(({ upTo }) => isLimit(upTo))
    )
      return []
    const issues: Issue[] = []
    limits.forEach(({ tier, upTo }, index) => {
      const before = limits[index - 1]?.upTo
      if (upTo === 'inf' && index < limits.length - 1)
        issues.push(problem('tiers_invalid', tier.at('up_to'), 'Only the last tier may go up to "inf".'))
      else if (typeof upTo === 'number' && typeof before === 'number' && upTo <= before)
        issues.push(
          problem(
            'tiers_invalid',
            tier.at('up_to'),
            `The tier ends at ${upTo}, not after ${before}, the end of the tier before it.`,
            'Order the tiers by `up_to`, each above the last.',
          ),
        )
    })
    const last = limits.at(-1)
    if (last !== undefined && last.upTo !== 'inf')
      issues.push(
        problem(
          'tiers_invalid',
          last.tier.at('up_to'),
          `The last tier ends at ${String(last.upTo)}: larger quantities would have no price.`,
          'Let the last tier go up to "inf".',
        ),
      )
    return issues
  })

export const tierHasAmount: Rule = ({ prices }) =>
  prices.flatMap((price) =>
    price.entries('tiers').flatMap((tier) => {
      const unit = ['unit_amount', 'unit_amount_decimal'].filter((field) => tier.has(field))
      if (unit.length === 2)
        return [
          problem(
            'tier_amount_missing',
            tier.pointer,
            'The tier has two unit amounts.',
            'Give one of `unit_amount` and `unit_amount_decimal`.',
          ),
        ]
      if (unit.length === 1 || tier.has('flat_amount')) return []
      return [
        problem(
          'tier_amount_missing',
          tier.pointer,
          'The tier has no amount.',
          'Give `unit_amount`, `flat_amount`, or both; 0 is free.',
        ),
      ]
    }),
  )

export const recurringNeedsInterval: Rule = ({ prices }) =>
  prices.flatMap((price) => {
    if (price.has('interval')) return []
    const why = price.value('usage_type') === 'metered' ? 'metered' : isTiered(price) ? 'tiered' : undefined
    if (why === undefined) return []
    return [
      problem(
        'interval_missing',
        price.pointer,
        `${named('price', price)} is ${why} but has no interval.`,
        'Add `interval`: day, week, month or year.',
      ),
    ]
  })

export const intervalCountNeedsInterval: Rule = ({ prices }) =>
  prices.flatMap((price) =>
    !price.has('interval_count') || price.has('interval') || mustRecur(price)
      ? []
      : [
          problem(
            'interval_count_alone',
            price.at('interval_count'),
            `${named('price', price)} has an \`interval_count\` but no interval.`,
            'Add `interval`, or remove `interval_count`.',
          ),
        ],
  )

export const intervalAtMostThreeYears: Rule = ({ prices }) =>
  prices.flatMap((price) => {
    const count = price.number('interval_count')
    const interval = price.text('interval') ?? ''
    const most = Object.hasOwn(longest, interval) ? longest[interval] : undefined
    if (count === undefined || most === undefined || count <= most) return []
    return [
      problem(
        'interval_too_long',
        price.at('interval_count'),
        `${count} ${interval}s are more than three years.`,
        `At most ${most}.`,
      ),
    ]
  })

export const meterReference: Rule = (draft) => {
  const { prices, meters } = draft
  const ids = idsOf(meters)
  const known = new Set(ids)
  return prices.flatMap((price) => {
    const meter = price.text('meter')
    if (price.value('usage_type') !== 'metered') {
      if (!price.has('meter')) return []
      return [
        problem(
          'meter_unused_field',
          price.at('meter'),
          `${named('price', price)} names a meter but is not metered.`,
          'Add `"usage_type": "metered"`, or remove `meter`.',
        ),
      ]
    }
    if (!price.has('meter')) {
      const hint =
        ids.length === 0
          ? 'Define a meter and name it in `meter`.'
          : `Add \`meter\`: one of ${ids.slice(0, 10).map(quoted).join(', ')}.`
      return [problem('meter_missing', price.pointer, `${named('price', price)} is metered but names no meter.`, hint)]
    }
    return meter === undefined || known.has(meter)
      ? []
      : [undefinedReference(draft, 'meter_undefined', price.at('meter'), { kind: 'meter', id: meter, known: ids })]
  })
}

function isTiered(price: Entry): boolean {
  return price.value('billing_scheme') === 'tiered'
}

function mustRecur(price: Entry): boolean {
  return isTiered(price) || price.value('usage_type') === 'metered'
}

function isLimit(upTo: unknown): boolean {
  return upTo === 'inf' || (typeof upTo === 'number' && Number.isInteger(upTo) && upTo >= 1)
}
