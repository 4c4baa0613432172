/**
 * Returns text in the form that both engines store unchanged: PostgreSQL refuses NUL, and neither stores half of a surrogate pair. Text
 * that is hashed must pass here first, otherwise the hash would not match the text read back.
 */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD')
}

/** Applies {@link storable} to a query parameter; values other than text are returned unchanged. */
export function storableParameter(value: unknown): unknown {
  return typeof value === 'string' ? storable(value) : value
}
