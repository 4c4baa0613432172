import type { Offer } from './model.ts'
import type { Messages } from './words.ts'

/** Context that every part of a table needs for rendering. */
export interface View {
  readonly words: Messages
  readonly locale: string
  readonly currency: string
  readonly images: boolean
  /** Returns the URL of an offer's button. Null if the button only emits an event. */
  readonly addressOf: (offer: Offer, quantity: number) => string | null
  /** Emits `ratecard-select`. Returns false if the page cancelled the event. */
  readonly select: (offer: Offer, quantity: number) => boolean
  /** Chosen quantity by price. It survives rendering the table again. */
  readonly quantities: Map<string, number>
}
