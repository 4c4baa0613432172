// Strict JSON parser for input from the network. It rejects duplicate names in an object, because `JSON.parse` would silently drop one of
// the two values. It also rejects nesting so deep that recursive functions would overflow the stack.
import { visit } from 'jsonc-parser'
import { pointerOf, type Issue } from '../../base/errors/issue.ts'
import { LineIndex } from './position.ts'

const maxDepth = 64
const maxMembers = 10_000

/** Result of parsing: the value that `JSON.parse` returns, or the first issue with its position. */
export type ReadJson =
  { readonly value: unknown; readonly issue: null } | { readonly value: undefined; readonly issue: Issue }

export function readJson(text: string): ReadJson {
  let value: unknown
  let isJson = true
  try {
    value = JSON.parse(text)
  } catch {
    isJson = false
  }
  const issue = firstIssue(text, isJson)
  return issue === null ? { value, issue } : { value: undefined, issue }
}

export function malformed(detail: string, path: readonly (string | number)[] = []): Issue {
  return { code: 'syntax', pointer: pointerOf(path), severity: 'error', detail }
}

/** Thrown by the visitor's callbacks, because there is no other way to end a visit early. */
class Found extends Error {
  readonly issue: Issue

  constructor(issue: Issue) {
    super(issue.detail)
    this.issue = issue
  }
}

function firstIssue(text: string, isJson: boolean): Issue | null {
  const objects: Set<string>[] = []
  let depth = 0
  const enter = (path: readonly (string | number)[]): void => {
    depth++
    if (depth > maxDepth)
      throw new Found(malformed(`The body is nested more than ${String(maxDepth)} levels deep.`, path))
  }
  try {
    visit(
      text,
      {
        onArrayBegin: (_offset, _length, _line, _character, pathOf) => {
          enter(depth < maxDepth ? [] : pathOf())
        },
        onArrayEnd: () => {
          depth--
        },
        onObjectBegin: (_offset, _length, _line, _character, pathOf) => {
          enter(depth < maxDepth ? [] : pathOf())
          objects.push(new Set())
        },
        onObjectEnd: () => {
          depth--
          objects.pop()
        },
        onObjectProperty: (name, _offset, _length, _line, _character, pathOf) => {
          const names = objects.at(-1)
          if (names?.has(name) === true)
            throw new Found(malformed(`The member "${name}" occurs twice in one object.`, [...pathOf(), name]))
          if (name === '__proto__')
            throw new Found(malformed('A member must not be called "__proto__".', [...pathOf(), name]))
          if (names?.size === maxMembers)
            throw new Found(malformed(`An object has more than ${String(maxMembers)} members.`, pathOf()))
          names?.add(name)
        },
        onError: (_error, offset, length) => {
          // `JSON.parse` decides whether the text is JSON. The visitor is used only to locate the first error.
          if (!isJson) throw new Found(notJson(text, offset, length))
        },
      },
      { disallowComments: true },
    )
  } catch (error) {
    if (error instanceof Found) return error.issue
    throw error
  }
  return isJson ? null : malformed('The body is not JSON.')
}

/** Returns the issue for a text that is not JSON. Its message never quotes the body, because the body may contain a secret. */
function notJson(text: string, offset: number, length: number): Issue {
  const isCutString = text[offset] === '"' && offset + length >= text.length
  if (offset >= text.length || isCutString) return malformed('The body is not JSON: it ends too early.')
  const { line, column } = new LineIndex(text).at(offset)
  return malformed(`The body is not JSON: the error is at line ${String(line)}, column ${String(column)} on.`)
}
