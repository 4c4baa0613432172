// The services of compose.yaml, started on this machine with the same commands and settings: two replicas on PostgreSQL behind HAProxy,
// each restarted during requests and a push. Only addresses are replaced.
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import type { BillingConfig } from '../../packages/ratecard/src/document/schema/schema.ts'
import { generateMasterKey } from '../../packages/ratecard/src/store/seal.ts'
import { admin, billing } from '../support/app.ts'
import { temporaryFolder } from '../support/folder.ts'
import { postgresInstalled, startPostgres } from '../support/stores/postgres.ts'
import { firstAnswer, freePort, startProgram, systemProgram } from '../support/programs/local-programs.ts'
import { announceSkip } from '../support/skips.ts'

const root = path.resolve(import.meta.dirname, '../..')
const bin = path.join(root, 'packages/ratecard/bin/ratecard.js')
const haproxy = systemProgram('haproxy')
const installed = haproxy !== undefined && postgresInstalled()
if (!installed) announceSkip('compose', 'HAProxy or a PostgreSQL server is not installed')

interface Service {
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly volumes: readonly string[]
}
type Values = Readonly<Record<string, string>>

const serviceKey = 'rk_compose_of_this_test_0000'
const services = (
  parse(readFileSync(path.join(root, 'compose.yaml'), 'utf8'), { merge: true }) as { services: Record<string, Service> }
).services

/** Replaces `${NAME}`, `${NAME:-other}` and `${NAME:?why}` as compose does. */
function filledIn(environment: Values, values: Values): Record<string, string> {
  const fill = (text: string) =>
    text.replaceAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (whole, name: string, kind?: string, other = '') => {
      const value = values[name] ?? ''
      if (value === '' && kind === '?') throw new Error(`${whole} is not given`)
      return value === '' && kind === '-' ? String(other) : value
    })
  return Object.fromEntries(Object.entries(environment).map(([name, text]) => [name, fill(text)]))
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await pause(50)
}

/** More steps than a replica can run during its shutdown, at the rate limit of test keys. */
const large = (amount: number): BillingConfig => ({
  version: '2.0.0',
  products: Array.from({ length: 130 }, (_, index) => ({
    id: `plan_${String(index)}`,
    name: `Plan ${String(index)}`,
    prices: [{ id: `plan_${String(index)}_monthly`, amount: amount + index, currency: 'eur', interval: 'month' }],
  })),
})
const small = (amount: number): BillingConfig => ({
  version: '1.0.0',
  products: [
    { id: 'plan_0', name: 'Pro', prices: [{ id: 'plan_0_monthly', amount, currency: 'eur', interval: 'month' }] },
  ],
})

