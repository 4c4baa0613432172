/**
 * Text as both engines keep it: PostgreSQL refuses NUL, and neither can hold half of a surrogate pair.
 * Anything that is hashed must pass here first, or the hash would not match what is read back.
 */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD')
}

/** The same for a query parameter of any type. */
export function storableParameter(value: unknown): unknown {
  return typeof value === 'string' ? storable(value) : value
}
