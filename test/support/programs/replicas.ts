// Several server processes on one PostgreSQL, and one sandbox processor in a separate process.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import Stripe from 'stripe'
import { onTestFinished } from 'vitest'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import type { LoggedRequest } from '../../../packages/sandbox/src/protocol/requests/request-log.ts'
import { generateMasterKey } from '../../../packages/ratecard/src/store/seal.ts'
import { admin } from '../app.ts'
import { temporaryFolder } from '../folder.ts'
import { startPostgres } from '../stores/postgres.ts'
import type { OldRelease } from '../stores/old-store.ts'
import type { ReplicaOrder } from './replica.ts'

const command = fileURLToPath(new URL('../../../packages/ratecard/bin/ratecard.js', import.meta.url))
const script = fileURLToPath(new URL('replica.ts', import.meta.url))
export const serviceKey = 'rk_replicas_of_one_service'
const secretKey = 'sk_test_severalReplicas0000'

export interface Served {
  readonly version: string
  readonly revision: number
  readonly config: BillingConfig
}

export interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

export interface Replica {
  readonly url: string
  /** True if the process is stopped (SIGSTOP). */
  isStopped(): boolean
  signal(name: NodeJS.Signals): void
  /** Resolves with the exit code; null after a signal. */
  readonly ended: Promise<number | null>
}

export interface ReplicaWorld {
  readonly databaseUrl: string
  readonly masterKey: string
  readonly sandboxUrl: string
  /** Stripe client of the same account, for edits made outside of Ratecard. */
  readonly stripe: Stripe
  /** Starts the real command. */
  startServer(env?: NodeJS.ProcessEnv, port?: number): Promise<Replica>
  /** Starts the service of an earlier release, as kept by `scripts/keep-release.ts`. */
  startRelease(release: OldRelease): Promise<Replica>
  /** Starts the service by replica.ts. */
  startReplica(options?: Partial<Pick<ReplicaOrder, 'leaseMs' | 'mirror' | 'stop'>>): Promise<Replica>
  /** Write requests to the processor since the previous call. */
  takeWrites(): Promise<readonly LoggedRequest[]>
}

/** Starts the processor and the database. All processes end with the test. */
export async function replicaWorld(): Promise<ReplicaWorld> {
  const folder = temporaryFolder()
  const postgres = await startPostgres()
  onTestFinished(() => postgres.close())
  const databaseUrl = await postgres.createDatabase()
  const masterKey = generateMasterKey()
  const start = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
    startProcess(args, { ...process.env, ...env }, folder)
  const sandbox = await start([command, 'sandbox', '--port', '0', '--json'])
  const common = { masterKey, serviceKey, secretKey, apiBase: sandbox.url, databaseUrl }
  const dataDir = path.join(folder, 'data')
  const settings = {
    HOME: folder,
    DATABASE_URL: databaseUrl,
    RATECARD_MASTER_KEY: masterKey,
    RATECARD_SERVICE_KEY: serviceKey,
    RATECARD_WORKERS: 'off',
    RATECARD_LOG_LEVEL: 'silent',
    STRIPE_SECRET_KEY: secretKey,
    STRIPE_API_BASE: sandbox.url,
  }
  return {
    databaseUrl,
    masterKey,
    sandboxUrl: sandbox.url,
    stripe: new Stripe(secretKey, {
      host: '127.0.0.1',
      port: Number(new URL(sandbox.url).port),
      protocol: 'http',
      telemetry: false,
    }),
    startServer: (env = {}, port = 0) =>
      start([command, 'server', 'start', '--port', String(port), '--data-dir', dataDir, '--json'], {
        ...settings,
        ...env,
      }),
    startRelease: (release) => start([unpacked(release), dataDir], settings),
    startReplica: (options = {}) =>
      start([script, JSON.stringify({ ...common, leaseMs: 15_000, stop: null, ...options } satisfies ReplicaOrder)]),
    takeWrites: async () => {
      const log = `${sandbox.url}/_sandbox/requests`
      const { requests } = (await (await fetch(log)).json()) as { requests: readonly LoggedRequest[] }
      await fetch(log, { method: 'DELETE' })
      return requests.filter(({ method }) => method !== 'GET')
    },
  }
}

/** Unpacks a release to a folder where it finds the installed libraries. Returns the script; its argument is the data folder. */
function unpacked(release: OldRelease): string {
  const packed = readFileSync(path.join(release.folder, `services/${release.name}.json.gz`))
  const files = JSON.parse(gunzipSync(packed).toString('utf8')) as Readonly<Record<string, string>>
  const results = fileURLToPath(new URL('../../../test-results/', import.meta.url))
  mkdirSync(results, { recursive: true })
  const folder = mkdtempSync(path.join(results, `service-${release.name}-`))
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  for (const [name, content] of Object.entries(files)) writeFileSync(path.join(folder, name), content)
  const main = path.join(folder, 'start.mjs')
  writeFileSync(
    main,
    `import { startServer } from './main.js'
try {
  const server = await startServer({ env: process.env, port: 0, dataDir: process.argv[2], out: () => undefined })
  process.on('SIGTERM', () => server.close().then(() => process.exit(0)))
  console.log(JSON.stringify({ url: server.url }))
} catch (error) {
  console.log(JSON.stringify({ refused: error.code, detail: error.message }))
}
`,
  )
  return main
}

/** Starts a replica of any order. */
export function startReplicaProcess(order: ReplicaOrder): Promise<Replica> {
  return startProcess([script, JSON.stringify(order)], process.env, temporaryFolder())
}

/** Starts a process that prints its address in a first line of JSON. */
async function startProcess(args: readonly string[], env: NodeJS.ProcessEnv, cwd: string): Promise<Replica> {
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const lines = createInterface({ input: child.stdout })
  const [line] = (await Promise.race([
    once(lines, 'line'),
    ended.then((code) => {
      throw new Error(`${args.join(' ')} ended with ${String(code)}`)
    }),
  ])) as [string]
  const { url, ...other } = JSON.parse(line) as { readonly url?: string }
  if (url === undefined) throw new Error(JSON.stringify(other))
  return {
    url,
    // Reads the state after the last parenthesis, because the process name in parentheses may contain spaces.
    isStopped: () => /\) T /.test(readFileSync(`/proc/${String(child.pid)}/stat`, 'utf8')),
    signal: (name) => void child.kill(name),
    ended,
  }
}

export async function push(
  replica: Pick<Replica, 'url'>,
  document: BillingConfig,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const response = await fetch(`${replica.url}${admin}/config`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-service-key': serviceKey, ...headers },
    body: JSON.stringify(document),
  })
  return { status: response.status, body: (await response.json()) as Answer['body'] }
}

/** Document served by the replica, including hidden prices, without processor ids. Null if it serves none. */
export async function served(replica: Pick<Replica, 'url'>): Promise<Served | null> {
  const response = await fetch(`${replica.url}${admin}/config`, { headers: { 'x-service-key': serviceKey } })
  const text = await response.text()
  if (response.status === 404) return null
  if (response.status !== 200) throw new Error(`${String(response.status)} ${text}`)
  return JSON.parse(text, (name, value: unknown) => (name === 'processor_id' ? undefined : value)) as Served
}
