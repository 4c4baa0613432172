const around = 2
const widest = 100

/**
 * Returns the lines around a position (1-based) with a caret below the position. Control characters of the file are replaced, so that the
 * text is safe to print.
 */
export function codeFrame(text: string, line: number, column: number): string {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)
  const first = Math.max(1, line - around)
  const last = Math.min(lines.length, line + around)
  const gutter = String(last).length
  // All lines of the frame show the same range of columns around the position. So for a long line (e.g. of a minified file) the position is
  // visible.
  const start = Math.max(0, column - 1 - widest / 2 > widest / 4 ? column - 1 - widest / 2 : 0)
  const frame: string[] = []
  for (let number = first; number <= last; number++) {
    const marker = number === line ? '>' : ' '
    frame.push(
      `${marker} ${String(number).padStart(gutter)} | ${visiblePart(lines[number - 1] ?? '', start)}`.trimEnd(),
    )
    if (number === line)
      frame.push(`  ${' '.repeat(gutter)} | ${' '.repeat(column - 1 - start + (start > 0 ? 1 : 0))}^`)
  }
  return frame.join('\n')
}

function visiblePart(line: string, start: number): string {
  const part = line.slice(start, start + widest)
  // A tab becomes one space, so that the caret stays in its column. Other control characters are replaced, because they could manipulate
  // the terminal.
  const plain = part.replace(/\t/g, ' ').replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '·')
  return `${start > 0 && line.length > 0 ? '…' : ''}${plain}${line.length > start + widest ? '…' : ''}`
}
