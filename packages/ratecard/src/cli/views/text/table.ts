import type { Output } from '../../terminal/output.ts'
import { escapeBreaks, fillLines, visibleLength } from '../../terminal/terminal-text.ts'

interface Column {
  readonly title: string
  readonly align?: 'right'
}

export const rightColumn = (title: string): Column => ({ title, align: 'right' })

type TableStyle = Pick<Output, 'paint' | 'width'>
type Rows = readonly (readonly string[])[]

const gap = 2

/**
 * Formats a table of plain columns, two spaces apart, with a dimmed heading. Cells may contain colors. On a terminal the table fits the
 * width: texts of several words are wrapped, and a table that is still too wide is shown as records. Values are never truncated, so that
 * ids can be copied.
 */
export function formatTable(titles: readonly (string | Column)[], given: Rows, { paint, width }: TableStyle): string {
  const columns = titles.map((title): Column => (typeof title === 'string' ? { title } : title))
  const rows = given.map((cells) => cells.map(escapeBreaks))
  const natural = columns.map((column, index) =>
    Math.max(visibleLength(column.title), ...rows.map((row) => visibleLength(row[index] ?? ''))),
  )
  const least = columns.map((column, index) =>
    Math.max(column.title.length, ...rows.flatMap((row) => wordsOf(row[index] ?? '').map(visibleLength))),
  )
  const widths = shrinkColumns(natural, least, width - gap * (columns.length - 1))
  if (widths === null) return rows.map((row) => record(columns, row, paint)).join('\n\n')
  const line = (cells: readonly string[]) => {
    const wrapped = cells.map((cell, index) => wrapCell(cell, widths[index] ?? 0))
    const height = Math.max(1, ...wrapped.map((lines) => lines.length))
    return Array.from({ length: height }, (_, at) =>
      columns
        .map(({ align }, index) => {
          const cell = wrapped[index]?.[at] ?? ''
          const space = ' '.repeat(Math.max(0, (widths[index] ?? 0) - visibleLength(cell)))
          return align === 'right' ? space + cell : cell + space
        })
        .join(' '.repeat(gap))
        .trimEnd(),
    ).join('\n')
  }
  return [paint.dim(line(columns.map((column) => column.title))), ...rows.map(line)].join('\n')
}

/** Prints the table, or the text `empty` if it has no rows. */
export function printTable(out: Output, titles: Parameters<typeof formatTable>[0], rows: Rows, empty: string): void {
  if (rows.length === 0) out.say(empty)
  else out.print(formatTable(titles, rows, out))
}

/** Makes the widest columns narrower until the table fits. Returns null if even the longest words do not fit. */
function shrinkColumns(natural: readonly number[], least: readonly number[], room: number): number[] | null {
  const widths = [...natural]
  let excess = widths.reduce((sum, one) => sum + one, 0) - room
  if (least.reduce((sum, one) => sum + one, 0) > room) return null
  while (excess > 0) {
    const spare = widths.map((one, index) => (one > (least[index] ?? 0) ? one : -1))
    const widest = spare.indexOf(Math.max(...spare))
    widths[widest] = (widths[widest] ?? 0) - 1
    excess -= 1
  }
  return widths
}

/** Formats one row as a block of lines, one per column. */
function record(columns: readonly Column[], row: readonly string[], paint: TableStyle['paint']): string {
  const width = Math.max(...columns.map(({ title }) => title.length))
  return columns
    .map(({ title }, index) => `${paint.dim(title.padEnd(width))}  ${row[index] ?? ''}`.trimEnd())
    .join('\n')
}

/** Splits a cell at spaces. Colored text is not split, because its end sequence would move to another line. */
function wordsOf(cell: string): string[] {
  return cell.includes('\u001b') ? [cell] : cell.split(' ')
}

const wrapCell = (cell: string, width: number): string[] =>
  visibleLength(cell) <= width ? [cell] : fillLines(wordsOf(cell), width)

/** Converts an RFC 3339 time to e.g. `2026-11-21 03:49:01` (UTC). */
export function showTime(rfc3339: string | null): string {
  return rfc3339 === null ? '–' : rfc3339.replace('T', ' ').replace(/(\.\d+)?Z$/, '')
}
