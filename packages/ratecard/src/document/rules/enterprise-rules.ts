import type { Issue } from '../../base/errors/issue.ts'
import { byEveryId, derivedBase } from '../schema/prices/base-price.ts'
import { entryName, errorIssue, quoteValue, warningIssue, type Draft, type Entry, type Rule } from './draft.ts'

const enterpriseFields = ['enterprise_template', 'enterprise_id'] as const

export const enterpriseIsNeverPublic: Rule = ({ prices }) =>
  prices.flatMap((price) =>
    isEnterpriseDraft(price) && price.value('public') === true
      ? [
          errorIssue(
            'public_enterprise',
            price.at('public'),
            `${entryName('price', price)} is an enterprise price and cannot be public.`,
            'Remove `public`, or set it to false.',
          ),
        ]
      : [],
  )

export const templateOrEnterpriseId: Rule = ({ prices }) =>
  prices.flatMap((price) =>
    price.has('enterprise_template') && price.has('enterprise_id')
      ? [
          errorIssue(
            'enterprise_both',
            price.at('enterprise_id'),
            `${entryName('price', price)} has a template and an enterprise id.`,
            'Remove one of the two.',
          ),
        ]
      : [],
  )

export const oneDefaultPrice: Rule = ({ products }) =>
  products.flatMap(({ product, prices }) => {
    const marked = prices.filter((price) => price.value('default') === true)
    const ordinary = marked.filter((price) => !isEnterpriseDraft(price))
    return [
      ...marked
        .filter(isEnterpriseDraft)
        .map((price) =>
          errorIssue(
            'default_enterprise',
            price.at('default'),
            `${entryName('price', price)} is an enterprise price and cannot be the default.`,
            'Set `default` on an ordinary price instead.',
          ),
        ),
      ...ordinary
        .slice(1)
        .map((price) =>
          errorIssue(
            'default_duplicate',
            price.at('default'),
            `${entryName('product', product)} has another default price, at ${ordinary[0]?.pointer ?? ''}.`,
            'Keep one `default`.',
          ),
        ),
    ]
  })

/**
 * Checks that each enterprise price has a base price with the same currency, interval and metering. Otherwise moving a subscription from
 * one to the other would change these terms.
 */
export const basePrice: Rule = (draft) => {
  const { ordinary, present, of } = draftBases(draft)
  const termsOfPrice = rememberedTerms()
  return draft.products.flatMap(({ prices }) => {
    const baseOf = of(prices)
    return prices.flatMap((price) => {
      if (!isEnterpriseDraft(price)) return price.has('base_price') ? [unusedBase(price)] : []
      const base = baseOf(price)
      if (base === undefined)
        return price.text('id') === undefined || price.has('base_price') || price.has('percent_off_base')
          ? []
          : [missingBase(price)]
      const found = ordinary.get(base)
      if (found !== undefined) return mismatchIssues(price, found, base, termsOfPrice)
      const detail = `The document has no ordinary price ${quoteValue(base)}.`
      const now = present.get(base)
      const hint =
        now === undefined
          ? (draft.suggest(base, [...ordinary.keys()]) ??
            'Name a price without `enterprise_template` and `enterprise_id`.')
          : `The price is called ${quoteValue(now)} now.`
      return [errorIssue('base_price_undefined', price.at('base_price'), detail, hint)]
    })
  })
}

/**
 * Checks that each template or enterprise id has only one price per base price. Otherwise it would be ambiguous which price replaces the
 * base price.
 */
export const oneEnterprisePricePerBase: Rule = (draft) => {
  const { of } = draftBases(draft)
  const seen = new Map<string, Entry>()
  return draft.products.flatMap(({ prices }) => {
    const baseOf = of(prices)
    return prices.flatMap((price) => {
      const base = isEnterpriseDraft(price) ? baseOf(price) : undefined
      const target = enterpriseFields.find((field) => price.text(field) !== undefined)
      if (base === undefined || target === undefined) return []
      const key = JSON.stringify([base, target, price.text(target)])
      const first = seen.get(key)
      if (first === undefined) {
        seen.set(key, price)
        return []
      }
      const detail = `${entryName('price', price)} and the price at ${first.pointer} both stand for ${quoteValue(base)} under ${quoteValue(price.text(target))}.`
      const hint = 'Remove one of the two, or give it another `base_price`.'
      return [errorIssue('base_price_duplicate', price.at(target), detail, hint)]
    })
  })
}

