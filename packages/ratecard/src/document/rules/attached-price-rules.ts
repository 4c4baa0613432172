// Rules about `attached_prices`: prices that are always sold together with another one, in the same subscription.
import type { Issue } from '../../base/errors/issue.ts'
import { undefinedReference } from './document-rules.ts'
import { isEnterpriseDraft } from './enterprise-rules.ts'
import { entryName, errorIssue, quoteValue, type Draft, type Entry, type Rule } from './draft.ts'

interface ListedPrice {
  readonly price: Entry
  readonly product: Entry
}

/**
 * Checks attached prices. An attached price must be able to be an item of the same subscription as the price that it is attached to. If a
 * price is public, its attached prices must be visible too.
 */
export const attachedPrices: Rule = (draft) => {
  const prices = draft.products.flatMap(({ product, prices }) => prices.map((price) => ({ price, product })))
  if (!prices.some(({ price }) => price.has('attached_prices'))) return []
  const known: KnownPrices = { listed: firstOfEachId(prices), renamed: newNames(prices) }
  return prices.flatMap((owner) => {
    const ids = owner.price.list('attached_prices')
    if (ids.length === 0) return []
    const unfit = unfitOf(owner.price)
    if (unfit !== null) {
      const detail = `${entryName('price', owner.price)} ${unfit}, so other prices cannot be in the same subscription.`
      return [
        errorIssue('attached_price_invalid', owner.price.at('attached_prices'), detail, 'Remove `attached_prices`.'),
      ]
    }
    return ids.flatMap((id, index) =>
      typeof id === 'string'
        ? issuesOf(draft, { owner, id, index, ids, pointer: `${owner.price.at('attached_prices')}/${index}`, ...known })
        : [],
    )
  })
}

interface KnownPrices {
  readonly listed: ReadonlyMap<string, ListedPrice>
  /** Current ids of renamed prices, by earlier id. */
  readonly renamed: ReadonlyMap<unknown, string | undefined>
}

/** One id in the list of attached prices of `owner`. */
interface AttachedId extends KnownPrices {
  readonly owner: ListedPrice
  readonly id: string
  readonly index: number
  readonly ids: readonly unknown[]
  readonly pointer: string
}

function issuesOf(draft: Draft, attached: AttachedId): readonly Issue[] {
  const { owner, id, index, ids, listed, pointer } = attached
  const found = listed.get(id)
  if (found === undefined) return [unknownAttachedPrice(draft, attached)]
  const wrong = (detail: string, hint: string) => [errorIssue('attached_price_invalid', pointer, detail, hint)]
  if (found.price.text('id') === owner.price.text('id'))
    return wrong(
      `${entryName('price', owner.price)} is attached to itself.`,
      'Remove the price from its own `attached_prices`.',
    )
  if (ids.indexOf(id) < index) return wrong(`The price ${quoteValue(id)} is listed twice.`, 'Remove one of the two.')
  const unfit = unfitOf(found.price)
  if (unfit !== null)
    return wrong(`The attached price ${quoteValue(id)} ${unfit}.`, 'Attach a recurring price with an amount.')
  if (isEnterpriseDraft(found.price))
    return wrong(
      `The attached price ${quoteValue(id)} is negotiated.`,
      'Attach its base price. A tenant with the deal is then sold the negotiated price instead.',
    )
  if (found.price.list('attached_prices').length > 0)
    return wrong(
      `The attached price ${quoteValue(id)} has attached prices of its own.`,
      `Attach them to ${quoteValue(owner.price.text('id'))} as well, and remove them there.`,
    )
  if (excludeEachOther(owner.product, found.product))
    return wrong(
      `${entryName('price', owner.price)} and its attached price ${quoteValue(id)} are of two products of the group ${quoteValue(owner.product.text('subscription_group'))}.`,
      'A tenant can have only one product of a group. Attach a price of the same product, or of a product outside the group.',
    )
  return mismatchIssues(owner.price, found.price, id, pointer)
}

function unknownAttachedPrice(draft: Draft, { id, pointer, listed, renamed }: AttachedId): Issue {
  const now = renamed.get(id)
  const issue = undefinedReference(draft, 'attached_price_undefined', pointer, {
    kind: 'price',
    id,
    known: now === undefined ? [...listed.keys()] : [],
  })
  return now === undefined ? issue : { ...issue, hint: `The price is called ${quoteValue(now)} now.` }
}

/** Returns the reason why a price cannot be an item of a subscription, worded as the end of a sentence; null if it can. */
function unfitOf(price: Entry): string | null {
  if (!price.has('interval')) return 'is paid once'
  return isLocalDraft(price) ? 'is free and exists only in Ratecard' : null
}

/** True for a draft that `isLocalPrice` will call local. */
export function isLocalDraft(price: Entry): boolean {
  const beyond = ['tiers', 'currency_options'].some((field) => price.has(field)) || isEnterpriseDraft(price)
  const adopts = price.has('processor_id') && price.value('processor_id') !== price.value('id')
  if (beyond || adopts || price.value('usage_type') === 'metered') return false
  return price.value('amount') === 0 || /^0(\.0+)?$/.test(price.text('unit_amount_decimal') ?? '')
}

function excludeEachOther(one: Entry, other: Entry): boolean {
  const group = one.text('subscription_group')
  return group !== undefined && group === other.text('subscription_group') && one.text('id') !== other.text('id')
}

function mismatchIssues(owner: Entry, attached: Entry, id: string, pointer: string): readonly Issue[] {
  const differing = [
    owner.value('currency') === attached.value('currency') ? [] : ['`currency`'],
    // A percentage price has the additional currencies of its base price, so there is nothing to compare.
    owner.has('percent_off_base') || currenciesOf(owner) === currenciesOf(attached)
      ? []
      : ['the currencies of `currency_options`'],
    owner.value('interval') === attached.value('interval') ? [] : ['`interval`'],
    (owner.value('interval_count') ?? 1) === (attached.value('interval_count') ?? 1) ? [] : ['`interval_count`'],
  ].flat()
  if (differing.length > 0) {
    const detail = `${entryName('price', owner)} and its attached price ${quoteValue(id)} differ in ${differing.join(' and ')}.`
    return [errorIssue('attached_price_mismatch', pointer, detail, 'Make both equal, or attach another price.')]
  }
  if (isPublicDraft(attached) || !isPublicDraft(owner)) return []
  const detail = `${entryName('price', owner)} is public, and its attached price ${quoteValue(id)} is not.`
  const hint = 'A buyer sees all prices that are sold together. Make both prices public, or hide both.'
  return [errorIssue('attached_price_mismatch', pointer, detail, hint)]
}

const currenciesOf = (price: Entry) => JSON.stringify([...price.child('currency_options').keys()].sort())
const isPublicDraft = (price: Entry) => price.value('public') !== false && !isEnterpriseDraft(price)

/** Returns the first price for each id. Duplicate ids are reported by another rule. */
function firstOfEachId(prices: readonly ListedPrice[]): ReadonlyMap<string, ListedPrice> {
  const listed = new Map<string, ListedPrice>()
  for (const one of prices) {
    const id = one.price.text('id')
    if (id !== undefined && !listed.has(id)) listed.set(id, one)
  }
  return listed
}

const newNames = (prices: readonly ListedPrice[]) =>
  new Map(prices.flatMap(({ price }) => price.list('previous_ids').map((from) => [from, price.text('id')] as const)))
