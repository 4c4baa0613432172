// Addresses that come from attributes and from the price list: only those that a browser opens as a page or shows as an image.

/** The address of a checkout; null for a pattern that leads to no web page, so that it cannot run script. */
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

/** Absolute, with http or https; else null. */
export function webAddress(text: string, base: string): string | null {
  if (!URL.canParse(text, base)) return null
  const url = new URL(text, base)
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : null
}
