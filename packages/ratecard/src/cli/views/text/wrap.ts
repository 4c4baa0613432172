// Wraps text for the terminal at spaces.
import { visibleLength } from '../../terminal/terminal-text.ts'

/** Wraps a text to the width, with `indent` spaces before each line but the first. Words longer than a line stay whole. */
export function wrapText(text: string, width: number, indent = 0): string {
  if (!Number.isFinite(width)) return text
  const room = Math.max(20, width - indent)
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && visibleLength(`${last} ${word}`) <= room) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines.join(`\n${' '.repeat(indent)}`)
}
