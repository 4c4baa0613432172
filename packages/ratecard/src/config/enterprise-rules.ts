import type { Issue } from '../errors/issue.ts'
import { nearest } from '../errors/suggest.ts'
import { basePriceId } from './base-price.ts'
import { named, problem, quoted, warning } from './draft.ts'
import type { Entry, ProductDraft, Rule } from './draft.ts'

export const enterpriseIsNeverPublic: Rule = ({ prices }) =>
  prices.flatMap((price) =>
    isEnterpriseDraft(price) && price.value('public') === true
      ? [
          problem(
            'public_enterprise',
            price.at('public'),
            `${named('price', price)} is an enterprise price and cannot be public.`,
            'Remove `public`, or say false.',
          ),
        ]
      : [],
  )

export const templateOrEnterpriseId: Rule = ({ prices }) =>
  prices.flatMap((price) =>
    price.has('enterprise_template') && price.has('enterprise_id')
      ? [
          problem(
            'enterprise_both',
            price.at('enterprise_id'),
            `${named('price', price)} has a template and an enterprise id.`,
            'Keep one of the two.',
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
          problem(
            'default_enterprise',
            price.at('default'),
            `${named('price', price)} is an enterprise price and cannot be the default.`,
            'Mark an ordinary price instead.',
          ),
        ),
      ...ordinary
        .slice(1)
        .map((price) =>
          problem(
            'default_duplicate',
            price.at('default'),
            `${named('product', product)} has another default price, at ${ordinary[0]?.pointer ?? ''}.`,
            'Keep one `default`.',
          ),
        ),
    ]
  })

/** Finds the base price of each enterprise price and compares the two: a swap must not change currency, rhythm or measure. */
export const basePrice: Rule = ({ products }) =>
  products.flatMap((product) => product.prices.flatMap((price) => basePriceIssues(price, product)))

/** Applying a template must have one answer for each base price. */
export const oneEnterprisePricePerBase: Rule = ({ products }) =>
  products.flatMap((product) => {
    const seen = new Map<string, Entry>()
    return product.prices.flatMap((price) => {
      const base = baseOf(price, product)
      const target = (['enterprise_template', 'enterprise_id'] as const).find(
        (field) => price.text(field) !== undefined,
      )
      if (base === undefined || target === undefined) return []
      const key = JSON.stringify([base, target, price.text(target)])
      const first = seen.get(key)
      if (first === undefined) {
        seen.set(key, price)
        return []
      }
      const detail = `${named('price', price)} and the price at ${first.pointer} both stand for ${quoted(base)} under ${quoted(price.text(target))}.`
      return [
        problem(
          'base_price_duplicate',
          price.at(target),
          detail,
          'Remove one of the two, or give it another `base_price`.',
        ),
      ]
    })
  })

function basePriceIssues(price: Entry, product: ProductDraft): Issue[] {
  if (!isEnterpriseDraft(price))
    return price.has('base_price')
      ? [
          problem(
            'base_price_unused_field',
            price.at('base_price'),
            `${named('price', price)} has a base price but is no enterprise price.`,
            'Add `enterprise_template` or `enterprise_id`, or remove `base_price`.',
          ),
        ]
      : []
  const base = baseOf(price, product)
  const ordinary = product.prices.filter((candidate) => !isEnterpriseDraft(candidate))
  if (base === undefined) return price.text('id') === undefined || price.has('base_price') ? [] : [missingBase(price)]
  const found = ordinary.find((candidate) => candidate.text('id') === base)
  if (found === undefined) {
    const near = nearest(
      base,
      ordinary.flatMap((candidate) => candidate.text('id') ?? []),
    )
    const hint =
      near === undefined ? 'Name a price of the same product that has no enterprise field.' : `Did you mean "${near}"?`
    return [
      problem(
        'base_price_undefined',
        price.at('base_price'),
        `${named('product', product.product)} has no ordinary price ${quoted(base)}.`,
        hint,
      ),
    ]
  }
  const differing = differences(price, found)
  if (differing.length === 0) return []
  const detail = `${named('price', price)} differs from its base price ${quoted(base)} in ${differing.join(' and ')}.`
  return [problem('base_price_mismatch', price.pointer, detail, 'Make them equal, or name another `base_price`.')]
}

function missingBase(price: Entry): Issue {
  const detail = `${named('price', price)} has no base price: it is listed, but no subscription will be moved to it.`
  return warning(
    'base_price_missing',
    price.pointer,
    detail,
    'Begin its id with the id of an ordinary price of the product and "_", or give `base_price`.',
  )
}

function differences(price: Entry, base: Entry): string[] {
  const compared: [string, unknown, unknown][] = [
    ['currency', price.value('currency'), base.value('currency')],
    ['interval', price.value('interval'), base.value('interval')],
    ['interval_count', price.value('interval_count') ?? 1, base.value('interval_count') ?? 1],
    ['usage_type', price.value('usage_type') ?? 'licensed', base.value('usage_type') ?? 'licensed'],
    ['meter', price.value('meter'), base.value('meter')],
  ]
  return compared
    .filter(([, own, other]) => JSON.stringify(own) !== JSON.stringify(other))
    .map(([field]) => `\`${field}\``)
}

function baseOf(price: Entry, { prices }: ProductDraft): string | undefined {
  if (price.has('base_price') && price.text('base_price') === undefined) return undefined
  return basePriceId(asPrice(price), prices.map(asPrice))
}

function asPrice(price: Entry) {
  const base = price.text('base_price')
  return {
    id: price.text('id') ?? '',
    // Which of the two it is, and its value, do not matter to the search for a base.
    ...(isEnterpriseDraft(price) ? { enterprise_id: 'any' } : {}),
    ...(base === undefined ? {} : { base_price: base }),
  }
}

function isEnterpriseDraft(price: Entry): boolean {
  return price.has('enterprise_template') || price.has('enterprise_id')
}
