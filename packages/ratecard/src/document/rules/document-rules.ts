import { pointerToken, type Issue } from '../../base/errors/issue.ts'
import type { IssueCode } from '../../base/errors/codes.ts'
import { entryName, errorIssue, quoteValue, type Draft, type Entry, type Rule } from './draft.ts'
import { webhookId } from '../schema/ids.ts'

export const atLeastOneProduct: Rule = ({ root }) => {
  const products = root.value('products')
  if (!Array.isArray(products) || products.length > 0) return []
  return [
    errorIssue('products_empty', root.at('products'), 'The document has no product.', 'Add at least one product.'),
  ]
}

/**
 * Checks that ids are unique within their kind. Price ids must be unique across all products. For a webhook without an id, the id derived
 * from its URL is checked.
 */
export const uniqueIds: Rule = (draft) => [
  ...duplicateIssues(
    draft.products.map(({ product }) => product),
    'id_duplicate',
    'id',
    duplicateIdText('product'),
  ),
  ...duplicateIssues(draft.prices, 'id_duplicate', 'id', duplicateIdText('price')),
  ...duplicateIssues(draft.features, 'id_duplicate', 'id', duplicateIdText('feature')),
  ...duplicateIssues(draft.meters, 'id_duplicate', 'id', duplicateIdText('meter')),
  ...duplicateIssues(draft.coupons, 'id_duplicate', 'id', duplicateIdText('coupon')),
  ...duplicateIssues(draft.promotionCodes, 'id_duplicate', 'id', duplicateIdText('promotion code')),
  ...duplicateIssues(draft.taxRates, 'id_duplicate', 'id', duplicateIdText('tax rate')),
  ...duplicateIssues(draft.portals, 'id_duplicate', 'id', duplicateIdText('portal configuration')),
  ...webhookIds(draft),
]

/**
 * Checks that lookup keys are unique among prices and among features. An item without `lookup_key` uses its id as key. Exception: an item
 * that adopts an object keeps the object's key.
 */
export const uniqueLookupKeys: Rule = ({ prices, features }) =>
  Object.entries({ price: prices.filter((price) => !isFree(price)), feature: features }).flatMap(([kind, entries]) => {
    const first = new Map<string, Entry>()
    // Sorts ids that serve as keys before keys in the document, so that a duplicate is reported at the key that the author wrote.
    const keyed = [...entries].sort((a, b) => Number(a.has('lookup_key')) - Number(b.has('lookup_key')))
    return keyed.flatMap((entry) => {
      const key = entry.text('lookup_key') ?? (entry.has('processor_id') ? undefined : entry.text('id'))
      if (key === undefined) return []
      const earlier = first.get(key)
      if (earlier === undefined) first.set(key, entry)
      // Two equal ids are reported as such.
      if (earlier === undefined || !entry.has('lookup_key')) return []
      const where = `${entryName(kind, entry)} has the lookup key ${quoteValue(key)} of another ${kind}`
      const detail = `${where}, at ${earlier.pointer}${earlier.has('lookup_key') ? '' : ', whose key is its id'}.`
      return [
        errorIssue('lookup_key_duplicate', entry.at('lookup_key'), detail, 'Give each of them its own lookup key.'),
      ]
    })
  })

/** True for a price that may exist only in Ratecard, because it is free. Its id is then not used as lookup key. */
const isFree = (price: Entry) => price.number('amount') === 0 && !price.has('lookup_key')

export const uniqueEventNames: Rule = ({ meters }) =>
  duplicateIssues(
    meters,
    'event_name_duplicate',
    'event_name',
    (meter) =>
      `${entryName('meter', meter)} has the same event name ${quoteValue(meter.text('event_name'))} as another meter`,
  )

/** Checks that two webhooks with the same URL are of two kinds: the processor has one kind for the account, and one for connected accounts. */
export const uniqueWebhookUrls: Rule = ({ webhooks }) =>
  [webhooks.filter((webhook) => !isForConnected(webhook)), webhooks.filter(isForConnected)].flatMap((ofOneKind) =>
    duplicateIssues(
      ofOneKind,
      'webhook_url_duplicate',
      'url',
      // The message must not contain the URL, because the URL may contain a token.
      (webhook) => `${entryName('webhook', webhook)} has the URL of another webhook`,
    ),
  )

const isForConnected = (webhook: Entry) => webhook.value('connect') === true

