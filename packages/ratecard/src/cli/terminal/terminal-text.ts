// The one way from text to a terminal. Names, messages and URLs come from documents, servers and the processor: a control
// character in one of them could redraw the plan that a person approves, hide a line of it, or set the title of a window.
import { randomInt } from 'node:crypto'
import picocolors from 'picocolors'
import type { CliIo, Sink } from './io.ts'

export type Paint = ReturnType<typeof picocolors.createColors>

// Written after each escape character of ours and taken out again before the terminal. No author of a text can know it.
const mark = String.fromCharCode(...Array.from({ length: 6 }, () => randomInt(0xe000, 0xf8ff)))
const ownSequence = `\u001b${mark}(\\[[0-9;?]*[A-Za-z]|\\r)`

/** A control sequence of our own, such as `\u001b[2K`, that {@link harmless} lets through. */
export function own(sequence: string): string {
  return sequence.startsWith('\u001b') ? `\u001b${mark}${sequence.slice(1)}` : `\u001b${mark}${sequence}`
}

/** Text as it will be seen: without the control sequences of our own. */
export function seen(text: string): string {
  return text.replaceAll(new RegExp(ownSequence, 'g'), '')
}

/** Colours whose control sequences are known for our own. */
export function createPaint(enabled: boolean): Paint {
  const plain = picocolors.createColors(false)
  if (!enabled) return plain
  const colors = picocolors.createColors(true)
  const painted = Object.entries(colors).flatMap(([name, color]) => {
    if (typeof color !== 'function') return []
    const [begin = '', end = ''] = (color as (text: string) => string)('\n')
      .split('\n')
      .map((sequence) => (sequence === '' ? '' : own(sequence)))
    // Where a colour ends within another of its kind, the outer one goes on.
    const paint = (text: string | number) => `${begin}${String(text).replaceAll(end, end + begin)}${end}`
    return [[name, paint] as const]
  })
  return { ...plain, ...(Object.fromEntries(painted) as Partial<Paint>), isColorSupported: true }
}

// Control and format characters (overrides of the reading direction, invisible ones), separators of lines, half characters. Two
// joiners stay, which scripts and emoji need, and so do tabs and line ends: whoever shows a value in one line uses `inline`.
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu
const kept = new Set(['\n', '\t', '\u200c', '\u200d', '\u00ad'])

/** Text that drives no terminal: what could is shown as `\u001b`. Control sequences of our own stay. */
export function harmless(text: string): string {
  let result = ''
  let position = 0
  for (const match of text.matchAll(new RegExp(ownSequence, 'g'))) {
    result += escaped(text.slice(position, match.index)) + ownOf(match[1] ?? '')
    position = match.index + match[0].length
  }
  return result + escaped(text.slice(position))
}

/** A value of somebody else's in one line of ours: with a line end in it, it could add a line to the plan. */
export function inline(text: string): string {
  return text.replaceAll(/\r\n|[\n\t]/g, (match) => (match === '\t' ? ' ' : '\\n'))
}

const ownOf = (sequence: string) => (sequence === '\r' ? '\r' : `\u001b${sequence}`)
const escaped = (text: string) =>
  text.replaceAll(unsafe, (character) => (kept.has(character) ? character : character.split('').map(codeOf).join('')))
/** As in JSON, so that a JSON document stays the same document. */
const codeOf = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/** What a command writes and asks, made harmless; secrets that it was told of are shown by their names. */
export function terminalIo(io: CliIo): CliIo {
  const secrets = new Map<string, string>()
  const shown = (text: string) => {
    let result = text
    for (const [value, name] of secrets) result = withoutSecret(result, value, `\${${name}}`)
    return harmless(result)
  }
  const sink = (stream: Sink): Sink => ({
    write: (text) => {
      stream.write(shown(text))
    },
    ...(stream.isLog === undefined ? {} : { isLog: stream.isLog }),
    // Looked up each time: a window can be made wider.
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
    conceal(name, value) {
      // A value this short would be found everywhere.
      if (value.length < shortestSecret) return
      secrets.set(value, name)
      secrets.set(JSON.stringify(value).slice(1, -1), name)
      secrets.set(encodeURIComponent(value.toWellFormed()), name)
    },
  }
}

const shortestSecret = 4

/** Views cut long values off with an ellipsis: what is left of a secret before it is one as well. */
function withoutSecret(text: string, value: string, name: string): string {
  let result = text.replaceAll(value, () => name)
  if (!result.includes('…')) return result
  for (let length = value.length - 1; length >= shortestSecret; length--)
    result = result.replaceAll(`${value.slice(0, length)}…`, () => `${name}…`)
  return result
}
