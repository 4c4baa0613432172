// Settings from environment variables, read once at startup. All errors are reported at once.
import { isIP } from 'node:net'
import { Ajv } from 'ajv'
import { envSchema } from 'env-schema'
import { Type, type Static } from 'typebox'
import { customerActs, isCustomerAct, type CustomerAct } from '../api/server/limits.ts'
import { ServiceError } from '../base/errors/service-error.ts'
import { nearest } from '../base/errors/suggest.ts'
import { confinementModes, type ConfinementMode } from '../workers/runtime/confinement-modes.ts'

export interface Settings {
  readonly host: string
  readonly port: number
  readonly dataDir: string
  /** PostgreSQL URL; null means the embedded SQLite store in `dataDir`. */
  readonly databaseUrl: string | null
  readonly serviceKey: string | null
  /** Master keys as `<version>:<base64 of 32 bytes>`, newest first; null means the key file in `dataDir`. */
  readonly masterKey: string | null
  /** Stripe's secret key; null starts the sandbox processor inside the service. */
  readonly stripeSecretKey: string | null
  readonly stripeApiBase: string | null
  readonly sandboxPort: number
  readonly publicUrl: string | null
  /** Origins that sessions may name in redirect URLs; null if the setting is not set. */
  readonly allowedRedirects: readonly string[] | null
  readonly requireVersionBump: boolean
  /** Maximum number of live subscriptions that a push may affect without approval; null means no limit. */
  readonly impactThreshold: number | null
  /** Name of the environment, for policies. If it is null (unknown), policies for any named environment apply. */
  readonly environment: string | null
  /** Maximum trial (days) that a tenant session may request. */
  readonly sessionTrialDays: number
  readonly sessionMaxQuantity: number
  /** Acts that tenants' sessions may do with their subscriptions. */
  readonly customersMay: readonly CustomerAct[]
  /** Number of days that a tenant keeps its features after its oldest unpaid invoice was due. */
  readonly pastDueGraceDays: number
  readonly mirror: 'on' | 'off'
  /** Interval (s) between two polls of the processor's events; null means the default of the processor in use. */
  readonly mirrorPollSeconds: number | null
  /** Signing secret of an events endpoint that the operator created by hand. */
  readonly processorEventsSecret: string | null
  readonly workers: 'on' | 'off'
  /** Hosts that workers may call even if their addresses are private. */
  readonly workerAllowedHosts: readonly string[]
  /** Domain under which each worker is also served, at `<name>.<domain>`. */
  readonly workerDomain: string | null
  readonly workerConfinement: 'auto' | ConfinementMode
  readonly workerLogDays: number
  readonly workerIdleMinutes: number
  /** Rate limit per minute and client address. Failed authentications and successful calls without a key are counted separately. */
  readonly rateLimit: number
  /** Addresses and networks of trusted proxies, e.g. `10.0.0.0/8`. `X-Forwarded-For` is used only in requests that one of them sends. */
  readonly trustedProxies: readonly string[]
  /** Maximum number of open connections; null means half of the file descriptor limit. */
  readonly maxConnections: number | null
  readonly shutdownDelaySeconds: number
  readonly logLevel: LogLevel
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
type LogLevel = (typeof logLevels)[number]
const confinements = ['auto', ...confinementModes] as const

const Port = (description: string, fallback: number) =>
  Type.Integer({ minimum: 0, maximum: 65535, default: fallback, description })
const Text = (description: string) => Type.Optional(Type.String({ description }))

/** Pattern of names of environments. */
const environmentName = '^[a-z][a-z0-9-]{0,30}$'

/** Default maximum trial (days) that a tenant session may request. Most trials are shorter. */
export const defaultSessionTrialDays = 30

/** Default maximum quantity of a price that a tenant session may ask for. More is sold by people who talk to each other. */
export const defaultSessionMaxQuantity = 1000

/** Default number of days for which a tenant that does not pay keeps its features. */
export const defaultPastDueGraceDays = 14

/** Schema with one entry per environment variable. docs/reference/settings.md is generated from it. */
export const settingsSchema = Type.Object({
  RATECARD_HOST: Type.String({
    default: '127.0.0.1',
    minLength: 1,
    description: 'Address on which the API, the docs and worker routes listen.',
  }),
  RATECARD_PORT: Port('Port of the API. 0 picks a free one.', 4242),
  RATECARD_DATA_DIR: Type.String({
    default: './.ratecard',
    minLength: 1,
    description: 'Embedded store, sandbox state and generated keys.',
  }),
  DATABASE_URL: Text('URL of a PostgreSQL database, used instead of the embedded store.'),
  RATECARD_SERVICE_KEY: Type.Optional(
    Type.String({
      minLength: 16,
      description: 'First service key, at least 16 characters. Default: a key is generated at the first start.',
    }),
  ),
  RATECARD_MASTER_KEY: Text(
    'Encrypts stored secrets: `<version>:<base64 of 32 bytes>`, several separated by commas, newest first. Required with DATABASE_URL; otherwise a key file is generated.',
  ),
  STRIPE_SECRET_KEY: Text(
    'Secret key of the processor account. Without it the sandbox processor starts inside the service.',
  ),
  STRIPE_API_BASE: Text(
    'Base URL of another server that implements Stripe’s API, e.g. a sandbox on another machine. Refused with a live key.',
  ),
  RATECARD_SANDBOX_PORT: Port('Port of the embedded sandbox, on loopback. 0 picks a free one.', 4243),
  RATECARD_PUBLIC_URL: Text('Base URL of the links that the service returns. Default: derived from host and port.'),
  RATECARD_ALLOWED_REDIRECTS: Text(
    'Origins that a session cookie may name in the URLs of checkouts and the portal, separated by commas. The service’s own address and loopback are always allowed. Empty: no others. Not set: any https URL at a sandbox or test account, and no others at a live one. A service key may name any https URL.',
  ),
  RATECARD_REQUIRE_VERSION_BUMP: Type.Boolean({
    default: false,
    description: 'Refuse a push that changes the content but does not raise `version`.',
  }),
  RATECARD_IMPACT_THRESHOLD: Type.Optional(
    Type.Integer({
      minimum: 0,
      description:
        'Number of live subscriptions that a push may affect (by archiving or replacing their price) without --approve-impact. Default: any number, because they keep their price.',
    }),
  ),
  RATECARD_ENVIRONMENT: Type.Optional(
    Type.String({
      pattern: environmentName,
      description:
        'Name of this environment, e.g. `production`: policies may name environments. Default: `dev`; with a live key of Stripe the environment is unknown, and policies for any environment hold.',
    }),
  ),
  RATECARD_SESSION_TRIAL_DAYS: Type.Integer({
    minimum: 0,
    maximum: 730,
    default: defaultSessionTrialDays,
    description:
      'Longest trial (days) that a checkout with a session cookie may request. With a service key it is 730 days.',
  }),
  RATECARD_SESSION_MAX_QUANTITY: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    default: defaultSessionMaxQuantity,
    description:
      'Largest quantity of a price that a checkout, a trial or a change with a session cookie may ask for, unless the subscription has as many already. With a service key it is 1,000,000.',
  }),
  RATECARD_CUSTOMERS_MAY: Type.String({
    default: customerActs.join(','),
    description:
      'What tenants may do with their subscriptions using a session cookie, separated by commas: `change`, `cancel`, `resume`. Empty: nothing.',
  }),
  RATECARD_PAST_DUE_GRACE_DAYS: Type.Integer({
    minimum: 0,
    maximum: 365,
    default: defaultPastDueGraceDays,
    description:
      'Number of days after the due date of its oldest unpaid invoice for which a tenant keeps its features.',
  }),
  RATECARD_MIRROR: Type.Enum(['on', 'off'], {
    default: 'on',
    description:
      'Keeps a copy of subscriptions, invoices and refunds in the store. With `off` they are read from the processor each time, and requests that need the copy are refused.',
  }),
  RATECARD_MIRROR_POLL_SECONDS: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 86_400,
      description:
        'Seconds between two polls of the processor’s events. Default: 5 with a sandbox; 300 with Stripe, which limits the reads per month.',
    }),
  ),
  RATECARD_PROCESSOR_EVENTS_SECRET: Type.Optional(
    Type.String({
      minLength: 16,
      description:
        'Signing secret (`whsec_…`) of a webhook endpoint that you created by hand for `/api/v1/processor/events`. Not needed if RATECARD_PUBLIC_URL is https, because the service then creates an endpoint itself.',
    }),
  ),
  RATECARD_WORKERS: Type.Enum(['on', 'off'], {
    default: 'on',
    description: 'Host workers on this replica; `off` for a replica that serves only the API.',
  }),
  RATECARD_WORKER_ALLOWED_HOSTS: Text(
    'Hosts that workers may reach although their addresses are private, separated by commas: `db.internal` or `db.internal:8080`.',
  ),
  RATECARD_WORKER_DOMAIN: Text(
    'Domain under which each worker also has its own host name: with `workers.example.com` it is `<name>.workers.example.com`.',
  ),
  RATECARD_WORKER_SANDBOX: Type.Enum([...confinements], {
    default: 'auto',
    description:
      'How worker processes are confined. `auto` chooses the strictest mode that works on this machine; the start messages name it.',
  }),
  RATECARD_WORKER_LOG_DAYS: Type.Integer({
    minimum: 1,
    maximum: 365,
    default: 7,
    description: 'How long log lines of workers are kept.',
  }),
  RATECARD_WORKER_IDLE_MINUTES: Type.Integer({
    minimum: 1,
    maximum: 10080,
    default: 10,
    description: 'Minutes without a request after which a worker is stopped. The next request starts it again.',
  }),
  RATECARD_RATE_LIMIT: Type.Integer({
    minimum: 1,
    default: 600,
    description:
      'Maximum per minute and client address of failed authentications and, counted separately, of successful calls without a key. Loopback has no limit.',
  }),
  RATECARD_TRUSTED_PROXIES: Text(
    'Addresses and networks of trusted proxies in front of the service, separated by commas: `127.0.0.1, 10.0.0.0/8`. The client address is then the right-most address in X-Forwarded-For that is not a proxy’s. Default: none, and the header is ignored.',
  ),
  RATECARD_MAX_CONNECTIONS: Type.Optional(
    Type.Integer({
      minimum: 16,
      maximum: 1_000_000,
      description:
        'Maximum number of open connections. Beyond it, idle and slow connections are closed to make room for new ones, except those with requests of service keys. Default: half of the file descriptors, at most 16,384.',
    }),
  ),
  RATECARD_SHUTDOWN_DELAY_SECONDS: Type.Integer({
    minimum: 0,
    maximum: 300,
    default: 0,
    description:
      'Seconds for which the replica keeps serving after SIGTERM while `/readyz` returns 503, so that a load balancer sends requests elsewhere before the replica drains.',
  }),
  RATECARD_LOG_LEVEL: Type.Enum([...logLevels], { default: 'info', description: 'Lowest severity that is logged.' }),
})

