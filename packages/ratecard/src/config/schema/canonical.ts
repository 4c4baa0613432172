// Bundled for browsers as well, so Node.js APIs must not be used here.

/** JSON with sorted keys and without spaces. Members that are undefined are left out. Equal values have equal text. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return value === undefined ? 'null' : JSON.stringify(value)
  let text = ''
  if (Array.isArray(value)) {
    for (const item of value) text += `${text === '' ? '' : ','}${canonicalJson(item)}`
    return `[${text}]`
  }
  // String concatenation instead of intermediate arrays, because large plans are serialized here.
  for (const key of Object.keys(value).sort()) {
    const member = (value as Readonly<Record<string, unknown>>)[key]
    if (member !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(member)}`
  }
  return `{${text}}`
}
