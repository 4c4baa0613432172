import { fstatSync } from 'node:fs'
import { isatty } from 'node:tty'

export interface Sink {
  write(text: string): void
  readonly isTTY: boolean
  readonly columns: number
  /** True if the output is stored as a log, i.e. goes to a file or to the system journal. */
  readonly isLog?: boolean
}

/** Everything that a command needs of its process (streams, variables, prompts). It is injected, so that tests can replace it. */
export interface CliIo {
  readonly stdout: Sink
  readonly stderr: Sink
  /** True if a person can answer a question, i.e. there is a terminal. */
  readonly interactive: boolean
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  readonly home: string
  /** Aborts when the process gets a stop signal. */
  readonly signal: AbortSignal
  /** Asks a yes/no question. Returns false if the person declined or cancelled. */
  confirm(question: string): Promise<boolean>
  /** Asks for a line of text; returns null if cancelled. */
  ask(question: string): Promise<string | null>
  /** Registers a secret. From then on all output shows `${NAME}` in its place. Absent if there is no redaction. */
  readonly redact?: (name: string, value: string) => void
  /** Returns the text with secrets redacted, as the output shows it. Absent if there is no redaction. */
  readonly shown?: (text: string) => string
  /** Calls `listener` for each key press. Returns a function that ends this. Absent without a terminal. */
  readonly keys?: (listener: (key: string) => void) => () => void
}

export function processIo(host: NodeJS.Process, home: string, signal: AbortSignal): CliIo {
  const sink = (stream: NodeJS.WriteStream, descriptor: number): Sink => ({
    write: (chunk) => void stream.write(chunk),
    isTTY: isatty(descriptor),
    // `columns` is 0 or absent without a terminal.
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
    // The stream is closed, so it cannot be examined.
    return false
  }
}

/** Reads single key presses in raw mode. In raw mode the terminal sends no signals: Ctrl-C arrives as a key. */
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
 * Reads one line from the terminal; returns null at the end of input. The terminal stays in line mode: the terminal itself handles editing,
 * and Ctrl-C is a signal. The question goes to stderr, because stdout contains the result and may be redirected.
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
