/** Writes dist/ anew where it changed. */
export function buildPricingTable(): Promise<void>
