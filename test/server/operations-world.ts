// A project with a real server process, in which the commands of a page of docs/operations are run unchanged.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const bin = path.join(root, 'packages/ratecard/bin/ratecard.js')

/** The shell blocks of a page, each to be run once. */
export function pageCommands(page: string) {
  const text = readFileSync(path.join(root, 'docs/operations', page), 'utf8')
  const waiting = [...text.matchAll(/^( *)```sh\n([\s\S]*?)^ *```$/gm)].map(([, indent = '', body = '']) =>
    body.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  )
  return {
    /** Returns the block that begins with `words`, and marks it as run. */
    take(words: string): string {
      const index = waiting.findIndex((block) => block.startsWith(words))
      const [block] = index < 0 ? [] : waiting.splice(index, 1)
      if (block === undefined) throw new Error(`${page} has no block that begins with "${words}".`)
      return block
    },
    /** Blocks that no test ran. */
    rest: (): readonly string[] => waiting,
  }
}

export interface Ran {
  readonly exit: number
  readonly stdout: string
  readonly stderr: string
}

export class OperationsWorld {
  readonly cwd: string
  readonly #env: NodeJS.ProcessEnv
  readonly sandboxUrl: string
  #server: ChildProcess | null = null
  #address: NodeJS.ProcessEnv = {}

  private constructor(folder: string, sandboxUrl: string) {
    this.cwd = path.join(folder, 'work')
    this.sandboxUrl = sandboxUrl
    const home = path.join(folder, 'home')
    const programs = path.join(folder, 'bin')
    for (const each of [this.cwd, home, programs, path.join(folder, 'safe')]) mkdirSync(each)
    writeFileSync(path.join(programs, 'ratecard'), `#!/bin/sh\nexec "${process.execPath}" "${bin}" "$@"\n`, {
      mode: 0o755,
    })
    this.#env = {
      PATH: `${programs}:${process.env['PATH'] ?? ''}`,
      HOME: home,
      CI: '1',
      KEY_SAFE: path.join(folder, 'safe'),
      RATECARD_LOG_LEVEL: 'silent',
      RATECARD_WORKERS: 'off',
      STRIPE_SECRET_KEY: 'sk_test_operations0000',
      STRIPE_API_BASE: sandboxUrl,
    }
  }

  /** Starts a sandbox in a separate process, which keeps running when the server is killed. */
  static async create(): Promise<OperationsWorld> {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'ratecard-operations-'))
    const sandbox = spawn(process.execPath, [bin, 'sandbox', '--port', '0', '--json'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = (await once(sandbox.stdout, 'data')) as [Buffer]
    const world = new OperationsWorld(folder, (JSON.parse(String(line)) as { url: string }).url)
    onTestFinished(async () => {
      await world.stop('SIGKILL')
      sandbox.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    })
    return world
  }

  at(file: string): string {
    return path.join(this.cwd, file)
  }

  write(file: string, content: unknown): void {
    mkdirSync(path.dirname(this.at(file)), { recursive: true })
    writeFileSync(this.at(file), `${JSON.stringify(content, null, 2)}\n`)
  }

  async start(env: NodeJS.ProcessEnv = {}, dataDir = '.ratecard', flags: readonly string[] = []): Promise<void> {
    const command = ['server', 'start', '--port', '0', '--data-dir', dataDir, '--json', ...flags]
    const server = spawn(process.execPath, [bin, ...command], {
      cwd: this.cwd,
      env: { ...this.#env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let errors = ''
    server.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
    const started = await Promise.race([once(server.stdout, 'data'), once(server, 'exit')])
    const [first] = started as [Buffer | number]
    if (typeof first === 'number') throw new Error(`The server did not start: ${errors}`)
    this.#server = server
    const keyFile = this.at(`${dataDir}/service-key`)
    // Keys are in the store, so they stay valid in a restored store although the key file is missing.
    this.#address = {
      ...this.#address,
      RATECARD_API_URL: (JSON.parse(String(first)) as { url: string }).url,
      ...(existsSync(keyFile) ? { RATECARD_SERVICE_KEY: readFileSync(keyFile, 'utf8').trim() } : {}),
    }
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const server = this.#server
    this.#server = null
    if (server === null || server.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, 'exit')
    server.kill(signal)
    await ended
  }

  /** Runs shell commands in the project as a user would. Stops at the first command that fails. */
  sh(commands: string, env: NodeJS.ProcessEnv = {}): Ran {
    const { status, stdout, stderr } = spawnSync('sh', ['-eu', '-c', commands], {
      cwd: this.cwd,
      env: { ...this.#env, ...this.#address, ...env },
      encoding: 'utf8',
    })
    return { exit: status ?? -1, stdout, stderr }
  }

  /** Like `sh`, but fails the test if the command fails. */
  must(commands: string, env: NodeJS.ProcessEnv = {}): string {
    const { exit, stdout, stderr } = this.sh(commands, env)
    if (exit !== 0) throw new Error(`It ended with ${String(exit)}: ${commands}\n${stdout}${stderr}`)
    return stdout
  }

  json(commands: string): unknown {
    return JSON.parse(this.must(`${commands} --json`))
  }

  /** Starts a command and does not wait for it. */
  begin(argv: readonly string[]): ChildProcess {
    const child = spawn(process.execPath, [bin, ...argv], {
      cwd: this.cwd,
      env: { ...this.#env, ...this.#address },
      stdio: 'ignore',
    })
    return child
  }

  async orderFault(fault: object): Promise<void> {
    await fetch(`${this.sandboxUrl}/_sandbox/faults`, { method: 'POST', body: JSON.stringify(fault) })
  }

  async clearFaults(): Promise<void> {
    await fetch(`${this.sandboxUrl}/_sandbox/faults`, { method: 'DELETE' })
  }
}
