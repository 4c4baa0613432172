// The files of deploy/proxy in front of the real service, with TLS. Only names, ports and certificates are replaced.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { request as plainRequest, type IncomingMessage } from 'node:http'
import { request } from 'node:https'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { admin, billing } from '../support/app.ts'
import { temporaryFolder } from '../support/folder.ts'
import { firstAnswer, freePort, startProgram, systemProgram } from '../support/programs/local-programs.ts'
import { announceSkip } from '../support/skips.ts'

const root = path.resolve(import.meta.dirname, '../..')
const bin = path.join(root, 'packages/ratecard/bin/ratecard.js')
const host = 'billing.example.com'
const serviceKey = 'rk_behind_a_proxy_of_this_test'
const rateLimit = 5

interface Place {
  readonly folder: string
  readonly certificate: string
  readonly key: string
  readonly https: number
  readonly http: number
  /** Address of the service. */
  readonly upstream: string
}

interface Proxy {
  readonly name: string
  /** Writes the configuration. Returns the arguments to start the proxy. */
  command(place: Place): { readonly args: readonly string[]; readonly env: NodeJS.ProcessEnv }
}

const shipped = (name: string) => readFileSync(path.join(root, 'deploy/proxy', name), 'utf8')

const nginx: Proxy = {
  name: 'nginx',
  command: ({ folder, certificate, key, https, http, upstream }) => {
    const site = shipped('nginx.conf')
      .replaceAll(/listen \[::\]:.*\n/g, '')
      .replace('listen 80;', `listen 127.0.0.1:${String(http)};`)
      .replace('listen 443', `listen 127.0.0.1:${String(https)}`)
      .replace('127.0.0.1:4242', upstream)
      .replace(/\S+\/fullchain\.pem/, certificate)
      .replace(/\S+\/privkey\.pem/, key)
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (kind) => `${kind}_temp_path ${folder}/${kind};`,
    )
    const file = path.join(folder, 'nginx.conf')
    writeFileSync(
      file,
      `error_log stderr;\npid ${folder}/nginx.pid;\nevents {}\nhttp {\naccess_log off;\n${temporary.join('\n')}\n${site}\n}\n`,
    )
    return { args: ['-c', file, '-p', folder, '-g', 'daemon off; master_process off;'], env: {} }
  },
}

const caddy: Proxy = {
  name: 'caddy',
  command: ({ folder, certificate, key, https, http, upstream }) => {
    const ports = `admin off\n\tauto_https disable_certs\n\thttps_port ${String(https)}\n\thttp_port ${String(http)}`
    const site = shipped('Caddyfile')
      .replace('{\n\tservers', `{\n\t${ports}\n\tservers`)
      .replace(`${host} {\n`, `${host} {\n\tbind 127.0.0.1\n\ttls ${certificate} ${key}\n`)
      .replace('127.0.0.1:4242', upstream)
    const file = path.join(folder, 'Caddyfile')
    writeFileSync(file, site)
    const env = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
    return { args: ['run', '--config', file, '--adapter', 'caddyfile'], env }
  },
}

const haproxy: Proxy = {
  name: 'haproxy',
  command: ({ folder, certificate, key, https, http, upstream }) => {
    const both = path.join(folder, 'both.pem')
    writeFileSync(both, `${readFileSync(certificate, 'utf8')}${readFileSync(key, 'utf8')}`)
    const site = shipped('haproxy.cfg')
      .replace('bind :80', `bind 127.0.0.1:${String(http)}`)
      .replace('bind :443', `bind 127.0.0.1:${String(https)}`)
      .replace(/\S+\.pem/, both)
      .replace('127.0.0.1:4242', upstream)
    const file = path.join(folder, 'haproxy.cfg')
    writeFileSync(file, site)
    return { args: ['-db', '-f', file], env: {} }
  },
}

const proxies = [nginx, caddy, haproxy].filter(({ name }) => {
  const there = systemProgram(name) !== undefined && systemProgram('openssl') !== undefined
  if (!there) announceSkip('proxies', `${name} or openssl is not installed`)
  return there
})

interface Ask {
  readonly method?: string
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
  /** The client’s own address. */
  readonly from?: string
}

