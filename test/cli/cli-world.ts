import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { main } from '../../packages/ratecard/src/cli/main.ts'
import type { CliIo } from '../../packages/ratecard/src/cli/terminal/io.ts'
import { recordAnswer } from '../support/record-answers.ts'

export interface Ran {
  readonly exit: number
  readonly stdout: string
  readonly stderr: string
}

export interface ShownIssue {
  readonly code: string
  readonly file?: string
}

/** The members of `--json` output that tests read. Each command prints some of them. */
export interface ShownDocument {
  readonly valid: boolean
  readonly errors: readonly ShownIssue[]
  readonly error: { readonly code: string; readonly detail: string; readonly errors: readonly ShownIssue[] }
  readonly status: string
  readonly revision: number
  readonly changes: { readonly products: { readonly archived: readonly string[] } }
  readonly details: readonly { readonly config_id: string }[]
  readonly versions: readonly { readonly changes: { readonly prices: unknown } }[]
  readonly pushes: readonly [{ readonly id: string; readonly steps_total: number }]
  readonly steps: readonly unknown[]
  readonly keys: readonly { readonly id: string; readonly name: string; readonly revoked_at: string | null }[]
  readonly webhooks: readonly { readonly id: string }[]
  readonly findings: readonly unknown[]
  readonly created: readonly string[]
  readonly extended: readonly string[]
  readonly kept: readonly string[]
}

export interface CliWorld {
  readonly home: string
  readonly cwd: string
  /** Writes a file below the working directory. */
  write(file: string, content: unknown): string
  run(argv: readonly string[], options?: RunOptions): Promise<Ran>
  /** Runs a command with --json and parses its standard output. Fails unless that is exactly one document. */
  json(argv: readonly string[], options?: RunOptions): Promise<{ exit: number; document: ShownDocument }>
  remove(): void
}

export interface RunOptions {
  readonly cwd?: string
  readonly env?: NodeJS.ProcessEnv
  /** The user's answers. Absent: there is no terminal. */
  readonly answer?: { readonly confirm?: boolean; readonly text?: string | null }
  /** Ctrl-C. */
  readonly signal?: AbortSignal
  /** Called with each part of the output as it is printed. */
  readonly onOutput?: (text: string) => void
  readonly keys?: NonNullable<CliIo['keys']>
}

/** Creates a working directory and a home directory. Commands run in this process. */
export function cliWorld(env: NodeJS.ProcessEnv = {}): CliWorld {
  const root = mkdtempSync(path.join(os.tmpdir(), 'ratecard-cli-'))
  const home = path.join(root, 'home')
  const cwd = path.join(root, 'work')
  mkdirSync(home)
  mkdirSync(cwd)
  const run = async (argv: readonly string[], options: RunOptions = {}): Promise<Ran> => {
    let stdout = ''
    let stderr = ''
    const io: CliIo = {
      stdout: {
        write: (text) => {
          stdout += text
          options.onOutput?.(text)
        },
        isTTY: false,
        columns: 100,
      },
      stderr: {
        write: (text) => {
          stderr += text
          options.onOutput?.(text)
        },
        isTTY: false,
        columns: 100,
      },
      interactive: options.answer !== undefined,
      env: {
        HOME: home,
        PATH: process.env['PATH'],
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_CONFIG_SYSTEM: '/dev/null',
        ...env,
        ...options.env,
      },
      cwd: options.cwd ?? cwd,
      home,
      signal: options.signal ?? new AbortController().signal,
      ...(options.keys === undefined ? {} : { keys: options.keys }),
      confirm: () => Promise.resolve(options.answer?.confirm ?? false),
      ask: () => Promise.resolve(options.answer?.text ?? null),
    }
    const exit = await main(argv, io)
    recordAnswer(`$ ratecard ${argv.join(' ')}`, [exit, stdout, stderr])
    return { exit, stdout, stderr }
  }
  return {
    home,
    cwd,
    run,
    write(file, content) {
      const target = path.join(cwd, file)
      mkdirSync(path.dirname(target), { recursive: true })
      writeFileSync(target, typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`)
      return target
    },
    async json(argv, options) {
      const ran = await run([...argv, '--json'], options)
      return { exit: ran.exit, document: JSON.parse(ran.stdout) as ShownDocument }
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}

export const smallConfig = (changes: Record<string, unknown> = {}) => ({
  version: '1.0.0',
  products: [
    {
      id: 'pro',
      name: 'Pro',
      prices: [{ id: 'pro_monthly', amount: 1200, currency: 'eur', interval: 'month', default: true }],
    },
  ],
  ...changes,
})
