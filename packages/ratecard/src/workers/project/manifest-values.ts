export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue }

export type Table = Readonly<Record<string, unknown>>

export function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}

/** True for a valid calendar date written as `YYYY-MM-DD`. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false
  const time = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

/** Returns the value as JSON. Undefined if the value, or a value inside it, has no JSON form (e.g. a TOML date). */
export function toJson(value: unknown): JsonValue | undefined {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  if (Array.isArray(value)) {
    const items = value.map(toJson)
    return items.every((item) => item !== undefined) ? items : undefined
  }
  if (!isTable(value)) return undefined
  const entries = Object.entries(value).map(([key, item]) => [key, toJson(item)] as const)
  const known = entries.filter((entry): entry is readonly [string, JsonValue] => entry[1] !== undefined)
  return known.length === entries.length ? Object.fromEntries(known) : undefined
}
