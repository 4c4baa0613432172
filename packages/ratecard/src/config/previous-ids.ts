// Earlier ids of renamed items: `previous_ids` of every kind. What the ids mean to each other, and which item an old id is now.
import { pointerToken } from '../errors/issue.ts'
import { problem, quoted } from './draft.ts'
import type { Draft, Entry, Rule } from './draft.ts'
import { webhookId } from './ids.ts'
import type { BillingConfig } from './schema.ts'

interface Kind {
  readonly name: string
  readonly entries: (draft: Draft) => readonly Entry[]
  readonly idOf?: (entry: Entry) => string | undefined
}

const kinds: readonly Kind[] = [
  { name: 'product', entries: (draft) => draft.products.map(({ product }) => product) },
  { name: 'price', entries: (draft) => draft.prices },
  { name: 'meter', entries: (draft) => draft.meters },
  { name: 'coupon', entries: (draft) => draft.coupons },
  { name: 'promotion code', entries: (draft) => draft.promotionCodes },
  {
    name: 'webhook',
    entries: (draft) => draft.webhooks,
    idOf: (entry) => {
      const url = entry.text('url')
      return entry.text('id') ?? (url === undefined ? undefined : webhookId({ url }))
    },
  },
]

/** An earlier id is no present id of its kind, and belongs to one item: else nobody could say whose history it is. */
export const previousIds: Rule = (draft) =>
  kinds.flatMap(({ name, entries, idOf = (entry) => entry.text('id') }) => {
    const items = entries(draft)
    const present = new Set(items.map(idOf))
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
  readonly kind: 'feature' | 'meter' | 'product' | 'price' | 'coupon' | 'promotion_code' | 'webhook'
  readonly from: string
  readonly to: string
}

type Renamed = { readonly id: string; readonly previous_ids?: readonly string[] }

/** Every earlier id that the document names, with the present one. */
export function aliasesOf(config: BillingConfig): readonly Alias[] {
  const of = (kind: Alias['kind'], items: readonly Renamed[] = []) =>
    items.flatMap(({ id, previous_ids = [] }) => previous_ids.map((from) => ({ kind, from, to: id })))
  return [
    ...of('feature', config.features),
    ...of('meter', config.meters),
    ...of('product', config.products),
    ...config.products.flatMap(({ prices }) => of('price', prices)),
    ...of('coupon', config.coupons),
    ...of('promotion_code', config.promotion_codes),
    ...of(
      'webhook',
      (config.webhooks ?? []).map((webhook) => ({ ...webhook, id: webhookId(webhook) })),
    ),
  ]
}
