import { isatty } from 'node:tty'
import { confirm, isCancel, text } from '@clack/prompts'

export interface Sink {
  write(text: string): void
  readonly isTTY: boolean
  readonly columns: number
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
}

export function processIo(host: NodeJS.Process, home: string, signal: AbortSignal): CliIo {
  const sink = (stream: NodeJS.WriteStream): Sink => ({
    write: (chunk) => void stream.write(chunk),
    isTTY: isatty(stream.fd),
    // 0 or absent off a terminal.
    columns: stream.columns || 100,
  })
  // Questions go to stderr: stdout holds the result, also when it is redirected into a file.
  const common = { input: host.stdin, output: host.stderr, signal, withGuide: false }
  return {
    stdout: sink(host.stdout),
    stderr: sink(host.stderr),
    interactive: isatty(host.stdin.fd) && isatty(host.stderr.fd) && host.env['CI'] === undefined,
    env: host.env,
    cwd: host.cwd(),
    home,
    signal,
    confirm: async (question) => (await confirm({ ...common, message: question, initialValue: false })) === true,
    ask: async (question) => {
      const answer = await text({ ...common, message: question })
      return isCancel(answer) ? null : answer
    },
  }
}
