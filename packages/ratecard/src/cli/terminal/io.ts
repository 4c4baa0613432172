import { fstatSync } from 'node:fs'
import { isatty } from 'node:tty'

export interface Sink {
  write(text: string): void
  readonly isTTY: boolean
  readonly columns: number
  /** What is written there stays: a file, or the journal of the system. */
  readonly isLog?: boolean
}

/** Everything a command may touch of the world it was started in; tests give their own. */
export interface CliIo {
  readonly stdout: Sink
  readonly stderr: Sink
  /** Whether a person can answer a question. */
  readonly interactive: boolean
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  readonly home: string
  /** Aborts when the process is asked to stop. */
  readonly signal: AbortSignal
  /** false when declined or cancelled. */
  confirm(question: string): Promise<boolean>
  /** The text that was typed; null when cancelled. */
  ask(question: string): Promise<string | null>
  /** From now on this secret is shown as `${NAME}` wherever it would be written. Absent where nothing is shown. */
  readonly conceal?: (name: string, value: string) => void
  /** Text as it would be written: secrets by their names. Absent where nothing is concealed. */
  readonly shown?: (text: string) => string
  /** Single keys as they are pressed, until the answer is called. Absent where nobody can press one. */
  readonly keys?: (listener: (key: string) => void) => () => void
}

export function processIo(host: NodeJS.Process, home: string, signal: AbortSignal): CliIo {
  const sink = (stream: NodeJS.WriteStream, descriptor: number): Sink => ({
    write: (chunk) => void stream.write(chunk),
    isTTY: isatty(descriptor),
    // 0 or absent off a terminal.
    columns: stream.columns || 100,
    isLog: isLog(host, descriptor),
  })
  const ask = (question: string) => askLine(host, question, signal)
  return {
    stdout: sink(host.stdout, 1),
    stderr: sink(host.stderr, 2),
    interactive: isatty(0) && isatty(2) && host.env['CI'] === undefined,
    env: host.env,
    cwd: host.cwd(),
    home,
    signal,
    confirm: async (question) => /^y(es)?$/i.test((await ask(`${question} [y/N] `)) ?? ''),
    ask: (question) => ask(`${question}: `),
    ...(isatty(0) && isatty(2) && host.env['CI'] === undefined
      ? { keys: (listener: (key: string) => void) => readKeys(host.stdin, listener) }
      : {}),
  }
}

function isLog({ env }: NodeJS.Process, descriptor: number): boolean {
  try {
    const stats = fstatSync(descriptor)
    return stats.isFile() || env['JOURNAL_STREAM'] === `${stats.dev}:${stats.ino}`
  } catch {
    // Closed: nobody reads it at all.
    return false
  }
}

/** In this mode the terminal sends no signals: Ctrl-C arrives as a key. */
function readKeys(stdin: NodeJS.ReadStream, listener: (key: string) => void): () => void {
  const onData = (data: Buffer) => {
    for (const key of data.toString('utf8')) listener(key)
  }
  stdin.setRawMode(true)
  stdin.on('data', onData)
  stdin.resume()
  return () => {
    stdin.off('data', onData)
    stdin.setRawMode(false)
    stdin.pause()
  }
}

/**
 * One line from the terminal, null at its end. The terminal stays in line mode: it edits the line itself and Ctrl-C stays a
 * signal. Questions go to stderr, because stdout holds the result, also when it is redirected into a file.
 */
async function askLine(host: NodeJS.Process, question: string, signal: AbortSignal): Promise<string | null> {
  const { createInterface } = await import('node:readline')
  const lines = createInterface({ input: host.stdin, output: host.stderr, terminal: false })
  return new Promise((resolve) => {
    const stop = () => {
      lines.close()
    }
    signal.addEventListener('abort', stop, { once: true })
    lines.once('close', () => {
      signal.removeEventListener('abort', stop)
      resolve(null)
    })
    lines.question(question, (answer) => {
      resolve(answer.trim())
      lines.close()
    })
  })
}
