// Entry point for pages: defines <ratecard-pricing-table> once. On a server without a DOM it defines nothing.
import { RatecardPricingTable, type Selection } from './element.ts'

export { RatecardPricingTable }
export type { Selection }

if (typeof customElements !== 'undefined' && customElements.get('ratecard-pricing-table') === undefined)
  customElements.define('ratecard-pricing-table', RatecardPricingTable)

declare global {
  interface HTMLElementTagNameMap {
    'ratecard-pricing-table': RatecardPricingTable
  }
  interface HTMLElementEventMap {
    'ratecard-select': CustomEvent<Selection>
    'ratecard-changed': CustomEvent<unknown>
    'ratecard-error': CustomEvent<{ readonly error: unknown }>
  }
}