function mismatchIssues(price: Entry, base: Entry, id: string, termsOf: (price: Entry) => Terms): Issue[] {
  const others = termsOf(base)
  const differing = [...termsOf(price)]
    // The currencies of a price in per cent are those of its base price.
    .filter(([field]) => field !== 'currency_options' || !price.has('percent_off_base'))
    .filter(([field, own]) => own !== others.get(field))
    .map(([field]) => `\`${field}\``)
  if (differing.length === 0) return []
  const detail = `${entryName('price', price)} differs from its base price ${quoteValue(id)} in ${differing.join(' and ')}.`
  return [errorIssue('base_price_mismatch', price.pointer, detail, 'Make both equal, or name another `base_price`.')]
}

/** Terms (currency, interval and so on) that an enterprise price must share with its base price. Keys are field names, values are JSON. */
type Terms = ReadonlyMap<string, string | undefined>

/**
 * Returns a function for the terms of a price, which caches its results. A base price may be compared with thousands of enterprise prices,
 * so its terms should be serialized only once.
 */
function rememberedTerms(): (price: Entry) => Terms {
  const remembered = new Map<Entry, Terms>()
  return (price) => {
    const terms = remembered.get(price) ?? termsOf(price)
    remembered.set(price, terms)
    return terms
  }
}

function termsOf(price: Entry): Terms {
  const terms: [string, unknown][] = [
    ['currency', price.value('currency')],
    ['currency_options', currenciesOf(price)],
    ['interval', price.value('interval')],
    ['interval_count', price.value('interval_count') ?? 1],
    ['usage_type', price.value('usage_type') ?? 'licensed'],
    ['meter', price.value('meter')],
  ]
  return new Map(terms.map(([field, value]) => [field, JSON.stringify(value)]))
}

const currenciesOf = (price: Entry) => [...price.child('currency_options').keys()].sort()

function missingBase(price: Entry): Issue {
  const detail = `${entryName('price', price)} has no base price: it is listed, but no subscription will be moved to it.`
  const hint =
    'Set `base_price`, or let the id of this price begin with the id of a list price, followed by "_", e.g. `pro_monthly_acme`.'
  return warningIssue('base_price_missing', price.pointer, detail, hint)
}

function unusedBase(price: Entry): Issue {
  const detail = `${entryName('price', price)} has a base price but is no enterprise price.`
  const hint = 'Add `enterprise_template` or `enterprise_id`, or remove `base_price`.'
  return errorIssue('base_price_unused_field', price.at('base_price'), detail, hint)
}

/** Finds the base prices of a document that is not validated yet. For a valid document it finds the same base prices as `basesOf`. */
export interface DraftBases {
  /** The ordinary prices of all products, by id. */
  readonly ordinary: ReadonlyMap<string, Entry>
  /** Current ids of the ordinary prices, by current and former id. */
  readonly present: ReadonlyMap<string, string>
  /** Returns the function that finds the id of a price's base, for the prices of one product. */
  of(pricesOfProduct: readonly Entry[]): (price: Entry) => string | undefined
}

export function draftBases({ prices }: Pick<Draft, 'prices'>): DraftBases {
  const ordinary = ordinaryById(prices)
  const present = presentIds(ordinary)
  return {
    ordinary,
    present,
    of: (pricesOfProduct) => {
      const own = presentIds(ordinaryById(pricesOfProduct))
      return (price) =>
        price.has('base_price') ? price.text('base_price') : derivedBase(price.text('id') ?? '', [own, present])
    },
  }
}

function presentIds(ordinary: ReadonlyMap<string, Entry>): ReadonlyMap<string, string> {
  const texts = (price: Entry) => price.list('previous_ids').filter((id) => typeof id === 'string')
  return byEveryId([...ordinary].map(([id, price]) => [id, texts(price)]))
}

/** Returns the first ordinary (not negotiated) price for each id. Duplicate ids are reported by another rule. */
function ordinaryById(prices: readonly Entry[]): ReadonlyMap<string, Entry> {
  const ordinary = new Map<string, Entry>()
  for (const price of prices) {
    const id = price.text('id')
    if (id !== undefined && !isEnterpriseDraft(price) && !ordinary.has(id)) ordinary.set(id, price)
  }
  return ordinary
}

export function isEnterpriseDraft(price: Entry): boolean {
  return enterpriseFields.some((field) => price.has(field))
}
