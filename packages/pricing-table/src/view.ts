import type { Offer } from './model.ts'
import type { Messages } from './words.ts'

/** What every part of a table needs to know to be drawn. */
export interface View {
  readonly words: Messages
  readonly locale: string
  readonly currency: string
  readonly images: boolean
  /** Where the button of an offer leads; null when it only tells the page. */
  readonly addressOf: (offer: Offer, quantity: number) => string | null
  /** Tells the page. False when the page wants nothing else to happen. */
  readonly select: (offer: Offer, quantity: number) => boolean
  /** What is set now of the quantity of a price, kept when the table is drawn anew. */
  readonly quantities: Map<string, number>
}
