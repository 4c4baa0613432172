/**
 * Returns the text in a form that both engines store unchanged. PostgreSQL refuses NUL characters, and neither engine stores half of a
 * surrogate pair. Call this before hashing a text; otherwise the hash would not match the stored text.
 */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD')
}

/** Applies {@link storable} to a query parameter; values other than text are returned unchanged. */
export function storableParameter(value: unknown): unknown {
  return typeof value === 'string' ? storable(value) : value
}
