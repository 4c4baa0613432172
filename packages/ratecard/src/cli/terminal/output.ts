import type { CliIo } from './io.ts'
import { createPaint, own } from './terminal-text.ts'
import type { Paint } from './terminal-text.ts'

export type { Paint } from './terminal-text.ts'

/** Where a command speaks. With `--json` only the final document reaches stdout; with `--quiet` only results and errors are shown. */
export interface Output {
  readonly paint: Paint
  /** Width that tables fit; without end off a terminal, where lines are read by programs. */
  readonly width: number
  /** What happened, for people. */
  say(text?: string): void
  /** The result that was asked for, also shown with `--quiet`. */
  print(text: string): void
  /** Beside the result, on stderr: hints, warnings. */
  note(text: string): void
  /** One line that is redrawn in place; nothing off a terminal. */
  progress(text: string): void
  endProgress(): void
  /** Whether `progress` is seen. */
  readonly live: boolean
}

export function createOutput(io: CliIo, options: { json: boolean; quiet: boolean; color: boolean }): Output {
  const live = io.stderr.isTTY && !options.json && !options.quiet
  let drawn = false
  const clear = () => {
    if (drawn) io.stderr.write(own('\r') + own('\u001b[2K'))
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

/** Colours are for terminals; NO_COLOR (any value) and --no-color turn them off, FORCE_COLOR turns them on. */
export function wantsColor(io: CliIo, argv: readonly string[]): boolean {
  if (argv.includes('--no-color') || (io.env['NO_COLOR'] ?? '') !== '') return false
  const forced = io.env['FORCE_COLOR']
  if (forced !== undefined && forced !== '') return forced !== '0'
  return io.stdout.isTTY && io.env['TERM'] !== 'dumb'
}
