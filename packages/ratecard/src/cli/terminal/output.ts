import type { CliIo } from './io.ts'
import { createPaint, markSequence, type Paint } from './terminal-text.ts'

export type { Paint } from './terminal-text.ts'

/** Output of a command. With `--json` only the final document goes to stdout; with `--quiet` only results and errors are shown. */
export interface Output {
  readonly paint: Paint
  /** Width for tables; infinite without a terminal, where programs read the lines. */
  readonly width: number
  /** Progress and status text for people. */
  say(text?: string): void
  /** The result itself, also shown with `--quiet`. */
  print(text: string): void
  /** Hints and warnings, on stderr. */
  note(text: string): void
  /** One line that is redrawn in place; ignored without a terminal. */
  progress(text: string): void
  endProgress(): void
  /** True if `progress` is visible. */
  readonly live: boolean
}

export function createOutput(io: CliIo, options: { json: boolean; quiet: boolean; color: boolean }): Output {
  const live = io.stderr.isTTY && !options.json && !options.quiet
  let drawn = false
  const clear = () => {
    if (drawn) io.stderr.write(markSequence('\r') + markSequence('\u001b[2K'))
    drawn = false
  }
  return {
    paint: createPaint(options.color),
    width: io.stdout.isTTY ? io.stdout.columns : Number.POSITIVE_INFINITY,
    live,
    say(text = '') {
      clear()
      if (!options.json && !options.quiet) io.stdout.write(`${text}\n`)
    },
    print(text) {
      clear()
      if (!options.json) io.stdout.write(text.endsWith('\n') ? text : `${text}\n`)
    },
    note(text) {
      clear()
      if (!options.json && !options.quiet) io.stderr.write(`${text}\n`)
    },
    progress(text) {
      if (!live) return
      clear()
      io.stderr.write(text.slice(0, io.stderr.columns - 1))
      drawn = true
    },
    endProgress: clear,
  }
}

/** Colors are used on terminals only. NO_COLOR (any value) and `--no-color` turn them off, FORCE_COLOR turns them on. */
export function wantsColor(io: CliIo, argv: readonly string[]): boolean {
  if (argv.includes('--no-color') || (io.env['NO_COLOR'] ?? '') !== '') return false
  const forced = io.env['FORCE_COLOR']
  if (forced !== undefined && forced !== '') return forced !== '0'
  return io.stdout.isTTY && io.env['TERM'] !== 'dumb'
}