type Raw = ReturnType<typeof readRaw>

/** Settings whose empty value has a meaning of its own, which the description states. All others count as not set if they are empty. */
const emptyMeansNone = new Set(['RATECARD_ALLOWED_REDIRECTS', 'RATECARD_CUSTOMERS_MAY'])

function readRaw(env: NodeJS.ProcessEnv) {
  const given = Object.fromEntries(
    Object.entries(env).filter(([name, value]) => value !== undefined && (value !== '' || emptyMeansNone.has(name))),
  )
  return envSchema<Static<typeof settingsSchema>>({
    schema: settingsSchema,
    data: given,
    env: false,
    dotenv: false,
    ajv: new Ajv({ allErrors: true, removeAdditional: true, useDefaults: true, coerceTypes: true, strict: false }),
  })
}

/**
 * Parses the environment variables. Throws ServiceError `settings_invalid` with the names of all invalid variables, never with their
 * values.
 */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  let raw: Raw
  try {
    raw = readRaw(env)
  } catch (error) {
    throw settingsInvalid(problemsOf(error))
  }
  const problems = [...checkUrls(raw), ...checkTogether(raw)]
  if (problems.length > 0) throw settingsInvalid(problems)
  return {
    host: raw.RATECARD_HOST,
    port: raw.RATECARD_PORT,
    dataDir: raw.RATECARD_DATA_DIR,
    databaseUrl: raw.DATABASE_URL ?? null,
    serviceKey: raw.RATECARD_SERVICE_KEY ?? null,
    masterKey: raw.RATECARD_MASTER_KEY ?? null,
    stripeSecretKey: raw.STRIPE_SECRET_KEY ?? null,
    stripeApiBase: raw.STRIPE_API_BASE ?? null,
    sandboxPort: raw.RATECARD_SANDBOX_PORT,
    publicUrl: raw.RATECARD_PUBLIC_URL?.replace(/\/+$/, '') ?? null,
    allowedRedirects: raw.RATECARD_ALLOWED_REDIRECTS === undefined ? null : listOf(raw.RATECARD_ALLOWED_REDIRECTS),
    requireVersionBump: raw.RATECARD_REQUIRE_VERSION_BUMP,
    impactThreshold: raw.RATECARD_IMPACT_THRESHOLD ?? null,
    environment: raw.RATECARD_ENVIRONMENT ?? (isLive(raw.STRIPE_SECRET_KEY) ? null : 'dev'),
    sessionTrialDays: raw.RATECARD_SESSION_TRIAL_DAYS,
    sessionMaxQuantity: raw.RATECARD_SESSION_MAX_QUANTITY,
    customersMay: listOf(raw.RATECARD_CUSTOMERS_MAY).filter(isCustomerAct),
    pastDueGraceDays: raw.RATECARD_PAST_DUE_GRACE_DAYS,
    mirror: raw.RATECARD_MIRROR,
    mirrorPollSeconds: raw.RATECARD_MIRROR_POLL_SECONDS ?? null,
    processorEventsSecret: raw.RATECARD_PROCESSOR_EVENTS_SECRET ?? null,
    workers: raw.RATECARD_WORKERS,
    workerAllowedHosts: listOf(raw.RATECARD_WORKER_ALLOWED_HOSTS).map((host) => host.toLowerCase()),
    workerDomain: raw.RATECARD_WORKER_DOMAIN?.toLowerCase() ?? null,
    workerConfinement: raw.RATECARD_WORKER_SANDBOX,
    workerLogDays: raw.RATECARD_WORKER_LOG_DAYS,
    workerIdleMinutes: raw.RATECARD_WORKER_IDLE_MINUTES,
    rateLimit: raw.RATECARD_RATE_LIMIT,
    trustedProxies: listOf(raw.RATECARD_TRUSTED_PROXIES),
    maxConnections: raw.RATECARD_MAX_CONNECTIONS ?? null,
    shutdownDelaySeconds: raw.RATECARD_SHUTDOWN_DELAY_SECONDS,
    logLevel: raw.RATECARD_LOG_LEVEL,
  }
}

