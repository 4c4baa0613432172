// Decides which keys of a manifest are read, and how other keys are reported. If a mistyped key were ignored, it could do silent
// damage, e.g. a deployment without `crons` removes the running schedules. So a key that resembles a supported key is an error. Any other
// key (e.g. of a Cloudflare product) gets a warning.
import { didYouMean, nearest } from '../../base/errors/suggest.ts'
import type { Notation } from './manifest-notation.ts'
import { isTable, type Table } from './manifest-values.ts'

/** Supported keys by section; '' is the top level of the file. Names in `[vars]` are not restricted. */
const supportedKeys = {
  '': [
    'name',
    'main',
    'compatibility_date',
    'compatibility_flags',
    'vars',
    'secrets',
    'triggers',
    'limits',
    'routes',
    'route',
    'ratecard',
  ],
  secrets: ['required'],
  triggers: ['crons'],
  limits: ['cpu_ms'],
  ratecard: ['service_key', 'pass_credentials'],
} as const

type Section = keyof typeof supportedKeys

const sections = Object.keys(supportedKeys) as Section[]

const routeKeys = ['pattern', 'custom_domain']

/** Sections that add a binding to `env` on Cloudflare. This service does not support them. */
const bindingKeys: ReadonlySet<string> = new Set(
  'ai analytics_engine_datasets browser d1_databases dispatch_namespaces durable_objects hyperdrive images kv_namespaces mtls_certificates pipelines queues r2_buckets secrets_store_secrets send_email services vectorize version_metadata workflows'.split(
    ' ',
  ),
)

export const variableName = /^[A-Za-z_$][\w$]*$/

/** Issue of a key that is not read: an error if the key resembles a supported key, otherwise a warning. */
export interface KeyIssue {
  readonly severity: 'error' | 'warning'
  readonly path: readonly (string | number)[]
  readonly detail: string
  readonly hint?: string
}

/** Returns the issues of all keys that are not read. Omits `$schema`, which has no effect, and keys inside an ignored section. */
export function judgeKeys(table: Table, notation: Notation): readonly KeyIssue[] {
  return [
    ...Object.entries(table).flatMap(([key, value]) => judgeTopKey(key, value, notation)),
    ...(['secrets', 'triggers', 'limits', 'ratecard'] as const).flatMap((section) =>
      keysOf(table[section]).flatMap((key) => judgeKey(section, key, notation)),
    ),
    ...keysOf(table['route']).flatMap((key) => judgeRouteKey(['route', key], key)),
    ...listOf(table['routes']).flatMap((route, index) =>
      keysOf(route).flatMap((key) => judgeRouteKey(['routes', index, key], key)),
    ),
  ]
}

function judgeTopKey(key: string, value: unknown, notation: Notation): readonly KeyIssue[] {
  if (key === 'env' && isTable(value)) return Object.entries(value).map(([name, inner]) => lostWith(name, inner))
  const own = judgeKey('', key, notation)
  // A mistyped section gets one error, and its keys are not checked.
  const looksInside = key === 'vars' || own.some(({ severity }) => severity === 'warning')
  return looksInside && isTable(value) ? [...own, ...straySchedules(key, value, notation)] : own
}

/** Returns the warning for a section `[env.<name>]`, which is a whole manifest for that environment. It names what is lost with it. */
function lostWith(name: string, inner: unknown): KeyIssue {
  const keys = Object.entries(isTable(inner) ? inner : {}).flatMap(([key, value]) => {
    if (key === 'vars') return keysOf(value).map((variable) => `the variable ${variable}`)
    return key === 'triggers' ? 'its schedules' : `"${key}"`
  })
  return {
    severity: 'warning',
    path: ['env', name],
    detail: `"env.${name}" is ignored${keys.length === 0 ? '' : `, with ${keys.join(', ').replace(/, ([^,]+)$/, ' and $1')}`}.`,
    hint: `Environments are files here: write its variables into ratecard/environments/.env.${name}, and what every environment has at the top level.`,
  }
}

function judgeKey(section: Section, key: string, notation: Notation): readonly KeyIssue[] {
  if (isIn(supportedKeys[section], key) || key === '$schema') return []
  const path = section === '' ? [key] : [section, key]
  const name = path.join('.')
  const hint = meantBy(section, key, notation)
  if (hint !== null) return [{ severity: 'error', path, detail: `"${name}" is not read.`, hint }]
  const detail =
    section === '' && bindingKeys.has(key)
      ? `"${name}" is ignored: bindings of this kind do not exist here, so their names are undefined in \`env\`.`
      : `"${name}" is ignored.`
  return [{ severity: 'warning', path, detail }]
}

/** Returns an error if a key of a route is mistyped. A route that is not supported at all is reported elsewhere. */
function judgeRouteKey(path: KeyIssue['path'], key: string): readonly KeyIssue[] {
  if (routeKeys.includes(key)) return []
  const hint = didYouMean(key, routeKeys)
  return hint === undefined ? [] : [{ severity: 'error', path, detail: `"${key}" of a route is not read.`, hint }]
}

/**
 * Returns errors for cron schedules that are written below another section, because they are then keys of that section. A list `crons`
 * or a table `triggers` counts as schedules, not as a variable of that name.
 */
function straySchedules(section: string, { crons, triggers }: Table, notation: Notation): readonly KeyIssue[] {
  const stray = (key: string, hint: string): KeyIssue => ({
    severity: 'error',
    path: [section, key],
    detail: `"${section}.${key}" is not read as schedules.`,
    hint,
  })
  return [
    ...(Array.isArray(crons) ? [stray('crons', notation.strayCrons)] : []),
    ...(isTable(triggers) && 'crons' in triggers ? [stray('triggers', notation.strayTriggers(section))] : []),
  ]
}

function meantBy(section: Section, key: string, notation: Notation): string | null {
  const here = didYouMean(key, supportedKeys[section])
  if (here !== undefined) return here
  for (const place of sections) {
    if (place === section) continue
    const found = nearest(key, [...supportedKeys[place], ...supportedKeys[place].map((known) => `${place}.${known}`)])
    if (found === undefined) continue
    const known = found.slice(found.indexOf('.') + 1)
    const where = notation.place(place)
    return known === key ? `Write it ${where}.` : `Did you mean "${known}"? Write it ${where}.`
  }
  return null
}

function keysOf(value: unknown): readonly string[] {
  return isTable(value) ? Object.keys(value) : []
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function isIn(keys: readonly string[], key: string): boolean {
  return keys.includes(key)
}
