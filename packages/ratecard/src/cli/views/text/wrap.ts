// Wraps text for the terminal at spaces.
import { fillLines } from '../../terminal/terminal-text.ts'

/** Wraps a text to the width, with `indent` spaces before each line but the first. Words longer than a line stay whole. */
export function wrapText(text: string, width: number, indent = 0): string {
  if (!Number.isFinite(width)) return text
  return fillLines(text.split(' '), Math.max(20, width - indent)).join(`\n${' '.repeat(indent)}`)
}
