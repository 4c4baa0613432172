// Reads JSON in turns, so that a body of megabytes holds nobody up, and takes nothing that could surprise what comes after: no
// prototype members, no name twice in one object (which of the two would be meant?), no depth that breaks recursive code.
import type { Turns } from '../../turns.ts'
import { pointerOf } from '../../errors/issue.ts'
import { ServiceError } from '../../errors/service-error.ts'

/** Between two pauses. */
const charactersInOneGo = 32 * 1024
const maxDepth = 64
/** Whoever walks over an object gets all of its names in one piece. */
const mostMembers = 10_000

const numberForm = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const words: Readonly<Record<string, readonly [text: string, value: boolean | null]>> = {
  t: ['true', true],
  f: ['false', false],
  n: ['null', null],
}

interface Frame {
  /** One of the two is there: what is being filled. */
  readonly list: unknown[] | null
  readonly members: Record<string, unknown> | null
  count: number
  /** Name of the member that the value to come belongs to; undefined in an array. */
  name: string | undefined
}

/** What may stand at a place of the text; `first` is that of a list or an object that has only begun. */
type Expected = 'value' | 'first value' | 'name' | 'first name' | 'end of value'

export function malformed(detail: string, path: readonly (string | number)[] = []): ServiceError {
  return new ServiceError('json_malformed', detail, {
    issues: [{ code: 'syntax', pointer: pointerOf(path), severity: 'error', detail }],
  })
}

/** The value that `JSON.parse` gives; throws ServiceError `json_malformed`, with the place where there is one. */
export function* readJsonTurns(text: string): Turns<unknown> {
  const frames: Frame[] = []
  let root: unknown
  let expected: Expected = 'value'
  let rested = 0
  let position = 0

  const path = () => frames.map(({ name, count }) => name ?? count)
  const place = (value: unknown, frame: Frame | undefined): void => {
    if (frame === undefined) root = value
    else if (frame.list !== null) frame.list.push(value)
    else if (frame.members !== null) frame.members[frame.name ?? ''] = value
  }

  for (;;) {
    if (position - rested > charactersInOneGo) {
      rested = position
      yield
    }
    position = afterBlanks(text, position)
    const frame = frames.at(-1)
    const sign = text[position]

    if (expected === 'end of value') {
      if (frame === undefined) {
        if (sign !== undefined) throw notJson(text, position)
        return root
      }
      if (sign === ',') {
        frame.count++
        expected = frame.list === null ? 'name' : 'value'
      } else if (sign === (frame.list === null ? '}' : ']')) frames.pop()
      else throw notJson(text, position)
      position++
      continue
    }
    if ((expected === 'first value' && sign === ']') || (expected === 'first name' && sign === '}')) {
      frames.pop()
      expected = 'end of value'
      position++
      continue
    }
    if (frame !== undefined && (expected === 'name' || expected === 'first name')) {
      if (sign !== '"') throw notJson(text, position)
      const end = endOfString(text, position)
      frame.name = stringAt(text, position, end)
      position = afterBlanks(text, end)
      if (text[position] !== ':') throw notJson(text, position)
      position++
      const { name, members } = frame
      if (members !== null && Object.hasOwn(members, name))
        throw malformed(`The member "${name}" comes twice in one object.`, path())
      if (name === '__proto__') throw malformed('A member must not be called "__proto__".', path())
      if (frame.count >= mostMembers)
        throw malformed(`An object has more than ${String(mostMembers)} members.`, path().slice(0, -1))
      expected = 'value'
      continue
    }

    expected = 'end of value'
    if (sign === '"') {
      const end = endOfString(text, position)
      place(stringAt(text, position, end), frame)
      position = end
    } else if (sign === '{' || sign === '[') {
      if (frames.length === maxDepth)
        throw malformed(`The body is nested more than ${String(maxDepth)} levels deep.`, path())
      const list: unknown[] | null = sign === '[' ? [] : null
      const members: Record<string, unknown> | null = sign === '{' ? {} : null
      place(list ?? members, frame)
      frames.push({ list, members, count: 0, name: undefined })
      expected = list === null ? 'first name' : 'first value'
      position++
    } else {
      const word = words[sign ?? '']
      numberForm.lastIndex = position
      if (word !== undefined && text.startsWith(word[0], position)) {
        place(word[1], frame)
        position += word[0].length
      } else if (word === undefined && numberForm.test(text)) {
        place(Number(text.slice(position, numberForm.lastIndex)), frame)
        position = numberForm.lastIndex
      } else throw notJson(text, position)
    }
  }
}

function afterBlanks(text: string, start: number): number {
  let position = start
  for (;;) {
    const sign = text.charCodeAt(position)
    if (sign !== 0x20 && sign !== 0x0a && sign !== 0x0d && sign !== 0x09) return position
    position++
  }
}

/** Behind the closing quote of the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  for (let position = start + 1; position < text.length; position++) {
    const sign = text.charCodeAt(position)
    if (sign === 0x5c) position++
    else if (sign === 0x22) return position + 1
  }
  throw notJson(text, text.length)
}

/** A text of its own: a part of the body would keep the whole body in memory. */
function stringAt(text: string, start: number, end: number): string {
  try {
    return JSON.parse(text.slice(start, end)) as string
  } catch {
    throw notJson(text, start)
  }
}

/** The body is not repeated: it may hold a secret. */
function notJson(text: string, position: number): ServiceError {
  if (position >= text.length) return malformed('The body is not JSON: it ends too early.')
  let [line, lineStart] = [1, 0]
  for (let end = text.indexOf('\n'); end >= 0 && end < position; end = text.indexOf('\n', lineStart)) {
    line++
    lineStart = end + 1
  }
  const column = position - lineStart + 1
  return malformed(`The body is not JSON: it cannot be read from line ${String(line)}, column ${String(column)} on.`)
}