/** Checks that promotion codes are unique, ignoring case as the processor does. */
export const uniqueCodes: Rule = ({ promotionCodes }) =>
  duplicateIssues(
    promotionCodes,
    'code_duplicate',
    'code',
    (entry) => `The code ${quoteValue(entry.text('code'))} is used twice, whatever the case of its letters`,
    (code) => code.toLowerCase(),
  )

/** Checks that package dimensions have at most two decimals. The processor stores two; a third would be lost and then reported as drift. */
export const dimensionsHaveTwoDecimals: Rule = (draft) =>
  draft.products.flatMap(({ product }) => {
    const dimensions = product.child('package_dimensions')
    return dimensions.keys().flatMap((name) => {
      const size = dimensions.number(name)
      return size === undefined || /^\d+(\.\d{1,2})?$/.test(String(size))
        ? []
        : [
            errorIssue(
              'value_invalid',
              dimensions.at(pointerToken(name)),
              `The ${name} of a package has up to 2 decimals, and ${String(size)} has more.`,
              `Write ${size.toFixed(2)}.`,
            ),
          ]
    })
  })

/**
 * Checks that no metadata key starts with `ratecard_`. Ratecard stores its own keys (e.g. the ownership mark) in the same metadata at the
 * processor.
 */
export const unreservedMetadata: Rule = (draft) =>
  everyEntry(draft).flatMap((entry) => {
    const metadata = entry.child('metadata')
    return metadata
      .keys()
      .filter((key) => key.startsWith('ratecard_') || key === '__proto__')
      .map((key) =>
        errorIssue(
          'metadata_reserved',
          metadata.at(pointerToken(key)),
          `The metadata key ${quoteValue(key)} is reserved.`,
          'Rename the key.',
        ),
      )
  })

/** Returns the items of all kinds. Kinds without metadata are included too, because the check finds nothing in them. */
function everyEntry({
  products,
  prices,
  features,
  meters,
  coupons,
  promotionCodes,
  taxRates,
  portals,
  webhooks,
}: Draft): readonly Entry[] {
  return [
    ...products.map(({ product }) => product),
    ...prices,
    ...features,
    ...meters,
    ...coupons,
    ...promotionCodes,
    ...taxRates,
    ...portals,
    ...webhooks,
  ]
}

/** Returns the issue for a reference to an id that does not exist. Used by all rules that check references. */
export function undefinedReference(
  { suggest }: Draft,
  code: IssueCode,
  pointer: string,
  { kind, id, known }: { readonly kind: string; readonly id: string; readonly known: readonly string[] },
): Issue {
  const hint = suggest(id, known) ?? `Define the ${kind}, or name an existing one.`
  return errorIssue(code, pointer, `No ${kind} has the id ${quoteValue(id)}.`, hint)
}

export function idsOf(entries: readonly Entry[]): readonly string[] {
  return entries.flatMap((entry) => entry.text('id') ?? [])
}

function webhookIds({ webhooks }: Draft): readonly Issue[] {
  const seen = new Map<string, Entry>()
  return webhooks.flatMap((webhook) => {
    const id = webhook.text('id')
    const url = webhook.text('url')
    // Skip webhooks without an id. Their derived ids are equal only if their URLs and kinds are equal, which another rule reports.
    const key =
      id ?? (url === undefined || webhook.has('id') ? undefined : webhookId({ url, connect: isForConnected(webhook) }))
    if (key === undefined) return []
    const first = seen.get(key)
    if (first === undefined) seen.set(key, webhook)
    if (first === undefined || (id === undefined && !first.has('id'))) return []
    return [
      errorIssue(
        'id_duplicate',
        id === undefined ? webhook.pointer : webhook.at('id'),
        `The webhook id ${quoteValue(key)} is used twice; first at ${first.pointer}.`,
      ),
    ]
  })
}

function duplicateIdText(kind: string): (entry: Entry) => string {
  return (entry) => `The ${kind} id ${quoteValue(entry.text('id'))} is used twice`
}

function duplicateIssues(
  entries: readonly Entry[],
  code: IssueCode,
  field: string,
  say: (entry: Entry) => string,
  normal: (value: string) => string = (value) => value,
): Issue[] {
  const first = new Map<string, Entry>()
  return entries.flatMap((entry) => {
    const value = entry.text(field)
    if (value === undefined) return []
    const earlier = first.get(normal(value))
    if (earlier !== undefined)
      return [errorIssue(code, entry.at(field), `${say(entry)}; first at ${earlier.at(field)}.`)]
    first.set(normal(value), entry)
    return []
  })
}
