// This file is also bundled for browsers, so it must not use Node.js APIs.

/** Returns JSON with sorted keys and without spaces. Undefined members are left out. Equal values have equal text. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return value === undefined ? 'null' : JSON.stringify(value)
  let text = ''
  if (Array.isArray(value)) {
    for (const item of value) text += `${text === '' ? '' : ','}${canonicalJson(item)}`
    return `[${text}]`
  }
  // Concatenates strings instead of building arrays, because large plans are serialized here.
  for (const key of Object.keys(value).sort()) {
    const member = (value as Readonly<Record<string, unknown>>)[key]
    if (member !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(member)}`
  }
  return `{${text}}`
}
