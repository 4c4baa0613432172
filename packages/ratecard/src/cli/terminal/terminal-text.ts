// Sanitizes all text for the terminal. Names, messages and URLs come from documents, servers and the processor. A control character in such
// a text could redraw the plan under approval, hide a line of it, or set the window title.
import { randomInt } from 'node:crypto'
import { eastAsianWidth } from 'get-east-asian-width'
import picocolors from 'picocolors'
import type { CliIo, Sink } from './io.ts'

export type Paint = ReturnType<typeof picocolors.createColors>

// Random marker after each escape character that the CLI itself writes. It is removed before writing. Foreign text cannot contain it,
// because it is not predictable.
const mark = String.fromCharCode(...Array.from({ length: 6 }, () => randomInt(0xe000, 0xf8ff)))
const ownSequence = `\u001b${mark}(\\[[0-9;?]*[A-Za-z]|\\r)`

/** Adds the marker to a control sequence of the CLI, e.g. `\u001b[2K`, so that {@link sanitize} keeps it. */
export function markSequence(sequence: string): string {
  return sequence.startsWith('\u001b') ? `\u001b${mark}${sequence.slice(1)}` : `\u001b${mark}${sequence}`
}

/** Returns the visible text, i.e. without the CLI's own control sequences. */
export function visibleText(text: string): string {
  return text.replaceAll(new RegExp(ownSequence, 'g'), '')
}

const graphemes = new Intl.Segmenter('en')

/** Returns how many cells of the terminal a text takes: two for a Chinese, Japanese or Korean character and for an emoji. */
export function visibleLength(text: string): number {
  const visible = visibleText(text)
  if (/^[ -~]*$/.test(visible)) return visible.length
  return [...graphemes.segment(visible)].reduce((sum, { segment }) => sum + cellsOf(segment), 0)
}

const cellsOf = (grapheme: string) => (grapheme.includes('\ufe0f') ? 2 : eastAsianWidth(grapheme.codePointAt(0) ?? 0))

/**
 * Breaks the lines that are longer than the width at spaces, so that the terminal does not break them within words. A continued line is
 * indented by two more spaces. Words longer than a line stay whole.
 */
export function wrapLines(text: string, width: number): string {
  if (!Number.isFinite(width)) return text
  return text
    .split('\n')
    .flatMap((line) => (visibleLength(line) <= width ? [line] : wrapLine(line, width)))
    .join('\n')
}

function wrapLine(line: string, width: number): string[] {
  const margin = /^ */.exec(line)?.[0] ?? ''
  const hanging = margin.length + 2 > width / 2 ? margin : `${margin}  `
  const [first = '', ...others] = line.slice(margin.length).split(' ')
  return fillLines([`${margin}${first}`, ...others], width, hanging).map((one) => one.trimEnd())
}

/** Puts words on lines of at most `width` cells, each line but the first after `hanging`. A word longer than a line stays whole. */
export function fillLines(words: readonly string[], width: number, hanging = ''): string[] {
  const lines: string[] = []
  for (const word of words) {
    const last = lines.at(-1)
    if (last === undefined) lines.push(word)
    else if (visibleLength(last) + 1 + visibleLength(word) <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(`${hanging}${word}`)
  }
  return lines
}

/** Creates color functions whose control sequences contain the marker. */
export function createPaint(enabled: boolean): Paint {
  const plain = picocolors.createColors(false)
  if (!enabled) return plain
  const colors = picocolors.createColors(true)
  const painted = Object.entries(colors).flatMap(([name, color]) => {
    if (typeof color !== 'function') return []
    const [begin = '', end = ''] = (color as (text: string) => string)('\n')
      .split('\n')
      .map((sequence) => (sequence === '' ? '' : markSequence(sequence)))
    // After a nested color ends, the outer color is restored.
    const paint = (text: string | number) => `${begin}${String(text).replaceAll(end, end + begin)}${end}`
    return [[name, paint] as const]
  })
  return { ...plain, ...(Object.fromEntries(painted) as Partial<Paint>), isColorSupported: true }
}

// Unsafe characters: control and format characters (e.g. bidirectional overrides, invisible characters), line separators and lone
// surrogates. Exceptions: the two joiners that scripts and emoji need, the soft hyphen, tabs and line breaks. Values that must stay on one
// line go through `inline`.
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu
const kept = new Set(['\n', '\t', '\u200c', '\u200d', '\u00ad'])

/** Escapes unsafe characters, e.g. as `\u001b`. Keeps the CLI's own control sequences. */
export function sanitize(text: string): string {
  let result = ''
  let position = 0
  for (const match of text.matchAll(new RegExp(ownSequence, 'g'))) {
    result += escapeUnsafe(text.slice(position, match.index)) + ownOf(match[1] ?? '')
    position = match.index + match[0].length
  }
  return result + escapeUnsafe(text.slice(position))
}

/** Escapes line breaks in a foreign value, so that it stays on one line. Otherwise the value could forge a line of the plan. */
export function escapeBreaks(text: string): string {
  return text.replaceAll(/\r\n|[\n\t]/g, (match) => (match === '\t' ? ' ' : '\\n'))
}

const ownOf = (sequence: string) => (sequence === '\r' ? '\r' : `\u001b${sequence}`)
const escapeUnsafe = (text: string) =>
  text.replaceAll(unsafe, (character) => (kept.has(character) ? character : character.split('').map(codeOf).join('')))
/** Escapes a character as JSON does, so that JSON output keeps its meaning. */
const codeOf = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Wraps `io` so that all output is sanitized and registered secrets are redacted. */
export function terminalIo(io: CliIo): CliIo {
  const secrets = new Map<string, string>()
  const shown = (text: string) => {
    let result = text
    for (const [value, name] of secrets) result = withoutSecret(result, value, `\${${name}}`)
    return sanitize(result)
  }
  const sink = (stream: Sink): Sink => ({
    write: (text) => {
      stream.write(shown(text))
    },
    ...(stream.isLog === undefined ? {} : { isLog: stream.isLog }),
    // Getters, because the window may be resized.
    get isTTY() {
      return stream.isTTY
    },
    get columns() {
      return stream.columns
    },
  })
  return {
    ...io,
    stdout: sink(io.stdout),
    stderr: sink(io.stderr),
    confirm: (question) => io.confirm(shown(question)),
    ask: (question) => io.ask(shown(question)),
    shown,
    redact(name, value) {
      // Very short values are not redacted, because they would also match ordinary text.
      if (value.length < minSecretLength) return
      secrets.set(value, name)
      secrets.set(JSON.stringify(value).slice(1, -1), name)
      secrets.set(encodeURIComponent(value.toWellFormed()), name)
    },
  }
}

const minSecretLength = 4

/** Replaces a secret in a text. Views truncate long values with an ellipsis, so a prefix of the secret before `…` is replaced as well. */
function withoutSecret(text: string, value: string, name: string): string {
  let result = text.replaceAll(value, () => name)
  if (!result.includes('…')) return result
  for (let length = value.length - 1; length >= minSecretLength; length--)
    result = result.replaceAll(`${value.slice(0, length)}…`, () => `${name}…`)
  return result
}
