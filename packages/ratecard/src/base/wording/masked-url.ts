// URLs of webhooks as keys of scope `read` see them: what stands before the host and the values of the query can be secrets.

/** Stands for what is not shown. A document that contains it in a URL is refused. */
export const mask = '***'

/** Returns the URL without userinfo and without values of its query, e.g. `https://***@a.test/?token=***`. Names of variables stay. */
export function maskedUrl(url: string): string {
  const [whole = '', query] = url.split(/\?(.*)/s)
  const place = whole.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#@]*@/i, `$1${mask}@`)
  if (query === undefined) return place
  const parts = query.split('&').map((part) => {
    const [name = '', value] = part.split(/=(.*)/s)
    if (value === undefined) return part === '' ? part : mask
    return value.startsWith('${') && value.endsWith('}') ? part : `${name}=${mask}`
  })
  return `${place}?${parts.join('&')}`
}
