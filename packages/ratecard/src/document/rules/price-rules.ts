import type { Issue } from '../../base/errors/issue.ts'
import { idsOf, undefinedReference } from './document-rules.ts'
import { entryName, errorIssue, quoteValue, type Entry, type Rule } from './draft.ts'

const amountFields = ['amount', 'unit_amount_decimal', 'tiers', 'custom_unit_amount'] as const
/** Maximum `interval_count` for each interval: Stripe's maximum billing period is three years. */
const maxIntervalCount: Readonly<Record<string, number>> = { day: 1095, week: 156, month: 36, year: 3 }

/**
 * Checks that a price has exactly one kind of amount. The rule `tieredHasTiers` reports a price with `billing_scheme: tiered` but without
 * tiers, because its message is more helpful.
 */
export const amountOrTiers: Rule = ({ prices }) =>
  prices.flatMap((price) => {
    // A percentage price has the amounts of its base price, so another rule checks it.
    if (price.has('percent_off_base')) return []
    const given = amountFields.filter((field) => price.has(field))
    if (given.length === 1 || (given.length === 0 && isTiered(price))) return []
    const detail =
      given.length === 0
        ? `${entryName('price', price)} has neither an amount nor tiers.`
        : `${entryName('price', price)} has ${given.map((field) => `\`${field}\``).join(' and ')}.`
    return [
      errorIssue(
        'amount_or_tiers',
        price.pointer,
        detail,
        'Give exactly one of `amount`, `unit_amount_decimal`, `tiers` and `custom_unit_amount`; an enterprise price may have `percent_off_base` instead.',
      ),
    ]
  })

export const tieredHasTiers: Rule = ({ prices }) =>
  prices.flatMap((price) => {
    if (price.has('percent_off_base')) return []
    if (price.has('tiers')) {
      // If the price also has an amount, `amountOrTiers` reports that. The right billing scheme then depends on whether the author removes
      // the amount or the tiers, so it is not checked.
      if (isTiered(price) || price.has('amount') || price.has('unit_amount_decimal')) return []
      const detail = `${entryName('price', price)} has tiers but is not tiered.`
      return [errorIssue('tiers_missing', price.at('tiers'), detail, 'Add `"billing_scheme": "tiered"`.')]
    }
    if (isTiered(price)) {
      const detail = `${entryName('price', price)} is tiered but has no tiers.`
      return [errorIssue('tiers_missing', price.pointer, detail, 'Add `tiers`, or remove `billing_scheme`.')]
    }
    if (price.has('tiers_mode'))
      return [
        errorIssue(
          'tiers_missing',
          price.at('tiers_mode'),
          `${entryName('price', price)} has a \`tiers_mode\` but no tiers.`,
          'Remove `tiers_mode`.',
        ),
      ]
    return []
  })

export const tiersAscend: Rule = ({ prices }) =>
  prices.flatMap((price) => {
    const limits = price.entries('tiers').map((tier) => ({ tier, upTo: tier.value('up_to') }))
    // If a tier's limit is malformed, the schema check reports it, and the order of the limits is not checked.
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
        issues.push(errorIssue('tiers_invalid', tier.at('up_to'), 'Only the last tier may have `up_to: "inf"`.'))
      else if (typeof upTo === 'number' && typeof before === 'number' && upTo <= before)
        issues.push(
          errorIssue(
            'tiers_invalid',
            tier.at('up_to'),
            `The tier ends at ${upTo}, not after ${before}, the end of the tier before it.`,
            'Sort the tiers by `up_to`; each must be higher than the one before.',
          ),
        )
    })
    const last = limits.at(-1)
    if (last !== undefined && last.upTo !== 'inf')
      issues.push(
        errorIssue(
          'tiers_invalid',
          last.tier.at('up_to'),
          `The last tier ends at ${String(last.upTo)}: larger quantities would have no price.`,
          'Set `up_to` of the last tier to "inf".',
        ),
      )
    return issues
  })

function tiersOf(price: Entry): readonly Entry[] {
  return [price, ...optionsOf(price)].flatMap((one) => one.entries('tiers'))
}

function optionsOf(price: Entry): readonly Entry[] {
  const options = price.child('currency_options')
  return options.keys().map((currency) => options.child(currency))
}

const endsOf = (price: Entry) => JSON.stringify(price.entries('tiers').map((tier) => tier.value('up_to')))
const schemeOf = (price: Entry) => (price.has('tiers') ? 'tiers' : 'an amount')

/**
 * Checks each additional currency of a price. It must have the same form as the price (amount or tiers), and must not be the price's main
 * currency.
 */
