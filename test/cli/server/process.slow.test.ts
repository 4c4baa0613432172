import { spawn, type ChildProcess } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { cliWorld, smallConfig, type Ran } from '../cli-world.ts'
import { startedForAll } from '../../support/started.ts'

const bin = fileURLToPath(new URL('../../../packages/ratecard/bin/ratecard.js', import.meta.url))
const world = startedForAll(cliWorld)

function start(argv: readonly string[], env: NodeJS.ProcessEnv = {}, cwd = world.cwd): ChildProcess {
  return spawn(process.execPath, [bin, ...argv], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: world.home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

const startServer = (folder: string): ChildProcess =>
  start(['server', 'start', '--port', '0', '--data-dir', path.join(world.cwd, folder), '--json'], {
    RATECARD_SANDBOX_PORT: '0',
    RATECARD_LOG_LEVEL: 'silent',
  })

function finish(child: ChildProcess): Promise<Ran> {
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (chunk) => (stdout += String(chunk)))
  child.stderr?.on('data', (chunk) => (stderr += String(chunk)))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ exit: code ?? -1, stdout, stderr }))
  })
}

/** Waits until a server that was started with `--json` prints its URL. */
async function listening(server: ChildProcess): Promise<{ readonly ended: Promise<Ran>; readonly url: string }> {
  const ended = finish(server)
  const url = await new Promise<string>((resolve, reject) => {
    server.stdout?.once('data', (chunk) => resolve(String(JSON.parse(String(chunk)).url)))
    void ended.then((ran) => reject(new Error(ran.stderr)))
  })
  return { ended, url }
}

describe('the process of the command ratecard', () => {
  it('prints results on stdout and problems on stderr, and sets the exit code', async () => {
    world.write('bad.json', smallConfig({ version: 'v1' }))
    const ran = await finish(start(['billing', 'validate', 'bad.json']))
    expect(ran.exit).toBe(1)
    expect(ran.stdout).toContain('1 error')
    expect(ran.stderr).toContain('bad.json:2:14 error')
    expect(ran.stderr).not.toContain('    at ')
  })

  it('names a data folder that cannot be created, and ends', async () => {
    const server = startServer('data')
    await listening(server).then(({ ended }) => (server.kill('SIGTERM'), ended))
    for (const [folder, why] of [
      ['/proc/nope/data', '/proc/nope cannot be created'],
      [path.join(world.cwd, 'data/service-key/in'), 'data/service-key/in is not a directory'],
      [path.join(world.cwd, 'data/service-key'), 'data/service-key is not a directory'],
    ] as const) {
      const child = start(['server', 'start', '--port', '0', '--data-dir', folder])
      // A process that creates folders without end handles no other signal.
      const timer = setTimeout(() => child.kill('SIGKILL'), 20_000)
      const { exit, stderr } = await finish(child)
      clearTimeout(timer)
      expect([exit, stderr]).toEqual([1, expect.stringContaining(why)])
    }
  })

  it('exits with code 141 if its reader closes the pipe early', async () => {
    const child = start(['help'])
    child.stdout?.destroy()
    const ended = new Promise((resolve) => child.once('exit', resolve))
    expect(await ended).toBe(141)
  })

  it('advances the sandbox clock of a server from any folder', async () => {
    const server = startServer('clock')
    const { ended, url } = await listening(server)
    // A folder that has neither the server's data nor a configuration.
    const clock = (...words: readonly string[]) =>
      finish(start(['sandbox', 'clock', ...words, '--api-url', url], {}, world.home))
    const before = await clock('show')
    expect(before).toMatchObject({ exit: 0, stderr: '' })
    expect(await clock('advance', '40d')).toMatchObject({ exit: 0, stderr: '' })
    const passed = Date.parse((await clock('show')).stdout.trim()) - Date.parse(before.stdout.trim())
    expect(passed).toBeGreaterThanOrEqual(40 * 86_400_000)
    server.kill('SIGTERM')
    expect(await ended).toMatchObject({ exit: 0 })
  })

  it('starts a server that stores its key for later commands, and that finishes running requests on SIGTERM', async () => {
    world.write('ratecard/billing/plans.json', smallConfig())
    const server = startServer('data')
    const { ended, url } = await listening(server)
    const pushed = await finish(start(['billing', 'push', '--api-url', url]))
    expect(pushed).toMatchObject({ exit: 0, stdout: expect.stringContaining('as revision 1.') })
    server.kill('SIGTERM')
    expect(await ended).toMatchObject({ exit: 0 })
  })

  it('runs the sandbox without a Ratecard server', async () => {
    const sandbox = start(['sandbox', '--port', '0', '--json'])
    const { ended, url } = await listening(sandbox)
    const answer = await fetch(`${url}/v1/products`, { headers: { authorization: 'Bearer sk_test_alone' } })
    expect(await answer.json()).toMatchObject({ object: 'list', data: [] })
    sandbox.kill('SIGINT')
    expect(await ended).toMatchObject({ exit: 0 })
  })

  it('ends when the npm process that started it ends, even if npm was killed', async () => {
    const script = `${process.execPath} ${bin} server start --port 0 --data-dir ${path.join(world.cwd, 'npm-data')}`
    world.write('package.json', { name: 'orphan', private: true, scripts: { start: script } })
    const npm = spawn('npm', ['start'], {
      cwd: world.cwd,
      env: { PATH: process.env['PATH'], HOME: world.home, RATECARD_SANDBOX_PORT: '0', RATECARD_WORKERS: 'off' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let printed = ''
    const url = await new Promise<string>((resolve) => {
      npm.stdout.on('data', (chunk) => {
        printed += String(chunk)
        const found = /API\s+(http:\/\/[^/\s]+)/.exec(printed)?.[1]
        if (found !== undefined) resolve(found)
      })
    })
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    const closed = new Promise((resolve) => npm.stdout.once('close', resolve))
    npm.kill('SIGKILL')
    // The server holds the other end of the pipe: it closes when the server has ended.
    await closed
    await expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed')
  })
})
