import { fstatSync } from 'node:fs'
import { isatty } from 'node:tty'

export interface Sink {
  write(text: string): void
  readonly isTTY: boolean
  readonly columns: number
  /** True if output is stored: a file, or the system journal. */
  readonly isLog?: boolean
}

/** Environment of a command (streams, variables, prompts); injected, so that tests can replace it. */
export interface CliIo {
  readonly stdout: Sink
  readonly stderr: Sink
  /** True if a person can answer a question. */
  readonly interactive: boolean
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  readonly home: string
  /** Aborts on a stop signal. */
  readonly signal: AbortSignal
  /** false if declined or cancelled. */
  confirm(question: string): Promise<boolean>
  /** The typed text; null if cancelled. */
  ask(question: string): Promise<string | null>
  /** Registers a secret, which is then written as `${NAME}` everywhere. Absent if there is no redaction. */
  readonly redact?: (name: string, value: string) => void
  /** Text after redaction. Absent if there is no redaction. */
  readonly shown?: (text: string) => string
  /** Listens for single key presses until the returned function is called. Absent without a terminal. */
  readonly keys?: (listener: (key: string) => void) => () => void
}

export function processIo(host: NodeJS.Process, home: string, signal: AbortSignal): CliIo {
  const sink = (stream: NodeJS.WriteStream, descriptor: number): Sink => ({
    write: (chunk) => void stream.write(chunk),
    isTTY: isatty(descriptor),
    // 0 or absent without a terminal.
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
    // The stream is closed.
    return false
  }
}

/** In raw mode the terminal sends no signals: Ctrl-C arrives as a key. */
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
 * Reads one line from the terminal; null at its end. The terminal stays in line mode, so that it handles editing and Ctrl-C stays a
 * signal. Questions go to stderr, because stdout contains the result and may be redirected.
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
