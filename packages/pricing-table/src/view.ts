import type { Offer } from './model.ts'
import type { Standing } from './present.ts'
import type { Messages } from './words.ts'

/** Context that every part of a table needs for rendering. */
export interface View {
  readonly words: Messages
  readonly locale: string
  readonly currency: string
  readonly images: boolean
  /** Level of the headings of the cards, 2 to 5. */
  readonly headingLevel: 2 | 3 | 4 | 5
  /** True: whole amounts have no decimals, e.g. €14. */
  readonly trimsZeros: boolean
  /** Returns the URL of an offer's button. Null if the button only emits an event. */
  readonly addressOf: (offer: Offer, quantity: number) => string | null
  /** Emits `ratecard-select`. Returns false if the page cancelled the event. `name` is the offer's name for the title of a dialog. */
  readonly select: (offer: Offer, quantity: number, name: string) => boolean
  /** Returns the relation of an offer to what the viewing tenant has. */
  readonly standingOf: (offer: Offer) => Standing
  /** Chosen quantity by price. It survives rendering the table again. */
  readonly quantities: Map<string, number>
}
