import { createHmac } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { cliWorld, type CliWorld, type Ran } from '../../cli/cli-world.ts'
import { listenLocally } from '../../support/listen.ts'

interface Dev {
  readonly url: string
  output(): string
  /** Resolves when the output contains the text. Rejects if the command ends before. */
  shows(text: string | RegExp): Promise<void>
  press(key: string): void
  readonly ended: Promise<Ran>
}

const open: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

function project(): CliWorld {
  const world = cliWorld()
  open.push(async () => world.remove())
  return world
}

async function dev(world: CliWorld, ...words: string[]): Promise<Dev> {
  const stopping = new AbortController()
  let output = ''
  let press: (key: string) => void = () => undefined
  const waiting = new Set<() => void>()
  const ended = world.run(['cloud', 'workers', 'dev', '--port', '0', ...words], {
    signal: stopping.signal,
    onOutput: (text) => {
      output += text
      for (const look of waiting) look()
    },
    keys: (listener) => {
      press = listener
      return () => undefined
    },
  })
  const shows = (text: string | RegExp): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = () => {
        if (typeof text === 'string' ? !output.includes(text) : !text.test(output)) return
        waiting.delete(look)
        resolve()
      }
      waiting.add(look)
      look()
      void ended.then(({ exit }) => reject(new Error(`ended with ${exit} before "${String(text)}":\n${output}`)))
    })
  open.push(async () => {
    stopping.abort()
    await ended
  })
  await shows(/on http:\/\/127\.0\.0\.1:\d+/)
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0] ?? ''
  return { url, output: () => output, shows, press: (key) => press(key), ended }
}

