import type { Paint } from '../output.ts'
import { inline, seen } from '../terminal-text.ts'

export interface Column {
  readonly title: string
  readonly align?: 'right'
}

/** Plain columns, two spaces apart, the heading dimmed. Cells may hold colours. */
export function table(columns: readonly Column[], given: readonly (readonly string[])[], paint: Paint): string {
  const rows = given.map((cells) => cells.map(inline))
  const widths = columns.map((column, index) =>
    Math.max(column.title.length, ...rows.map((row) => visibleLength(row[index] ?? ''))),
  )
  const line = (cells: readonly string[]) =>
    columns
      .map((column, index) => {
        const cell = cells[index] ?? ''
        const gap = ' '.repeat(Math.max(0, (widths[index] ?? 0) - visibleLength(cell)))
        return column.align === 'right' ? gap + cell : cell + gap
      })
      .join('  ')
      .trimEnd()
  return [paint.dim(line(columns.map((column) => column.title))), ...rows.map(line)].join('\n')
}

const graphemes = new Intl.Segmenter('en')

export function visibleLength(text: string): number {
  return [...graphemes.segment(seen(text))].length
}

/** `2026-11-21 03:49:01` in UTC, from an RFC 3339 time. */
export function showTime(rfc3339: string | null): string {
  return rfc3339 === null ? '–' : rfc3339.replace('T', ' ').replace(/(\.\d+)?Z$/, '')
}
