import type { Turns } from '../turns.ts'

/** Below these the members of an answer are short. */
const levelsWithPauses = 4

/** The text that `JSON.stringify` gives, with a pause after each item of its lists and each member of its objects. */
export function* jsonTurns(value: unknown, levels = levelsWithPauses): Turns<string> {
  if (levels === 0 || typeof value !== 'object' || value === null || 'toJSON' in value) return JSON.stringify(value)
  let text = ''
  if (Array.isArray(value)) {
    for (const item of value) {
      text += `${text === '' ? '' : ','}${item === undefined ? 'null' : yield* jsonTurns(item, levels - 1)}`
      yield
    }
    return `[${text}]`
  }
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue
    text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${yield* jsonTurns(member, levels - 1)}`
    yield
  }
  return `{${text}}`
}
