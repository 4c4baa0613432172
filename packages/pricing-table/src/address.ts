// Checks URLs from attributes and from the price list. Accepts only http and https, so that a URL cannot run script.

/** Returns the checkout URL of an offer: `pattern` with its placeholders filled in. null if the result is no http or https URL. */
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

/** Returns the text as an absolute http or https URL. Null for any other text. */
export function webAddress(text: string, base: string): string | null {
  if (!URL.canParse(text, base)) return null
  const url = new URL(text, base)
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : null
}
