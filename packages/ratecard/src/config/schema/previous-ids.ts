// Earlier ids of renamed items: `previous_ids` of every kind. What the ids mean to each other, and which item an old id is now.
import { pointerToken } from '../../errors/issue.ts'
import { problem, quoted } from '../rules/draft.ts'
import type { Draft, Entry, Rule } from '../rules/draft.ts'
import { webhookId } from './ids.ts'
import type { BillingConfig } from './schema.ts'

/** The lists of a document that hold items; one that the schema gains and this table lacks does not compile. */
type ListName = {
  [Name in keyof BillingConfig]-?: NonNullable<BillingConfig[Name]> extends readonly object[] ? Name : never
}[keyof BillingConfig]

const listed = {
  features: 'feature',
  meters: 'meter',
  products: 'product',
  coupons: 'coupon',
  promotion_codes: 'promotion_code',
  webhooks: 'webhook',
} as const satisfies Record<ListName, string>

/** Every list of items that a document may hold. */
export const listNames = Object.keys(listed) as readonly ListName[]

type Kind = (typeof listed)[ListName] | 'price'

/** The items of each kind; prices of all products are one kind. */
function groupsOf(draft: Draft): readonly (readonly [Kind, readonly Entry[]])[] {
  const lists = Object.entries(listed).map(([list, kind]) => [kind, draft.root.entries(list)] as const)
  return [...lists, ['price', draft.prices]]
}

function idOf(kind: Kind, entry: Entry): string | undefined {
  const [id, url] = [entry.text('id'), entry.text('url')]
  return id ?? (kind === 'webhook' && url !== undefined ? webhookId({ url }) : undefined)
}

/** An earlier id is no present id of its kind, and belongs to one item: else nobody could say whose history it is. */
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
            problem(
              'previous_id_conflict',
              place,
              `The earlier id ${quoted(previous)} is the id of a present ${name}.`,
              'Remove it here, or give the other one a new id.',
            ),
          ]
        const earlier = first.get(previous)
        if (earlier === undefined) {
          first.set(previous, place)
          return []
        }
        return [
          problem(
            'previous_id_conflict',
            place,
            `The earlier id ${quoted(previous)} stands twice; first at ${earlier}.`,
            `One ${name} takes over an earlier id: keep it in one place.`,
          ),
        ]
      }),
    )
  })

/** An earlier id of a document, and the item that it is now. */
export interface Alias {
  readonly kind: Kind
  readonly from: string
  readonly to: string
}

/** Every earlier id that the document names, with the present one. */
export function aliasesOf(config: BillingConfig): readonly Alias[] {
  const of = (kind: Kind, items: readonly { readonly id?: string; readonly url?: string; previous_ids?: string[] }[]) =>
    items.flatMap(({ id, url = '', previous_ids = [] }) =>
      previous_ids.map((from) => ({ kind, from, to: id ?? webhookId({ url }) })),
    )
  return [
    ...Object.entries(listed).flatMap(([list, kind]) => of(kind, config[list as ListName] ?? [])),
    ...config.products.flatMap(({ prices = [] }) => of('price', prices)),
  ]
}

/** The id that an item has now, of the id that a reader may have kept from before. An id that is nobody's earlier one stays. */
export function presentId(config: BillingConfig, kind: Kind, id: string): string {
  return aliasesOf(config).find((alias) => alias.kind === kind && alias.from === id)?.to ?? id
}
