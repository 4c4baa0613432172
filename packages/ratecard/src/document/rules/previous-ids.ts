// Former ids of renamed items (`previous_ids` of every kind): the rules about them, and the lookup of an item by a former id.
import { pointerToken } from '../../base/errors/issue.ts'
import { errorIssue, quoteValue, type Draft, type Entry, type Rule } from './draft.ts'
import { webhookId } from '../schema/ids.ts'
import type { BillingConfig, Webhook } from '../schema/schema.ts'

/** Names of the document's lists that contain items. If the schema has a list that is missing in `listed`, compilation fails. */
type ListName = {
  [Name in keyof BillingConfig]-?: NonNullable<BillingConfig[Name]> extends readonly object[] ? Name : never
}[keyof BillingConfig]

const listed = {
  features: 'feature',
  meters: 'meter',
  products: 'product',
  coupons: 'coupon',
  promotion_codes: 'promotion_code',
  tax_rates: 'tax_rate',
  portal: 'portal',
  webhooks: 'webhook',
} as const satisfies Record<ListName, string>

/** All item lists of a document. */
export const listNames = Object.keys(listed) as readonly ListName[]

type Kind = (typeof listed)[ListName] | 'price'

/** Returns the items of each kind. Prices of all products are one kind. */
function groupsOf(draft: Draft): readonly (readonly [Kind, readonly Entry[]])[] {
  const lists = Object.entries(listed).map(([list, kind]) => [kind, draft.root.entries(list)] as const)
  return [...lists, ['price', draft.prices]]
}

function idOf(kind: Kind, entry: Entry): string | undefined {
  const [id, url] = [entry.text('id'), entry.text('url')]
  return (
    id ??
    (kind === 'webhook' && url !== undefined ? webhookId({ url, connect: entry.value('connect') === true }) : undefined)
  )
}

/**
 * Checks that a former id is not the current id of another item of its kind, and that only one item lists it. Otherwise it would be
 * ambiguous which item continues the history of the former id.
 */
export const previousIds: Rule = (draft) =>
  groupsOf(draft).flatMap(([kind, items]) => {
    const name = kind.replace('_', ' ')
    const present = new Set(items.map((item) => idOf(kind, item)))
    const first = new Map<string, string>()
    return items.flatMap((item) =>
      item.list('previous_ids').flatMap((previous, index) => {
        if (typeof previous !== 'string') return []
        const place = `${item.at('previous_ids')}/${pointerToken(String(index))}`
        if (present.has(previous))
          return [
            errorIssue(
              'previous_id_conflict',
              place,
              `The earlier id ${quoteValue(previous)} is the id of a current ${name}.`,
              'Remove it from `previous_ids`, or give the other item a new id.',
            ),
          ]
        const earlier = first.get(previous)
        if (earlier === undefined) {
          first.set(previous, place)
          return []
        }
        return [
          errorIssue(
            'previous_id_conflict',
            place,
            `The earlier id ${quoteValue(previous)} is listed twice; first at ${earlier}.`,
            `One ${name} takes over an earlier id: keep it in one place.`,
          ),
        ]
      }),
    )
  })

/** An earlier id and the current id of its item. */
export interface Alias {
  readonly kind: Kind
  readonly from: string
  readonly to: string
}

const known = new WeakMap<BillingConfig, readonly Alias[]>()

/**
 * Returns all former ids of the document with the current ids of their items. The result is cached as long as the document is in memory,
 * because each check of a feature needs it. This is safe because a document is never modified after it was read.
 */
export function aliasesOf(config: BillingConfig): readonly Alias[] {
  const aliases = known.get(config) ?? listAliases(config)
  known.set(config, aliases)
  return aliases
}

function listAliases(config: BillingConfig): readonly Alias[] {
  const of = (kind: Kind, items: readonly Partial<Pick<Webhook, 'id' | 'url' | 'connect' | 'previous_ids'>>[]) =>
    items.flatMap(({ id, url = '', connect, previous_ids = [] }) =>
      previous_ids.map((from) => ({ kind, from, to: webhookId({ id, url, connect }) })),
    )
  return [
    ...Object.entries(listed).flatMap(([list, kind]) => of(kind, config[list as ListName] ?? [])),
    ...config.products.flatMap(({ prices = [] }) => of('price', prices)),
  ]
}

/** Returns the current id for an id that a client may have stored before a rename. An id that is not a former id is returned unchanged. */
export function presentId(config: BillingConfig, kind: Kind, id: string): string {
  return aliasesOf(config).find((alias) => alias.kind === kind && alias.from === id)?.to ?? id
}
