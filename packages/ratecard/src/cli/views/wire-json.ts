type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

/** A result of the client as `--json` prints it: the wire's snake_case names at every level. */
export function toWireJson(value: unknown): Json {
  if (Array.isArray(value)) return value.map(toWireJson)
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value)
        .filter(([, inner]) => inner !== undefined)
        .map(([name, inner]) => [snake(name), toWireJson(inner)]),
    )
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  return null
}

const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