export const currencyOptionsFit: Rule = ({ prices }) =>
  prices.flatMap((price) => {
    const options = price.child('currency_options')
    if (options.keys().length === 0 || price.has('percent_off_base')) return []
    if (price.has('custom_unit_amount'))
      return [
        errorIssue(
          'currency_options_invalid',
          price.at('currency_options'),
          `${entryName('price', price)} lets the customer choose the amount: other currencies cannot have one.`,
          'Remove `currency_options`, or make a price for each currency.',
        ),
      ]
    const own = endsOf(price)
    return options.keys().flatMap((currency) => {
      const option = options.child(currency)
      if (currency === price.text('currency'))
        return [
          errorIssue(
            'currency_options_invalid',
            option.pointer,
            `${entryName('price', price)} is in ${quoteValue(currency)} itself.`,
            'Remove its own currency from `currency_options`.',
          ),
        ]
      const given = ['amount', 'unit_amount_decimal', 'tiers'].filter((field) => option.has(field))
      if (given.length !== 1 || schemeOf(option) !== schemeOf(price))
        return [
          errorIssue(
            'currency_options_invalid',
            option.pointer,
            `The option ${quoteValue(currency)} of ${entryName('price', price, 'the')} must have ${schemeOf(price)}, as the price itself.`,
            'Give exactly one of `amount`, `unit_amount_decimal` and `tiers`, of the same kind as the price.',
          ),
        ]
      if (endsOf(option) === own) return []
      return [
        errorIssue(
          'currency_options_invalid',
          option.at('tiers'),
          `The tiers in ${quoteValue(currency)} end elsewhere than those of ${entryName('price', price, 'the')}.`,
          'Use the same `up_to` values in both.',
        ),
      ]
    })
  })

/**
 * Checks fields that exclude each other. Packages (`transform_quantity`) cannot be combined with tiers. A custom amount cannot be combined
 * with a trial or an interval.
 */
export const pricePartsFit: Rule = ({ prices }) =>
  prices.flatMap((price) => {
    const says = (field: string, detail: string, hint: string) => [
      errorIssue('price_parts', price.at(field), `${entryName('price', price)} ${detail}`, hint),
    ]
    const custom = price.child('custom_unit_amount')
    const [least, preset, most] = ['minimum', 'preset', 'maximum'].map((field) => custom.number(field))
    return [
      ...(price.has('transform_quantity') && price.has('tiers')
        ? says('transform_quantity', 'has tiers and `transform_quantity`.', 'Remove one of the two.')
        : []),
      ...(price.has('custom_unit_amount') && price.has('transform_quantity')
        ? says('transform_quantity', 'lets the customer choose the amount.', 'Remove `transform_quantity`.')
        : []),
      ...(price.has('custom_unit_amount') && price.has('interval')
        ? says('custom_unit_amount', 'is recurring.', 'Only a one-time price lets the customer choose the amount.')
        : []),
      ...(price.has('trial_period_days') && !price.has('interval')
        ? says('trial_period_days', 'is paid once, so it cannot have a trial.', 'Remove `trial_period_days`.')
        : []),
      ...(inOrder(least, preset) && inOrder(preset, most) && inOrder(least, most)
        ? []
        : says('custom_unit_amount', 'has amounts out of order.', 'minimum ≤ preset ≤ maximum.')),
    ]
  })

const inOrder = (low: number | undefined, high: number | undefined) =>
  low === undefined || high === undefined || low <= high

export const tierHasAmount: Rule = ({ prices }) =>
  prices.flatMap((price) =>
    tiersOf(price).flatMap((tier) => {
      const flat = ['flat_amount', 'flat_amount_decimal'].filter((field) => tier.has(field))
      if (flat.length === 2)
        return [
          errorIssue(
            'tier_amount_missing',
            tier.pointer,
            'The tier has two flat amounts.',
            'Give one of `flat_amount` and `flat_amount_decimal`.',
          ),
        ]
      const unit = ['unit_amount', 'unit_amount_decimal'].filter((field) => tier.has(field))
      if (unit.length === 2)
        return [
          errorIssue(
            'tier_amount_missing',
            tier.pointer,
            'The tier has two unit amounts.',
            'Give one of `unit_amount` and `unit_amount_decimal`.',
          ),
        ]
      if (unit.length === 1 || flat.length === 1) return []
      return [
        errorIssue(
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
      errorIssue(
        'interval_missing',
        price.pointer,
        `${entryName('price', price)} is ${why} but has no interval.`,
        'Add `interval`: day, week, month or year.',
      ),
    ]
  })

export const intervalCountNeedsInterval: Rule = ({ prices }) =>
  prices.flatMap((price) =>
    !price.has('interval_count') || price.has('interval') || mustRecur(price)
      ? []
      : [
          errorIssue(
            'interval_count_alone',
            price.at('interval_count'),
            `${entryName('price', price)} has an \`interval_count\` but no interval.`,
            'Add `interval`, or remove `interval_count`.',
          ),
        ],
  )

export const intervalAtMostThreeYears: Rule = ({ prices }) =>
  prices.flatMap((price) => {
    const count = price.number('interval_count')
    const interval = price.text('interval') ?? ''
    const most = Object.hasOwn(maxIntervalCount, interval) ? maxIntervalCount[interval] : undefined
    if (count === undefined || most === undefined || count <= most) return []
    return [
      errorIssue(
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
        errorIssue(
          'meter_unused_field',
          price.at('meter'),
          `${entryName('price', price)} names a meter but is not metered.`,
          'Add `"usage_type": "metered"`, or remove `meter`.',
        ),
      ]
    }
    if (!price.has('meter')) {
      const hint =
        ids.length === 0
          ? 'Define a meter and name it in `meter`.'
          : `Add \`meter\`: one of ${ids.slice(0, 10).map(quoteValue).join(', ')}.`
      return [
        errorIssue('meter_missing', price.pointer, `${entryName('price', price)} is metered but names no meter.`, hint),
      ]
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
