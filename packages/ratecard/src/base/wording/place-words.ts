// Words for a place in a document that is in no file, e.g. that of an earlier revision: the ids of its objects instead of their positions.

/**
 * Returns the place that a JSON pointer (as a URI fragment) names, e.g. `product backup, price backup_monthly, amount` for
 * `#/products/7/prices/0/amount`. An object without an id is counted from 1. A pointer to an object that the document does not have is
 * returned unchanged, like one to the whole document.
 */
export function placeWords(document: unknown, pointer: string): string {
  const parts = pointer
    .replace(/^#?\/?/, '')
    .split('/')
    .filter((part) => part !== '')
    .map(decodePart)
  const words: string[] = []
  let value = document
  for (const [index, part] of parts.entries()) {
    if (/^\d+$/.test(part) && !isObject(value)) return pointer
    const list = Array.isArray(value) ? (parts[index - 1] ?? '') : null
    value = isObject(value) ? (value as Readonly<Record<string, unknown>>)[part] : undefined
    if (list === null) words.push(part.replaceAll('_', ' '))
    else words[words.length - 1] = `${nounOf(list)} ${nameOf(value, part)}`
  }
  return words.length === 0 ? pointer : words.join(', ')
}

const decodePart = (part: string) => {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return part
  }
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null

/** Returns the noun for one object of a list of the document: `promotion_codes` is `promotion code`. */
const nounOf = (list: string) => list.replaceAll('_', ' ').replace(/s$/, '')

function nameOf(value: unknown, index: string): string {
  const id = isObject(value) && 'id' in value ? (value as { readonly id: unknown }).id : undefined
  return typeof id === 'string' ? id : String(Number(index) + 1)
}