test.each(proxies)(
  '$name with TLS passes on prices, pushes and their events, and the service sees the address of each client',
  { timeout: 120_000 },
  async ({ name, command }) => {
    const folder = temporaryFolder()
    const [certificate, key] = [path.join(folder, 'cert.pem'), path.join(folder, 'key.pem')]
    const names = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`]
    spawnSync(systemProgram('openssl') ?? '', [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      key,
      '-out',
      certificate,
      ...names,
    ])
    const service = startProgram(
      process.execPath,
      [bin, 'server', 'start', '--port', '0', '--data-dir', path.join(folder, 'data'), '--json'],
      {
        HOME: folder,
        RATECARD_SERVICE_KEY: serviceKey,
        RATECARD_SANDBOX_PORT: '0',
        RATECARD_WORKERS: 'off',
        RATECARD_PUBLIC_URL: `https://${host}`,
        RATECARD_TRUSTED_PROXIES: '127.0.0.1',
        RATECARD_RATE_LIMIT: String(rateLimit),
      },
      folder,
    )
    const upstream = new URL((await firstAnswer<{ url: string }>(service)).url).host
    const place = { folder, certificate, key, upstream, https: await freePort(), http: await freePort() }
    const { args, env } = command(place)
    const proxy = startProgram(systemProgram(name) ?? name, args, env, folder)

    const ca = readFileSync(certificate)
    const open = (way: string, { method = 'GET', body, headers = {}, from = '127.0.0.2' }: Ask = {}) =>
      new Promise<IncomingMessage>((resolve, reject) => {
        const json = body === undefined ? {} : { 'content-type': 'application/json' }
        const asked = request(
          {
            host: '127.0.0.1',
            port: place.https,
            servername: host,
            localAddress: from,
            ca,
            agent: false,
            method,
            path: way,
            headers: { host, ...json, ...headers },
          },
          resolve,
        )
        asked.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body))
      })
    const ask = async (way: string, given: Ask = {}) => {
      const response = await open(way, given)
      let text = ''
      for await (const part of response) text += String(part)
      return { status: response.statusCode, headers: response.headers, text }
    }
    const isUp = () =>
      ask('/healthz').then(
        ({ status }) => status === 200,
        () => false,
      )
    while (!(await isUp())) {
      if (proxy.child.exitCode !== null) throw new Error(proxy.said())
      await pause(50)
    }

    // Pushes, and reads the events of the push while it runs.
    const prices = Array.from({ length: 40 }, (_, index) => ({
      id: `pro_${String(index)}`,
      amount: 1000 + index,
      currency: 'eur',
      interval: 'month',
    }))
    const keyed = { 'x-service-key': serviceKey }
    const started = await ask(`${admin}/config`, {
      method: 'POST',
      body: { version: '1.0.0', products: [{ id: 'pro', name: 'Pro', prices }] },
      headers: { ...keyed, prefer: 'respond-async' },
    })
    expect(started).toMatchObject({ status: 202 })
    const { push_id: id } = JSON.parse(started.text) as { push_id: string }
    const events = await open(`${admin}/pushes/${id}/events`, { headers: { ...keyed, accept: 'text/event-stream' } })
    expect(events.headers['content-type']).toMatch(/^text\/event-stream/)
    let parts = 0
    let heard = ''
    for await (const part of events) {
      parts += 1
      heard += String(part)
      if (heard.includes('"state":"applied"')) break
    }
    events.destroy()
    expect(heard).toContain('"state":"applied"')
    expect(parts).toBeGreaterThan(1)

    const list = await ask(`${billing}/config`)
    expect(list).toMatchObject({ status: 200, headers: { etag: expect.any(String) as unknown } })
    const again = await ask(`${billing}/config`, { headers: { 'if-none-match': String(list.headers.etag) } })
    expect(again.status).toBe(304)
    expect((await ask('/metrics', { headers: keyed })).status).toBe(404)

    // An address that the client claims is ignored: otherwise these requests would share a limit and be refused.
    const headers = { 'x-forwarded-for': '203.0.113.7', 'x-service-key': 'rk_not_a_key_of_this_service' }
    const statuses = new Set<number | undefined>()
    for (let call = 0; call <= rateLimit; call++)
      statuses.add((await ask(`${admin}/config`, { from: '127.0.0.3', headers })).status)
    expect([...statuses]).toEqual([401])

    // Without TLS, every request is redirected to https.
    const bare = await new Promise<IncomingMessage>((resolve, reject) => {
      plainRequest({ host: '127.0.0.1', port: place.http, path: '/healthz', headers: { host }, agent: false }, resolve)
        .on('error', reject)
        .end()
    })
    bare.resume()
    expect([301, 308]).toContain(bare.statusCode)
    expect(bare.headers.location).toMatch(/^https:/)
  },
)
