// Addresses from attributes and from the price list. Only http and https are accepted, so that an address cannot run script.

/** Address of the checkout for an offer. Null if the pattern is no http or https address. */
export function checkoutAddress(
  pattern: string,
  values: { readonly price_id: string; readonly quantity: number },
  base: string,
): string | null {
  const filled = pattern
    .replaceAll('{price_id}', encodeURIComponent(values.price_id))
    .replaceAll('{quantity}', String(values.quantity))
  return webAddress(filled, base)
}

/** The absolute http or https address. Null for any other text. */
export function webAddress(text: string, base: string): string | null {
  if (!URL.canParse(text, base)) return null
  const url = new URL(text, base)
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : null
}
