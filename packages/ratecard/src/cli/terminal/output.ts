import type { CliIo } from './io.ts'
import { createPaint, markSequence, wrapLines, type Paint } from './terminal-text.ts'

export type { Paint } from './terminal-text.ts'

/** Output of a command. With `--json` only the final document goes to stdout. With `--quiet` only results and errors are shown. */
export interface Output {
  readonly paint: Paint
  /** Maximum width of tables (characters). Infinite without a terminal, because then programs read the lines. */
  readonly width: number
  /** Prints progress and status text for people, its lines wrapped at spaces to the width of the terminal. Silent with `--quiet` and `--json`. */
  say(text?: string): void
  /** Prints the result itself as it is, also with `--quiet`: it may be a file, which a broken line would damage. */
  print(text: string): void
  /** Prints hints and warnings to stderr. Silent with `--quiet` and `--json`. */
  note(text: string): void
  /** Shows one line that is redrawn in place. Does nothing without a terminal. */
  progress(text: string): void
  endProgress(): void
  /** True if lines shown by `progress` are visible. */
  readonly live: boolean
}

export function createOutput(io: CliIo, options: { json: boolean; quiet: boolean; color: boolean }): Output {
  const live = io.stderr.isTTY && !options.json && !options.quiet
  const width = io.stdout.isTTY ? io.stdout.columns : Number.POSITIVE_INFINITY
  let drawn = false
  const clear = () => {
    if (drawn) io.stderr.write(markSequence('\r') + markSequence('\u001b[2K'))
    drawn = false
  }
  return {
    paint: createPaint(options.color),
    width,
    live,
    say(text = '') {
      clear()
      if (!options.json && !options.quiet) io.stdout.write(`${wrapLines(text, width)}\n`)
    },
    print(text) {
      clear()
      if (!options.json) io.stdout.write(text.endsWith('\n') ? text : `${text}\n`)
    },
    note(text) {
      clear()
      if (!options.json && !options.quiet)
        io.stderr.write(`${wrapLines(text, io.stderr.isTTY ? io.stderr.columns : Number.POSITIVE_INFINITY)}\n`)
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

/**
 * True if the output is colored, by default on terminals only. NO_COLOR (any value) and `--no-color` turn colors off, FORCE_COLOR turns
 * them on.
 */
export function wantsColor(io: CliIo, argv: readonly string[]): boolean {
  if (argv.includes('--no-color') || (io.env['NO_COLOR'] ?? '') !== '') return false
  const forced = io.env['FORCE_COLOR']
  if (forced !== undefined && forced !== '') return forced !== '0'
  return io.stdout.isTTY && io.env['TERM'] !== 'dumb'
}
