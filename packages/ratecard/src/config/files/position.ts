import type { Issue } from '../../errors/issue.ts'

/** 1-based line and column (in UTF-16 units). */
export interface Position {
  readonly line: number
  readonly column: number
}

export interface SourceLocation extends Position {
  readonly path: string
}

export type PlacedIssue = Issue & SourceLocation

/** Result of parsing one format. */
export interface ParsedText {
  /** undefined if the text could not be parsed. */
  readonly document: unknown
  readonly issues: readonly (Issue & Position)[]
  readonly locate: (pointer: string) => Position | undefined
}

export function syntaxIssue(detail: string, position: Position, pointer = '#', hint?: string): Issue & Position {
  return { code: 'syntax', pointer, severity: 'error', detail, ...(hint === undefined ? {} : { hint }), ...position }
}

/** A duplicate key is an error, because parsers silently drop one of the two values. */
export function duplicateKey(name: string, pointer: string, position: Position): Issue & Position {
  return syntaxIssue(`The key "${name}" is given twice in one object.`, position, pointer, 'Remove one of the two.')
}

/** Converts offsets to lines and columns by binary search over the line starts. */
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
