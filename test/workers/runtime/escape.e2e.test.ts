import { readFileSync } from 'node:fs'
import { readdir, readlink, stat } from 'node:fs/promises'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { RunningWorker } from '../../../packages/ratecard/src/workers/runtime/worker-runtime.ts'
import { allowedCompatibilityFlags } from '../../../packages/ratecard/src/workers/project/manifest-flags.ts'
import { front, recorder, spec, testRuntime } from './bench-host.ts'
import { listenLocally } from '../../support/listen.ts'

// Name resolution by this table only. The only real server is on loopback, so no request leaves the machine.
const names: Readonly<Record<string, readonly string[]>> = {
  'private.test': ['10.0.0.7'],
  'loopback.test': ['127.0.0.1'],
  'metadata.test': ['169.254.169.254'],
  'mixed.test': ['192.168.1.1', '::1'],
  'mapped.test': ['::ffff:127.0.0.1'],
  'internal.test': ['127.0.0.1'],
}

const hits: string[] = []
let target: http.Server
let port: number
beforeAll(async () => {
  target = http.createServer((request, response) => {
    hits.push(`${request.headers.host} ${request.url}`)
    if (request.url === '/redirect') response.writeHead(302, { location: `http://127.0.0.1:${port}/secret` }).end()
    else response.end('reached')
  })
  await listenLocally(target)
  port = (target.address() as AddressInfo).port
})
afterAll(() => new Promise((resolve) => target.close(resolve)))

const open: (() => Promise<void>)[] = []
afterEach(async () => {
  hits.length = 0
  for (const close of open.splice(0).reverse()) await close()
})

const code = `import { connect } from 'cloudflare:sockets'
import fs from 'node:fs'
import child from 'node:child_process'
const attempts = {
  async fetch(url) { const response = await fetch(url); return response.status + ' ' + await response.text() },
  async tcp(address) { const s = connect(address); const w = s.writable.getWriter(); await w.write(new TextEncoder().encode('GET / HTTP/1.0\\r\\n\\r\\n')); return new TextDecoder().decode((await s.readable.getReader().read()).value) },
  async read(file) { return fs.readFileSync(file, 'utf8') },
  async list(folder) { return fs.readdirSync(folder).join() },
  async exec() { return String(child.execSync('id')) },
  async eval() { return String(eval('1 + 1')) },
  async env() { return JSON.stringify([Object.keys(process.env), process.cwd()]) },
}
export default { async fetch(request) {
  const { what, arg } = await request.json()
  try { return Response.json({ got: await attempts[what](arg) }) } catch (error) { return Response.json({ refused: String(error) }) }
} }`

async function start(egress: Parameters<typeof testRuntime>[0] = {}): Promise<{
  worker: RunningWorker
  attempt: (what: string, arg?: string) => Promise<{ got?: string; refused?: string }>
}> {
  const runtime = testRuntime({ resolve: async (name) => names[name] ?? [], ...egress })
  const worker = await runtime.start(spec(code, { vars: { OWN: 'x' } }), recorder())
  const site = await front(() => worker)
  open.push(() => runtime.close(), site.close)
  return {
    worker,
    async attempt(what, arg) {
      const response = await fetch(site.url, { method: 'POST', body: JSON.stringify({ what, arg }) })
      return (await response.json()) as { got?: string; refused?: string }
    },
  }
}

describe('a worker cannot reach', () => {
  it('loopback, link-local or private addresses in any notation, by name, or by another scheme', async () => {
    const { attempt, worker } = await start()
    const pid = worker.stats().pid!
    const folder = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      .split('\0')
      .find((arg) => arg.endsWith('.capnp'))!
    const urls = [
      `http://127.0.0.1:${port}/`,
      `http://localhost:${port}/`,
      `http://2130706433:${port}/`,
      `http://0177.0.0.1:${port}/`,
      `http://0x7f.1:${port}/`,
      `http://127.1:${port}/`,
      `http://0.0.0.0:${port}/`,
      `http://[::1]:${port}/`,
      `http://[::]:${port}/`,
      `http://[::ffff:127.0.0.1]:${port}/`,
      `http://[::127.0.0.1]:${port}/`,
      `http://[64:ff9b::7f00:1]:${port}/`,
      `http://[fe80::1]/`,
      `http://[fd00::1]/`,
      `http://[ff02::1]/`,
      'http://169.254.169.254/latest/meta-data/',
      'http://10.0.0.1/',
      'http://172.16.0.1/',
      'http://192.168.0.1/',
      'http://100.64.0.1/',
      ...Object.keys(names).map((name) => `http://${name}:${port}/`),
      'http://unknown.test/',
      'https://127.0.0.1/',
      'file:///etc/passwd',
      `unix:${path.dirname(folder)}/c.sock`,
      `http+unix://${path.dirname(folder).replaceAll('/', '%2f')}%2fc.sock/ping`,
      'data:text/plain,x',
    ].filter((url) => !url.startsWith('data:'))
    for (const url of urls)
      expect({ url, ...(await attempt('fetch', url)) }).toEqual({ url, refused: expect.any(String) })
    expect(hits).toEqual([])
  })

  it('a private address through a redirect', async () => {
    const { attempt } = await start({ allowedHosts: new Set([`internal.test:${port}`]) })
    expect(await attempt('fetch', `http://internal.test:${port}/redirect`)).toEqual({
      refused: expect.stringContaining('may not reach loopback'),
    })
    expect(hits).toEqual([`internal.test:${port} /redirect`])
  })

  it('raw sockets, files of the host, other programs, eval or the host’s environment', async () => {
    const { attempt } = await start()
    for (const [what, arg] of [
      ['tcp', `127.0.0.1:${port}`],
      ['tcp', `internal.test:${port}`],
      ['read', '/etc/passwd'],
      ['read', '/proc/self/environ'],
      ['read', '/proc/1/cmdline'],
      ['exec', ''],
      ['eval', ''],
    ] as const)
      expect({ what, arg, ...(await attempt(what, arg)) }).toEqual({ what, arg, refused: expect.any(String) })
    expect(JSON.parse((await attempt('env')).got ?? '')).toEqual([['OWN'], expect.any(String)])
    expect(
      (await attempt('list', '/')).got
        ?.split(',')
        .filter((name) => ['etc', 'proc', 'home', 'root', 'work'].includes(name)),
    ).toEqual([])
    expect(hits).toEqual([])
  })
})

