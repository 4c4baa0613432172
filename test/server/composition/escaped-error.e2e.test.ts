// An uncaught error in a real server process: the log line, what is closed, and the exit code.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'

const bin = fileURLToPath(new URL('../../../packages/ratecard/bin/ratecard.js', import.meta.url))
const serviceKey = 'rck_escaped0123456789abcdefghijklmnop'

/** A module that is loaded before the server: at a signal it throws an error that nothing catches. */
const failing = `
process.on('SIGUSR2', () => {
  const error = new Error('no ' + process.env.RATECARD_SERVICE_KEY + ' and no sk_test_abcdefgh12345678 at postgres://me:pass%20word@db/x')
  error.headers = { authorization: 'Bearer hidden' }
  if (process.env.FAIL_AS === 'rejection') Promise.reject(error)
  else throw error
})`

async function start(failAs: 'exception' | 'rejection', env: NodeJS.ProcessEnv = {}) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'ratecard-escaped-'))
  // The users of worker processes need access to files in this folder.
  chmodSync(folder, 0o755)
  const preload = path.join(folder, 'failing.mjs')
  writeFileSync(preload, failing)
  const args = ['--import', preload, bin, 'server', 'start', '--port', '0', '--data-dir', path.join(folder, 'data')]
  const server = spawn(process.execPath, [...args, '--json'], {
    cwd: folder,
    env: {
      ...{
        PATH: process.env['PATH'],
        HOME: folder,
        TMPDIR: folder,
        RATECARD_LOG_LEVEL: 'silent',
        RATECARD_SANDBOX_PORT: '0',
      },
      ...{ RATECARD_SERVICE_KEY: serviceKey, FAIL_AS: failAs },
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  server.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()))
  onTestFinished(() => {
    server.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  const started = await Promise.race([once(server.stdout, 'data'), once(server, 'exit')])
  const [first] = started as [Buffer | number]
  if (typeof first === 'number') throw new Error(`The server did not start: ${log}`)
  const { url } = JSON.parse(String(first)) as { url: string }
  return {
    server,
    folder,
    url,
    log: () => log,
    ended: once(server, 'close') as Promise<[number | null, string | null]>,
  }
}

/** Returns the worker processes whose files are in the folder. */
function workerProcesses(folder: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(path.join(folder, 'rcw-'))
      } catch {
        // The process ended between the two reads.
        return false
      }
    })
}

describe('an uncaught error', () => {
  it.each(['exception', 'rejection'] as const)(
    'is logged as one line of JSON without secrets, and ends the process with exit code 70: %s',
    async (how) => {
      const { server, log, ended } = await start(how)
      server.kill('SIGUSR2')
      expect((await ended)[0]).toBe(70)
      const lines = log().trim().split('\n')
      expect(lines).toHaveLength(1)
      const line = JSON.parse(lines[0] ?? '') as { err: { stack: string } }
      expect(line).toMatchObject({
        level: 60,
        origin: how === 'rejection' ? 'unhandledRejection' : 'uncaughtException',
        exit_code: 70,
        err: {
          type: 'Error',
          message: 'no [RATECARD_SERVICE_KEY] and no [key] at postgres://me:[password]@db/x',
          stack: expect.stringContaining('failing.mjs'),
        },
      })
      expect(log()).not.toMatch(/rck_|sk_test|pass%20word|hidden/)
    },
  )

  it('closes the server’s socket at once, regardless of the shutdown delay, and stops the workers', async () => {
    const { server, folder, url, ended } = await start('exception', { RATECARD_SHUTDOWN_DELAY_SECONDS: '60' })
    const worker = `export default { fetch() { return new Response('well') } }`
    const deployed = await fetch(`${url}/api/v1/workers/one/deployments`, {
      method: 'POST',
      headers: { 'x-service-key': serviceKey, 'content-type': 'application/json' },
      body: JSON.stringify({
        modules: [{ name: 'worker.js', type: 'esm', content: worker }],
        main: 'worker.js',
        compatibility_date: '2026-01-01',
      }),
    })
    expect(deployed.status).toBe(201)
    expect(await (await fetch(`${url}/workers/one`)).text()).toBe('well')
    const before = workerProcesses(folder)
    server.kill('SIGUSR2')
    expect((await ended)[0]).toBe(70)
    expect([before.length > 0, workerProcesses(folder)]).toEqual([true, []])
    await expect(fetch(`${url}/healthz`)).rejects.toThrow()
  })
})
