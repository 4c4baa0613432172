// `server start` replaces itself once, to say how much space young objects get: nobody who started it may notice.
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { cliWorld } from './cli-world.ts'
import type { CliWorld } from './cli-world.ts'

const bin = fileURLToPath(new URL('../../packages/ratecard/bin/ratecard.js', import.meta.url))
const chosen = '--max-semi-space-size=8'
let world: CliWorld
let watch = ''
const children: ChildProcess[] = []

beforeAll(() => {
  world = cliWorld()
  world.write(
    'watch.mjs',
    `import { appendFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
const { pid, execArgv, argv, env } = process
const seen = { pid, execArgv, argv: argv.slice(1), arenas: env.MALLOC_ARENA_MAX ?? null }
if (isMainThread) appendFileSync(env.SEEN, JSON.stringify(seen) + '\\n')`,
  )
  watch = `--import=${pathToFileURL(path.join(world.cwd, 'watch.mjs')).href}`
})
afterEach(() => {
  // One that restarts for ever ends by no other signal.
  for (const child of children.splice(0)) child.kill('SIGKILL')
})
afterAll(() => world.remove())

interface Program {
  readonly pid: number
  readonly execArgv: readonly string[]
  readonly argv: readonly string[]
  /** How many pools of memory the C library was told to keep. */
  readonly arenas: string | null
}

interface Ended {
  readonly code: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
}

/** Starts a server and tells each program that its process became, in their order. */
function serve(name: string, given: { readonly node?: readonly string[]; readonly env?: NodeJS.ProcessEnv } = {}) {
  const seen = path.join(world.cwd, `${name}.jsonl`)
  const words = ['server', 'start', '--port', '0', '--data-dir', path.join(world.cwd, `data of ${name} ü`), '--json']
  const child = spawn(process.execPath, [...(given.node ?? []), bin, ...words], {
    cwd: world.cwd,
    env: {
      ...{ PATH: process.env['PATH'], HOME: world.home, NODE_OPTIONS: watch, SEEN: seen },
      ...{ RATECARD_SANDBOX_PORT: '0', RATECARD_WORKERS: 'off', RATECARD_LOG_LEVEL: 'silent' },
      ...given.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk) => (stdout += String(chunk)))
  child.stderr.on('data', (chunk) => (stderr += String(chunk)))
  const ended = new Promise<Ended>((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr })),
  )
  const ready = () =>
    new Promise<string>((resolve, reject) => {
      child.stdout.once('data', (line) => resolve(String(JSON.parse(String(line)).url)))
      void ended.then((end) => reject(new Error(end.stderr)))
    })
  const programs = () =>
    readFileSync(seen, 'utf8')
      .trim()
      .split('\n')
      .map((line): Program => JSON.parse(line))
  return { child, words, ready, ended, programs }
}

describe.skipIf(process.platform === 'win32' || process.execve === undefined)('the space for young objects', () => {
  it('is said by one restart in the same process, with the same words and output, and SIGTERM drains', async () => {
    const { child, words, ready, ended, programs } = serve('plain', { node: ['--stack-trace-limit=20'] })
    expect((await fetch(`${await ready()}/healthz`)).status).toBe(200)
    expect(programs()).toEqual([
      { pid: child.pid, execArgv: ['--stack-trace-limit=20'], argv: [bin, ...words], arenas: null },
      { pid: child.pid, execArgv: [chosen, '--stack-trace-limit=20'], argv: [bin, ...words], arenas: '2' },
    ])
    child.kill('SIGTERM')
    expect(await ended).toMatchObject({ code: 0, signal: null, stderr: '' })
  })

  it.each([
    { how: 'NODE_OPTIONS', node: [], options: ' --max_semi_space_size=32' },
    { how: 'an argument of Node', node: ['--max-semi-space-size=32'], options: '' },
  ])('stays as somebody chose it by $how', async ({ how, node, options }) => {
    const { child, ready, ended, programs } = serve(how, { node, env: { NODE_OPTIONS: `${watch}${options}` } })
    await ready()
    expect(programs()).toMatchObject([{ execArgv: node }])
    child.kill('SIGINT')
    expect(await ended).toMatchObject({ code: 0, signal: null })
  })

  it('leaves the pools of memory as somebody chose them', async () => {
    const { child, ready, ended, programs } = serve('pools', { env: { MALLOC_ARENA_MAX: '7' } })
    await ready()
    expect(programs().map(({ arenas }) => arenas)).toEqual(['7', '7'])
    child.kill('SIGTERM')
    await ended
  })

  it('is kept by a start that fails, with its exit code and its words', async () => {
    const wrong = { RATECARD_PORT: 'many' }
    const restarted = serve('wrong', { env: wrong })
    const plain = serve('wrong without', { env: wrong, node: ['--max-semi-space-size=32'] })
    const { code, stdout, stderr } = await restarted.ended
    expect(stdout + stderr).toContain('RATECARD_PORT')
    expect(code).not.toBe(0)
    expect(await plain.ended).toMatchObject({ code, stdout, stderr })
    expect(restarted.programs()).toHaveLength(2)
  })

  it('is not asked for by commands that are over soon', async () => {
    const seen = path.join(world.cwd, 'others.jsonl')
    const env = { PATH: process.env['PATH'], HOME: world.home, NODE_OPTIONS: watch, SEEN: seen }
    const child = spawn(process.execPath, [bin, 'billing', 'validate', '--help'], { env, stdio: 'ignore' })
    expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(0)
    expect(readFileSync(seen, 'utf8').trim().split('\n')).toHaveLength(1)
  })
})