test.runIf(installed)(
  'with compose.yaml, no request fails while both replicas are restarted, and a running push is completed or resumed',
  { timeout: 240_000 },
  async () => {
    const folder = temporaryFolder()
    const postgres = await startPostgres()
    onTestFinished(() => postgres.close())
    const databaseUrl = await postgres.createDatabase()
    const plain = { PATH: process.env['PATH'], HOME: folder }
    const sandbox = startProgram(process.execPath, [bin, 'sandbox', '--port', '0', '--json'], plain, folder)
    const { url: stripeUrl } = await firstAnswer<{ url: string }>(sandbox)
    const values = {
      POSTGRES_PASSWORD: 'unused',
      RATECARD_MASTER_KEY: generateMasterKey(),
      RATECARD_SERVICE_KEY: serviceKey,
      STRIPE_SECRET_KEY: 'sk_test_composeOfThisTest0000',
      STRIPE_API_BASE: stripeUrl,
      RATECARD_TRUSTED_PROXIES: '127.0.0.1',
    }
    const names = Object.keys(services).filter((name) => name.startsWith('ratecard-'))
    const ports = new Map(await Promise.all(names.map(async (name) => [name, await freePort()] as const)))
    const startReplica = async (name: string): Promise<ChildProcess> => {
      const { command, environment } = services[name] as Service
      const here = {
        DATABASE_URL: databaseUrl,
        RATECARD_HOST: '127.0.0.1',
        RATECARD_PORT: String(ports.get(name)),
        RATECARD_DATA_DIR: path.join(folder, name),
        RATECARD_WORKERS: 'off',
        RATECARD_LOG_LEVEL: 'silent',
      }
      const env = { ...plain, ...filledIn(environment, values), ...here }
      const replica = startProgram(process.execPath, [bin, ...command, '--json'], env, folder)
      await firstAnswer(replica)
      return replica.child
    }
    const replicas = new Map<string, ChildProcess>()
    for (const name of names) replicas.set(name, await startReplica(name))

    const { command, environment, volumes } = services['balancer'] as Service
    const entry = `http://127.0.0.1:${String(await freePort())}`
    const [source = '', target = ''] = (volumes[0] ?? '').split(':')
    const args = command.slice(1).map((word) => (word === target ? path.join(root, source) : word))
    const addresses = Object.fromEntries(
      Object.entries(environment).map(([name, value]) => {
        const port = ports.get(value.split(':')[0] ?? '')
        return [name, port === undefined ? entry.slice('http://'.length) : `127.0.0.1:${String(port)}`]
      }),
    )
    startProgram(haproxy as string, args, { ...plain, ...addresses }, folder)

    const headers = { 'content-type': 'application/json', 'x-service-key': serviceKey }
    const ask = async (way: string, init: { method?: string; body?: string; headers?: Values } = {}) => {
      const response = await fetch(`${entry}${way}`, { ...init, headers: { ...headers, ...init.headers } })
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    }
    await until(() =>
      fetch(`${entry}/readyz`).then(
        ({ status }) => status === 200,
        () => false,
      ),
    )
    const post = (document: BillingConfig, more: Values = {}) =>
      ask(`${admin}/config`, { method: 'POST', body: JSON.stringify(document), headers: more })
    expect(await post(small(1000))).toMatchObject({ status: 200, body: { status: 'applied' } })

    let running = true
    const answers = new Map<number, number>()
    const reading = async (way: string) => {
      while (running) {
        const { status } = await ask(way)
        answers.set(status, (answers.get(status) ?? 0) + 1)
        await pause(5)
      }
    }
    const stateOf = async (id: string) => String((await ask(`${admin}/pushes/${id}`)).body['state'])
    const restarting = async () => {
      try {
        for (const name of names) {
          const old = replicas.get(name) as ChildProcess
          const ended = once(old, 'exit')
          old.kill('SIGTERM')
          expect(await ended).toEqual([0, null])
          replicas.set(name, await startReplica(name))
          // As in the guide: restart the next replica only when this one is ready and the load balancer knows it.
          await until(async () => (await fetch(`http://127.0.0.1:${String(ports.get(name))}/readyz`)).status === 200)
          await pause(2000)
        }
      } finally {
        running = false
      }
    }
    const started = await post(large(2000), { prefer: 'respond-async', 'idempotency-key': 'the-large-one' })
    expect(started).toMatchObject({ status: 202 })
    const id = String(started.body['push_id'])
    await Promise.all([
      reading(`${billing}/config`),
      reading(`${billing}/config`),
      reading(`${admin}/pushes`),
      restarting(),
    ])
    expect([...answers.keys()]).toEqual([200])
    expect(answers.get(200)).toBeGreaterThan(100)

    const ends = ['applied', 'interrupted', 'failed']
    await until(async () => ends.includes(await stateOf(id)))
    if ((await stateOf(id)) !== 'applied')
      expect(await ask(`${admin}/pushes/${id}/resume`, { method: 'POST' })).toMatchObject({ status: 200 })
    // Every replica serves it within two seconds.
    const served = async () => ((await ask(`${billing}/config`)).body as unknown as { config: BillingConfig }).config
    await until(async () => (await served()).products.length === 130)
  },
)