/** Variables of other programs of Ratecard: the command line, its integrations, the container image. */
const otherVariables = /^RATECARD_(API_URL|READ_KEY|WRITE_KEY|VERSION|IMAGE|NODE_CHOSEN|CI_\w+|TEST_\w+)$/

/**
 * Returns a sentence about each variable that begins with `RATECARD_` and is no setting, with the nearest name of a setting, e.g.
 * `RATECARD_PROT is no setting. Did you mean RATECARD_PORT?`
 */
export function unknownSettings(env: NodeJS.ProcessEnv): string[] {
  const known = Object.keys(settingsSchema.properties)
  return Object.keys(env)
    .filter((name) => name.startsWith('RATECARD_') && !known.includes(name) && !otherVariables.test(name))
    .toSorted()
    .map((name) => {
      const meant = nearest(name, known, true)
      return meant === undefined ? `${name} is no setting.` : `${name} is no setting. Did you mean ${meant}?`
    })
}

function listOf(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

function settingsInvalid(problems: readonly string[]): ServiceError {
  return new ServiceError('settings_invalid', problems.join(' '), {
    hint: 'Correct the environment and start again. All settings: docs/reference/settings.md.',
  })
}

function problemsOf(error: unknown): string[] {
  const errors = (
    error as { errors?: { instancePath?: string; message?: string; params?: { allowedValues?: unknown[] } }[] }
  ).errors
  if (errors === undefined) return ['The environment could not be read.']
  return errors.map(({ instancePath = '', message = 'is wrong', params }) => {
    const allowed = params?.allowedValues === undefined ? '' : `: ${params.allowedValues.join(', ')}`
    return `${instancePath.replace(/^\//, '')} ${message}${allowed}.`
  })
}

function checkUrls(raw: Raw): string[] {
  const problems: string[] = []
  const web = (name: 'STRIPE_API_BASE' | 'RATECARD_PUBLIC_URL') => {
    const value = raw[name]
    if (value !== undefined && !isUrl(value, ['http:', 'https:'])) problems.push(`${name} is not an http(s) URL.`)
  }
  web('STRIPE_API_BASE')
  web('RATECARD_PUBLIC_URL')
  if (raw.DATABASE_URL !== undefined && !isUrl(raw.DATABASE_URL, ['postgres:', 'postgresql:']))
    problems.push('DATABASE_URL is not a postgres:// URL.')
  for (const origin of (raw.RATECARD_ALLOWED_REDIRECTS ?? '').split(',').map((text) => text.trim()))
    if (origin !== '' && !isUrl(origin, ['http:', 'https:']))
      problems.push('RATECARD_ALLOWED_REDIRECTS has an entry that is not an origin.')
  for (const act of listOf(raw.RATECARD_CUSTOMERS_MAY))
    if (!isCustomerAct(act))
      problems.push(`RATECARD_CUSTOMERS_MAY has the entry "${act}", but allows only ${customerActs.join(', ')}.`)
  for (const host of listOf(raw.RATECARD_WORKER_ALLOWED_HOSTS))
    if (!/^(\[[0-9a-f:]+\]|[\w.-]+)(:\d+)?$/i.test(host))
      problems.push('RATECARD_WORKER_ALLOWED_HOSTS has an entry that is not a host or host:port.')
  for (const proxy of listOf(raw.RATECARD_TRUSTED_PROXIES))
    if (!isAddressOrNet(proxy))
      problems.push('RATECARD_TRUSTED_PROXIES has an entry that is not an address or a net such as 10.0.0.0/8.')
  if (raw.RATECARD_WORKER_DOMAIN !== undefined && !/^[a-z0-9-]+(\.[a-z0-9-]+)*$/i.test(raw.RATECARD_WORKER_DOMAIN))
    problems.push('RATECARD_WORKER_DOMAIN is not a domain name.')
  return problems
}

function checkTogether(raw: Raw): string[] {
  const problems: string[] = []
  if (raw.DATABASE_URL !== undefined && raw.RATECARD_MASTER_KEY === undefined)
    problems.push(
      'With DATABASE_URL you must set RATECARD_MASTER_KEY, because all replicas encrypt secrets with the same key.',
    )
  if (raw.STRIPE_API_BASE !== undefined && raw.STRIPE_SECRET_KEY === undefined)
    problems.push('STRIPE_API_BASE needs STRIPE_SECRET_KEY.')
  if (raw.STRIPE_API_BASE !== undefined && isLive(raw.STRIPE_SECRET_KEY))
    problems.push('STRIPE_API_BASE is refused with a live key, because the key would be sent to another server.')
  return problems
}

function isUrl(text: string, protocols: readonly string[]): boolean {
  return URL.canParse(text) && protocols.includes(new URL(text).protocol)
}

/** True for an IP address, or for a network such as `10.0.0.0/8`. */
function isAddressOrNet(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32))
}

function isLive(key: string | undefined): boolean {
  return /^[a-z]+_live_/.test(key ?? '')
}
