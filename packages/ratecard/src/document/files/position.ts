import type { Issue } from '../../base/errors/issue.ts'

/** Line and column of a position in a text, both starting at 1. Columns count UTF-16 units. */
export interface Position {
  readonly line: number
  readonly column: number
}

export interface SourceLocation extends Position {
  readonly path: string
}

export type PlacedIssue = Issue & SourceLocation

/** Result of parsing a text as JSON or YAML. */
export interface ParsedText {
  /** The parsed value; undefined if the text could not be parsed. */
  readonly document: unknown
  readonly issues: readonly (Issue & Position)[]
  readonly locate: (pointer: string) => Position | undefined
}

export function syntaxIssue(detail: string, position: Position, pointer = '#', hint?: string): Issue & Position {
  return { code: 'syntax', pointer, severity: 'error', detail, ...(hint === undefined ? {} : { hint }), ...position }
}

/** Returns the issue for a duplicate key. It is an error, because parsers silently drop one of the two values. */
export function duplicateKey(name: string, pointer: string, position: Position): Issue & Position {
  return syntaxIssue(`The key "${name}" is given twice in one object.`, position, pointer, 'Remove one of the two.')
}

/** Converts offsets in a text to lines and columns, by binary search over the starts of lines. */
export class LineIndex {
  readonly #starts: number[] = [0]

  constructor(text: string) {
    for (const match of text.matchAll(/\r\n|\n|\r/g)) this.#starts.push(match.index + match[0].length)
  }

  at(offset: number): Position {
    let low = 0
    let high = this.#starts.length - 1
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((this.#starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: offset - (this.#starts[low] ?? 0) + 1 }
  }
}
