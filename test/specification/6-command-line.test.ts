// The specification, "Command-line operations".
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { smallConfig } from '../cli/cli-world.ts'
import { serverWorld } from '../cli/server-world.ts'
import { startedForAll } from '../support/started.ts'

const key = 'specification-service-key'
const world = startedForAll(() => serverWorld(key))
const here = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const file = 'ratecard/billing/billing.json'
const billing = (...words: string[]) => world.run(['billing', ...words])

/** Runs a program to its end, and returns what it printed. */
function output(command: string, args: readonly string[], env: NodeJS.ProcessEnv, cwd: string) {
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk) => (stdout += String(chunk)))
  child.stderr.on('data', (chunk) => (stderr += String(chunk)))
  return new Promise<{ exit: number | null; stdout: string; stderr: string }>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (exit) => resolve({ exit, stdout, stderr }))
  })
}

test('init creates a project, with a folder for workers that has a first function', async () => {
  const cwd = path.join(world.cwd, 'new')
  mkdirSync(cwd)
  expect((await world.run(['init'], { cwd })).exit).toBe(0)
  expect(readFileSync(path.join(cwd, 'ratecard/workers/src/index.ts'), 'utf8')).toContain('fetch')
  expect(existsSync(path.join(cwd, 'ratecard/billing'))).toBe(true)
})

describe('billing', () => {
  test('validate checks the files without a push, and returns the errors', async () => {
    world.write(file, smallConfig({ version: 'v1' }))
    const { exit, stderr } = await billing('validate')
    expect([exit, stderr]).toEqual([1, expect.stringContaining('version_format')])
    expect((await billing('history')).stdout).not.toContain('v1')
  })

  test('push shows the difference, makes the changes and stores the version; push of an invalid file does nothing', async () => {
    world.write(file, smallConfig())
    expect((await billing('push')).stdout).toMatch(/product +created +pro\n/)
    world.write(file, smallConfig({ version: '1.1.0', products: [{ id: 'pro' }] }))
    expect((await billing('push')).exit).toBe(1)
    expect((await billing('history', '--limit', '5')).stdout).toMatch(/1\.0\.0/)
    expect((await billing('show', 'price', 'pro_monthly')).stdout).toMatch(/"processor_id": "price_/)
  })

  test('pull --output writes the active objects of the account to a file', async () => {
    world.write(file, smallConfig())
    await billing('push')
    expect((await billing('pull', '--output', 'pulled.json')).exit).toBe(0)
    const { products } = JSON.parse(readFileSync(path.join(world.cwd, 'pulled.json'), 'utf8')) as { products: object[] }
    expect(products).toMatchObject([{ id: 'pro', prices: [{ id: 'pro_monthly', amount: 1200 }] }])
  })

  test('history --limit lists the newest versions with their time and a summary of their changes', async () => {
    world.write(file, smallConfig({ version: '3.0.0' }))
    await billing('push')
    const { stdout } = await billing('history', '--limit', '1')
    expect(stdout).toMatch(/3\.0\.0.*\d{4}-\d\d-\d\d/)
  })

  test('webhook secret prints the signing secrets', async () => {
    const webhooks = [{ id: 'main', url: 'https://example.com/hook', events: ['invoice.created'] }]
    world.write(file, smallConfig({ version: '4.0.0', webhooks }))
    await billing('push')
    expect((await billing('webhook', 'secret')).stdout).toContain('whsec_')
  })

  test('reset archives everything', async () => {
    expect((await billing('reset')).exit).toBe(0)
    expect((await billing('show')).stderr).toContain('config_not_found')
  })
})

test('a client of thirty lines validates, pushes, reads, sells by key and by session, applies a template and resets', async () => {
  const admin = async (route: string, body: object) => {
    const headers = { 'Content-Type': 'application/json', 'X-Service-Key': key }
    const url = `${world.url}/api/v1/billing/admin/${route}`
    return (await (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).json()) as {
      value: string
    }
  }
  await admin('tenants', { id: 'acme', name: 'Acme' })
  const { value: session } = await admin('sessions', { tenant_id: 'acme' })
  const env = {
    ...process.env,
    RATECARD_API_URL: world.url,
    RATECARD_SERVICE_KEY: key,
    SESSION: session,
    TENANT: 'acme',
  }
  const { exit, stdout, stderr } = await output(process.execPath, [here('client.mjs')], env, world.cwd)
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
  expect(JSON.parse(stdout)).toMatchObject({
    valid: true,
    changes: { products: { created: ['pro'] }, meters: { created: ['calls'] } },
    meter: { id: 'calls' },
    id: 'pro',
    amount: 2700,
    prices: [{ id: 'pro_gold', amount: 700 }],
    urls: [expect.stringContaining(world.sandboxUrl), expect.stringContaining(world.sandboxUrl)],
  })
})

test('a shell script of thirty lines starts a project, pushes, gets secrets, deploys to three environments, pulls and resets', async () => {
  const cwd = path.join(world.cwd, 'script')
  const bin = path.join(world.cwd, 'bin')
  for (const folder of [cwd, bin]) mkdirSync(folder)
  const command = here('../../packages/ratecard/bin/ratecard.js')
  writeFileSync(path.join(bin, 'ratecard'), `#!/bin/sh\nexec '${process.execPath}' '${command}' "$@"\n`)
  chmodSync(path.join(bin, 'ratecard'), 0o755)
  const env = {
    ...{ PATH: `${bin}:${process.env['PATH'] ?? ''}`, HOME: world.home, HOOK_URL: 'https://example.com/hook' },
    ...{ RATECARD_API_URL: world.url, RATECARD_SERVICE_KEY: key },
  }
  const { exit, stdout, stderr } = await output('sh', [here('script.sh')], env, cwd)
  expect({ exit, stderr }).toMatchObject({ exit: 0 })
  for (const stage of ['production', 'staging', 'dev']) expect(stdout).toContain(`Hello from ${stage}`)
  expect(stdout).toMatch(/whsec_\w+/)
  expect(readFileSync(path.join(cwd, 'pulled.json'), 'utf8')).toContain('"id": "pro"')
})