async function until<T>(read: () => Promise<T>, fits: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await read()
    if (fits(value)) return value
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

const manifest = (more = '') => `name = "local"\nmain = "src/index.ts"\ncompatibility_date = "2026-11-01"\n${more}`
const answering = (text: string) => `export default { fetch: (request, env) => new Response('${text} ' + env.NAME) }\n`

function small(world: CliWorld, code = answering('one')): void {
  world.write('ratecard/workers/wrangler.toml', manifest())
  world.write('ratecard/workers/src/index.ts', code)
  world.write('ratecard/environments/.env.dev', 'NAME=dev\n')
  world.write('ratecard/environments/.env.staging', 'NAME=staging\n')
}

const textOf = async (url: string) => (await fetch(url)).text()

describe('ratecard cloud workers dev', () => {
  it('serves a new project: its page, its webhook with signature check, and its scheduled handler by URL and by key press', async () => {
    const world = project()
    await world.run(['init'])
    const secret = 'whsec_of_the_test'
    world.write('ratecard/environments/.env.dev', `BILLING_WEBHOOK_SECRET=${secret}\n`)
    const local = await dev(world)
    await local.shows('ready in')
    expect(await (await fetch(local.url)).json()).toMatchObject({ ok: true })

    const payload = JSON.stringify({ id: 'evt_1', object: 'event', type: 'invoice.paid', data: { object: {} } })
    const deliver = (body: string, signature: string) =>
      fetch(`${local.url}/hooks/billing`, { method: 'POST', body, headers: { 'stripe-signature': signature } })
    const time = Math.floor(Date.now() / 1000)
    const signature = `t=${time},v1=${createHmac('sha256', secret).update(`${time}.${payload}`).digest('hex')}`
    expect((await deliver(payload, signature)).status).toBe(204)
    await local.shows('billing event invoice.paid (evt_1)')
    expect((await deliver(`${payload} `, signature)).status).toBe(400)

    const fired = await fetch(`${local.url}/cdn-cgi/handler/scheduled?cron=0+6+*+*+1&time=${Date.UTC(2026, 10, 21, 7)}`)
    expect([fired.status, await fired.text()]).toEqual([200, 'ok\n'])
    await local.shows('"0 6 * * 1" of 2026-11-21T07:00:00.000Z; billing service: http://127.0.0.1:4242')
    const refused = await fetch(`${local.url}/cdn-cgi/handler/scheduled?cron=0+6+*+*+7`)
    expect(await refused.json()).toMatchObject({ code: 'cron_invalid', detail: expect.stringContaining('Write 0') })
    local.press('s')
    await local.shows('scheduled "* * * * *" ok')
    local.press('r')
    await local.shows('✓ reloaded')
    local.press('q')
    expect((await local.ended).exit).toBe(0)
  })

  it('reloads on each save, and keeps serving the last valid version if the new version is broken', async () => {
    const world = project()
    small(world)
    const local = await dev(world)
    await local.shows('ready in')
    expect(await textOf(local.url)).toBe('one dev')

    for (let turn = 0; turn < 7; turn++) {
      world.write('ratecard/workers/src/index.ts', answering(`turn${turn}`))
      await until(
        () => textOf(local.url),
        (text) => text === `turn${turn} dev`,
      )
    }

    world.write('ratecard/workers/src/index.ts', 'export default {\n  fetch( {}\n}\n')
    await local.shows('> 3 | }')
    await local.shows('The last good version keeps serving.')
    expect(await textOf(local.url)).toBe('turn6 dev')
    world.write('ratecard/workers/src/index.ts', `throw new Error('at the top')\nexport default {}\n`)
    await local.shows(/at the top[^]*src\/index\.ts:1:/)
    expect(await textOf(local.url)).toBe('turn6 dev')
    world.write('ratecard/workers/src/index.ts', answering('well'))
    await until(
      () => textOf(local.url),
      (text) => text === 'well dev',
    )
  })

  it('reloads on a change of the environment file, the manifest and files in other folders', async () => {
    const world = project()
    small(
      world,
      `import { text } from '../../lib/text.ts'\nexport default { fetch: (r, env) => new Response(text + env.NAME + env.X) }\n`,
    )
    world.write('ratecard/lib/text.ts', `export const text = 'a'\n`)
    const local = await dev(world, '--env', 'staging')
    await local.shows('ready in')
    expect(await textOf(local.url)).toBe('astagingundefined')
    world.write('ratecard/lib/text.ts', `export const text = 'b'\n`)
    await until(
      () => textOf(local.url),
      (text) => text === 'bstagingundefined',
    )
    world.write('ratecard/environments/.env.staging', 'NAME=changed\n')
    await until(
      () => textOf(local.url),
      (text) => text === 'bchangedundefined',
    )
    world.write('ratecard/workers/wrangler.toml', manifest('[vars]\nX = "x"\n'))
    await until(
      () => textOf(local.url),
      (text) => text === 'bchangedx',
    )
  })

  it('prints requests, console output and stack traces with the positions in the author’s files', async () => {
    const world = project()
    const code = `import { fail } from './fail.ts'\nexport default { fetch() { console.warn('careful'); console.error(new Error('told')); return fail() } }\n`
    small(world, code)
    world.write(
      'ratecard/workers/src/fail.ts',
      `export function fail(): Response {\n  throw new Error('as planned')\n}\n`,
    )
    const local = await dev(world)
    await local.shows('ready in')
    expect((await fetch(`${local.url}/path?q=1`)).status).toBe(500)
    await local.shows(/GET \/path\?q=1 500 exception/)
    await local.shows('warn  careful')
    await local.shows(/error Error: told\n\s+at Object\.fetch \(src\/index\.ts:2:\d+\)/)
    await local.shows(/Error: as planned\n\s+at fail \(src\/fail\.ts:2:9\)/)
  })

  it('lets the worker call the service and allowed hosts, and refuses other private addresses', async () => {
    const inside = http.createServer((_request, response) => response.end('inside'))
    await listenLocally(inside)
    open.push(() => new Promise((resolve) => inside.close(resolve)))
    const url = `http://127.0.0.1:${(inside.address() as AddressInfo).port}`
    const world = project()
    small(
      world,
      `export default { async fetch(r, env) { try { return await fetch('${url}') } catch (e) { return new Response(String(e)) } } }\n`,
    )
    const closed = await dev(world)
    await closed.shows('ready in')
    expect(await textOf(closed.url)).toContain('workers may not reach loopback')
    const host = await dev(world, '--allow-host', new URL(url).host)
    await host.shows('ready in')
    expect(await textOf(host.url)).toBe('inside')
  })

  it('prints an error if the port is already in use', async () => {
    const world = project()
    small(world)
    const local = await dev(world)
    const { port } = new URL(local.url)
    const second = await world.run(['cloud', 'workers', 'dev', '--port', port])
    expect(second.exit).toBe(1)
    expect(second.stderr).toContain(`Another program listens on port ${port}`)
    expect(second.stderr).toContain(`--port ${Number(port) + 1}`)
  })
})
