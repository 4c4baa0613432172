/**
 * A decoded form: a map of names to values. A list is a map with the names 0, 1, 2 …, because the decoder does not know the types of the
 * parameters.
 */
export interface FormNode {
  [name: string]: FormValue
}
export type FormValue = string | FormNode

const maxDepth = 12

export function emptyForm(): FormNode {
  // The object has no prototype, so that `__proto__` and `constructor` are ordinary parameter names.
  return Object.create(null) as FormNode
}

export function isNode(value: FormValue | undefined): value is FormNode {
  return typeof value === 'object'
}

/**
 * Decodes `application/x-www-form-urlencoded` with brackets: `a[b]=1`, `a[0][b]=1`, `a[]=1`. Percent-encoding that cannot be decoded stays
 * as sent.
 */
export function decodeForm(text: string, into: FormNode = emptyForm()): FormNode {
  if (text === '') return into
  for (const pair of text.split('&')) {
    if (pair === '') continue
    const at = pair.indexOf('=')
    const name = decodeText(at < 0 ? pair : pair.slice(0, at))
    put(into, segmentsOf(name), at < 0 ? '' : decodeText(pair.slice(at + 1)))
  }
  return into
}

function decodeText(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    return spaced
  }
}

function segmentsOf(name: string): string[] {
  const bracket = name.indexOf('[')
  if (bracket <= 0 || !name.endsWith(']')) return [name]
  return [name.slice(0, bracket), ...name.slice(bracket + 1, -1).split('][')].slice(0, maxDepth)
}

function put(root: FormNode, segments: readonly string[], value: string): void {
  let node = root
  for (const [index, segment] of segments.entries()) {
    const rest = segments.slice(index + 1)
    const name = segment === '' && index > 0 ? nextIndex(node, rest) : segment
    if (rest.length === 0) {
      node[name] = value
      return
    }
    const inner = node[name]
    node = isNode(inner) ? inner : (node[name] = emptyForm())
  }
}

/**
 * Returns the index for a value in a list with empty brackets. A name that the last element already has begins a new element:
 * `tiers[][up_to]=1&tiers[][unit_amount]=2&tiers[][up_to]=inf` has two elements.
 */
function nextIndex(list: FormNode, rest: readonly string[]): string {
  const length = Object.keys(list).length
  const last = list[String(length - 1)]
  const continues = rest.length > 0 && isNode(last) && !has(last, rest)
  return String(continues ? length - 1 : length)
}

function has(node: FormNode, path: readonly string[]): boolean {
  let value: FormValue | undefined = node
  for (const name of path) {
    if (!isNode(value)) return false
    value = value[name]
  }
  return value !== undefined
}

/** Returns the elements of a list, sorted by index. Undefined if a name is not an index. */
export function elementsOf(node: FormNode): FormValue[] | undefined {
  const entries = Object.entries(node)
  if (!entries.every(([name]) => /^\d+$/.test(name))) return undefined
  return entries.sort(([a], [b]) => Number(a) - Number(b)).map(([, value]) => value)
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export type Plain = string | Plain[] | { [name: string]: Plain }

/** Converts a decoded form to plain objects and arrays, for logs and observers. */
export function toPlain(value: FormValue): Plain {
  if (!isNode(value)) return value
  const elements = elementsOf(value)
  if (elements !== undefined && elements.length > 0) return elements.map(toPlain)
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, toPlain(inner)]))
}

/** Converts JSON to the form that an official client would send. `null` becomes the empty string. */
export function fromJson(value: unknown): FormValue {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value
  if (typeof value !== 'object') return JSON.stringify(value)
  const node = emptyForm()
  for (const [name, inner] of Object.entries(value)) node[name] = fromJson(inner)
  return node
}

/** Serializes a form so that the order of its names does not matter. The fingerprint of a request with an idempotency key needs that. */
export function canonical(value: FormValue): string {
  if (!isNode(value)) return JSON.stringify(value)
  const names = Object.keys(value).sort()
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name] ?? '')}`).join(',')}}`
}
