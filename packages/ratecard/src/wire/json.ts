import { holdMoreThan } from '../turns.ts'
import type { Turns } from '../turns.ts'

/** So many values are written in one go: a fraction of a millisecond. */
const valuesInOneGo = 250

/** The text that `JSON.stringify` gives, with a pause after each item of its lists and each member of its objects that are not small. */
export function* jsonTurns(value: unknown): Turns<string> {
  if (typeof value !== 'object' || value === null || 'toJSON' in value || !holdMoreThan(valuesInOneGo, [value]))
    return JSON.stringify(value)
  // Joined and not added up: a text of a hundred thousand additions is put together in one piece when somebody reads it.
  const parts: string[] = []
  if (Array.isArray(value)) {
    for (const item of value) {
      parts.push(item === undefined ? 'null' : yield* jsonTurns(item))
      yield
    }
    return `[${parts.join(',')}]`
  }
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue
    parts.push(`${JSON.stringify(name)}:${yield* jsonTurns(member)}`)
    yield
  }
  return `{${parts.join(',')}}`
}
