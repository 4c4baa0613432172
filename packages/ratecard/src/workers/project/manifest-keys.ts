// Which keys of a wrangler.toml are read, and what to say of the others. A key that was meant for us and is not read does harm
// in silence: a deployment without its schedules ends those that run. So what looks like one of ours is a mistake; what
// resembles none of them, as all that only wrangler knows, is named and no more.
import { didYouMean, nearest } from '../../errors/suggest.ts'
import { isTable } from './manifest-values.ts'
import type { Table } from './manifest-values.ts'

/** What is honoured, by section; '' is the top of the file. The names in `[vars]` are the author's. */
const honoured = {
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

type Section = keyof typeof honoured

const sections = Object.keys(honoured) as Section[]

const routeKeys = ['pattern', 'custom_domain']

/** Sections that would put something into `env` on Cloudflare, and do not here. */
const bindingKeys: ReadonlySet<string> = new Set(
  'ai analytics_engine_datasets browser d1_databases dispatch_namespaces durable_objects hyperdrive images kv_namespaces mtls_certificates pipelines queues r2_buckets secrets_store_secrets send_email services vectorize version_metadata workflows'.split(
    ' ',
  ),
)

export const variableName = /^[A-Za-z_$][\w$]*$/

/** What is wrong with a key: an error for one that was meant to be read, a warning for one that is not ours. */
export interface KeyIssue {
  readonly severity: 'error' | 'warning'
  readonly path: readonly (string | number)[]
  readonly detail: string
  readonly hint?: string
}

/** Every key of the manifest that is not read, except what says nothing (`$schema`) or is ignored with its whole section. */
export function judgeKeys(table: Table): readonly KeyIssue[] {
  return [
    ...Object.entries(table).flatMap(([key, value]) => judgeTopKey(key, value)),
    ...(['secrets', 'triggers', 'limits', 'ratecard'] as const).flatMap((section) =>
      keysOf(table[section]).flatMap((key) => judgeKey(section, key)),
    ),
    ...keysOf(table['route']).flatMap((key) => judgeRouteKey(['route', key], key)),
    ...listOf(table['routes']).flatMap((route, index) =>
      keysOf(route).flatMap((key) => judgeRouteKey(['routes', index, key], key)),
    ),
  ]
}

function judgeTopKey(key: string, value: unknown): readonly KeyIssue[] {
  const own = judgeKey('', key)
  // In a section with a typing mistake everything is astray, and `env` is a whole manifest of its own that is ignored.
  const looksInside = key === 'vars' || (key !== 'env' && own.some(({ severity }) => severity === 'warning'))
  return looksInside && isTable(value) ? [...own, ...straySchedules(key, value)] : own
}

function judgeKey(section: Section, key: string): readonly KeyIssue[] {
  if (isIn(honoured[section], key) || key === '$schema') return []
  const path = section === '' ? [key] : [section, key]
  const name = path.join('.')
  const hint = meantBy(section, key)
  if (hint !== null) return [{ severity: 'error', path, detail: `"${name}" is not read.`, hint }]
  const detail =
    section === '' && bindingKeys.has(key)
      ? `"${name}" is ignored: bindings of this kind do not exist here, so their names are undefined in \`env\`.`
      : `"${name}" is ignored.`
  return [{ severity: 'warning', path, detail }]
}

/** Of a route only the typing mistakes: whether it is served at all is told of the route, not of its keys. */
function judgeRouteKey(path: KeyIssue['path'], key: string): readonly KeyIssue[] {
  if (routeKeys.includes(key)) return []
  const hint = didYouMean(key, routeKeys)
  return hint === undefined ? [] : [{ severity: 'error', path, detail: `"${key}" of a route is not read.`, hint }]
}

/** Schedules that TOML puts into the section above them. Their form tells them from a variable that only has this name. */
function straySchedules(section: string, { crons, triggers }: Table): readonly KeyIssue[] {
  const stray = (key: string, hint: string): KeyIssue => ({
    severity: 'error',
    path: [section, key],
    detail: `"${section}.${key}" is not read as schedules.`,
    hint,
  })
  return [
    ...(Array.isArray(crons) ? [stray('crons', 'Write [triggers] on a line of its own above it.')] : []),
    ...(isTable(triggers) && 'crons' in triggers
      ? [stray('triggers', `Write it above the line [${section}], or as a section [triggers].`)]
      : []),
  ]
}

function meantBy(section: Section, key: string): string | null {
  const here = didYouMean(key, honoured[section])
  if (here !== undefined) return here
  for (const place of sections) {
    if (place === section) continue
    const found = nearest(key, [...honoured[place], ...honoured[place].map((known) => `${place}.${known}`)])
    if (found === undefined) continue
    const known = found.slice(found.indexOf('.') + 1)
    const where = place === '' ? 'above the first section' : `under [${place}]`
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
