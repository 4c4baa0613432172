// What a page loads: defines <ratecard-pricing-table>, once.
import { RatecardPricingTable } from './element.ts'

export { RatecardPricingTable }
export type { Selection } from './element.ts'

if (customElements.get('ratecard-pricing-table') === undefined)
  customElements.define('ratecard-pricing-table', RatecardPricingTable)

declare global {
  interface HTMLElementTagNameMap {
    'ratecard-pricing-table': RatecardPricingTable
  }
  interface HTMLElementEventMap {
    'ratecard-select': CustomEvent<import('./element.ts').Selection>
    'ratecard-error': CustomEvent<{ error: unknown }>
  }
}