describe('a worker can reach', () => {
  it('the service’s own URL, and hosts that the operator allows, only on the allowed port', async () => {
    const service = { origins: new Set(['http://billing.test']), address: '127.0.0.1', port }
    const { attempt } = await start({ service, allowedHosts: new Set([`internal.test:${port}`]) })
    expect(await attempt('fetch', 'http://billing.test/api')).toEqual({ got: '200 reached' })
    expect(await attempt('fetch', `http://internal.test:${port}/x`)).toEqual({ got: '200 reached' })
    expect((await attempt('fetch', `http://internal.test:${port + 1}/`)).refused).toBeDefined()
    expect((await attempt('fetch', 'https://billing.test/api')).refused).toBeDefined()
    expect(hits).toEqual(['billing.test /api', `internal.test:${port} /x`])
  })
})

describe('the process of a worker', () => {
  it('has its own user, no capabilities, an empty network and a private folder without its configuration', async (test) => {
    const runtime = testRuntime()
    open.push(() => runtime.close())
    const { detail } = await runtime.state()
    if (!detail.includes('user of its own')) test.skip('users of their own need root')
    const worker = await runtime.start(spec(code, { vars: { SECRET: 'sesame' } }), recorder())
    const other = await runtime.start(spec(code), recorder())
    const pid = worker.stats().pid!
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const field = (name: string): string | undefined => new RegExp(`^${name}:[ \\t]*(.*)$`, 'm').exec(status)?.[1]
    expect([field('CapEff'), field('CapPrm'), field('CapBnd'), field('NoNewPrivs'), field('Groups')?.trim()]).toEqual([
      ...Array.from({ length: 3 }, () => '0000000000000000'),
      '1',
      '',
    ])
    const uid = Number(field('Uid')?.split('\t')[0])
    expect(uid).not.toBe(process.getuid?.())
    expect(readFileSync(`/proc/${other.stats().pid}/status`, 'utf8')).not.toContain(`Uid:\t${uid}\t`)
    for (const space of ['net', 'pid', 'ipc', 'uts'])
      expect(await readlink(`/proc/${pid}/ns/${space}`)).not.toBe(await readlink(`/proc/self/ns/${space}`))
    expect(
      readFileSync(`/proc/${pid}/net/dev`, 'utf8')
        .trim()
        .split('\n')
        .slice(2)
        .map((line) => line.split(':')[0]?.trim()),
    ).toEqual(['lo'])
    // The environment contains the working directory that bubblewrap sets, and nothing else.
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).toMatch(/^(PWD=\/\0)?$/)
    expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain('sesame')

    const folder = path.dirname(
      readFileSync(`/proc/${pid}/cmdline`, 'utf8')
        .split('\0')
        .find((arg) => arg.endsWith('.capnp'))!,
    )
    expect(folder.startsWith(os.tmpdir())).toBe(true)
    expect((await readdir(folder)).toSorted()).toEqual(['c.sock', 'e.sock', 'h.sock', 'pid'])
    const state = await stat(folder)
    expect([state.mode & 0o777, state.uid]).toEqual([0o700, uid])
  })

  it('is also confined in the weaker confinement modes', async () => {
    for (const confinement of ['namespaces', 'uid', 'none'] as const) {
      const runtime = testRuntime({}, { confinement })
      open.push(() => runtime.close())
      if (!(await runtime.state()).available) continue
      const worker = await runtime.start(spec(code), recorder())
      const site = await front(() => worker)
      open.push(site.close)
      const body = JSON.stringify({ what: 'fetch', arg: `http://127.0.0.1:${port}/` })
      expect(await (await fetch(site.url, { method: 'POST', body })).json()).toEqual({ refused: expect.any(String) })
    }
  })
})

describe('the runtime of workers', () => {
  it('supports each compatibility flag that a manifest may have', async () => {
    const runtime = testRuntime()
    open.push(() => runtime.close())
    const simple = 'export default { fetch() { return new Response() } }'
    const starts = async (flag: string): Promise<string> => {
      // An old compatibility date, at which flags that are the default today can still be chosen.
      const version = spec(simple, { compatibilityDate: '2024-01-01', compatibilityFlags: [flag] })
      const worker = await runtime.start(version, recorder()).catch((error: unknown) => String(error))
      if (typeof worker === 'string') return `${flag}: ${worker}`
      await worker.dispose()
      return 'ok'
    }
    for (const flag of allowedCompatibilityFlags) expect(await starts(flag)).toBe('ok')
  })
})
