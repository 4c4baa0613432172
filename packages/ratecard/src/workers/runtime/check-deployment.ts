// Validates an uploaded worker before anything is started or stored. Pure; reports all errors at once.
import { createHash } from 'node:crypto'
import { pointerOf, type Issue } from '../../base/errors/issue.ts'
import { ServiceError } from '../../base/errors/service-error.ts'
import { didYouMean } from '../../base/errors/suggest.ts'
import { parseCron } from '../cron/parse.ts'
import { allowedCompatibilityFlags } from '../project/manifest-flags.ts'
import { isDay } from '../project/manifest-values.ts'
import { defaultLimits } from './worker-runtime.ts'
import type { NewDeployment, UploadedModule } from '../../api/workers/workers.ts'
import type { DeploymentContent } from '../../store/records/workers.ts'

/** Matches a worker name. The name is valid in a path and, without `_`, as a label of a host name. */
export const workerName = /^[a-z0-9]([a-z0-9_-]{0,61}[a-z0-9])?$/

const maxBytes = 10 * 1024 * 1024
const maxSourceMap = 20 * 1024 * 1024
const maxModules = 500
const maxCrons = 100
const maxHosts = 20
const maxVariables = 512
const maxEnvBytes = 1024 * 1024
const cpuRange = { min: 10, max: 300_000 }
/** Names of the modules that the worker host adds to the author's modules. */
const reservedModules = new Set(['entry.js', 'prelude.js', 'worker.js', 'control.js', 'egress.js'])

/** Environment variable that contains the worker's own service key. */
export const serviceKeyVariable = 'RATECARD_SERVICE_KEY'

export interface CheckedDeployment {
  readonly content: DeploymentContent
  /** Normalized cron expressions, as the cron parser returns them. */
  readonly crons: readonly string[]
  readonly hosts: readonly string[]
  readonly variables: readonly string[]
  readonly sizeBytes: number
  readonly checksum: string
}

interface Limits {
  readonly now: number
  /** True if a worker may not claim the hostname, because it belongs to the service or to the workers' domain. */
  readonly isOwnHost: (host: string) => boolean
}

/**
 * Validates a deployment. Throws `worker_bundle_invalid` or `cron_invalid` with all issues. Each issue points to its member of the request
 * body.
 */
export function checkDeployment(given: NewDeployment, limits: Limits): CheckedDeployment {
  const issues: Issue[] = []
  const wrong: Wrong = (path, detail, hint) => {
    issues.push({
      code: 'value_invalid',
      pointer: pointerOf(path),
      severity: 'error',
      detail,
      ...(hint === undefined ? {} : { hint }),
    })
  }
  if (!workerName.test(given.name))
    wrong(['path', 'name'], `"${given.name}" cannot be a worker's name.`, 'Use 1 to 63 of a-z, 0-9, "-" and "_".')
  const sizeBytes = checkModules(given, wrong)
  checkCompatibility(given, limits.now, wrong)
  const cpuMs = given.cpuMs ?? defaultLimits.cpuMs
  if (!Number.isInteger(cpuMs) || cpuMs < cpuRange.min || cpuMs > cpuRange.max)
    wrong(
      ['cpu_ms'],
      `"cpu_ms" must be a whole number from ${String(cpuRange.min)} to ${String(cpuRange.max)}.`,
      'Correct limits.cpu_ms in the manifest of the worker.',
    )
  checkEnv(given, wrong)
  const hosts = checkHosts(given.hosts, limits.isOwnHost, wrong)
  if (issues.length > 0)
    throw new ServiceError('worker_bundle_invalid', issues[0]?.detail ?? 'The upload is not a worker.', { issues })
  const crons = checkCrons(given.crons)
  const { modules, main, sourceMap, compatibilityDate, compatibilityFlags, serviceKey, passCredentials } = given
  const code = { modules, main, sourceMap, compatibilityDate, compatibilityFlags, cpuMs }
  const access = { serviceKey, passCredentials }
  const env = { ...given.vars, ...given.secrets }
  return {
    content: { ...code, ...access, env: JSON.stringify(env) },
    crons,
    hosts,
    variables: [...new Set([...Object.keys(env), ...(serviceKey === null ? [] : [serviceKeyVariable])])].sort(),
    sizeBytes,
    checksum: checksumOf({ ...code, ...access, sourceMap: null, crons, hosts }),
  }
}

type Wrong = (path: readonly (string | number)[], detail: string, hint?: string) => void

function checkModules({ modules, main, sourceMap }: NewDeployment, wrong: Wrong): number {
  if (modules.length > maxModules) wrong(['modules'], `A worker can have at most ${String(maxModules)} modules.`)
  const names = new Set<string>()
  let bytes = 0
  for (const [index, module] of modules.entries()) {
    bytes += bytesOf(module, () => {
      wrong(['modules', index, 'content'], `The content of "${module.name}" is not base64.`)
    })
    const name = module.name.replace(/^\.\//, '')
    if (!/^[\w@.-]+(\/[\w@.-]+)*$/.test(name) || name.length > 200 || /(^|\/)\.\.?(\/|$)/.test(name))
      wrong(['modules', index, 'name'], `"${module.name}" cannot be the name of a module.`)
    else if (names.has(name)) wrong(['modules', index, 'name'], `There are two modules "${name}".`)
    else if (module.name !== main && reservedModules.has(name))
      wrong(['modules', index, 'name'], `The name "${name}" is reserved for the host.`, 'Rename the module.')
    names.add(name)
  }
  const entry = modules.find((module) => module.name === main)
  if (entry === undefined) wrong(['main'], `There is no module "${main}".`, 'Name one of the modules.')
  else if (entry.type !== 'esm') wrong(['main'], `The main module "${main}" is not an ES module.`)
  if (bytes > maxBytes)
    wrong(
      ['modules'],
      `The modules of the worker have ${megabytesText(bytes)}; at most ${megabytesText(maxBytes)} are allowed.`,
    )
  if (sourceMap !== null && Buffer.byteLength(sourceMap) > maxSourceMap)
    wrong(['source_map'], `The source map is larger than ${megabytesText(maxSourceMap)}.`)
  return bytes
}

function bytesOf({ type, content }: UploadedModule, notBase64: () => void): number {
  if (type !== 'data' && type !== 'wasm') return Buffer.byteLength(content)
  if (content.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(content)) notBase64()
  return Buffer.byteLength(content, 'base64')
}

function checkCompatibility({ compatibilityDate, compatibilityFlags }: NewDeployment, now: number, wrong: Wrong): void {
  if (!isDay(compatibilityDate))
    wrong(['compatibility_date'], `"${compatibilityDate}" is not a date.`, 'Write it as YYYY-MM-DD.')
  else if (compatibilityDate > new Date(now).toISOString().slice(0, 10))
    wrong(['compatibility_date'], `"${compatibilityDate}" is in the future.`, 'Use today or an earlier day.')
  for (const [index, flag] of compatibilityFlags.entries())
    if (!allowedCompatibilityFlags.has(flag))
      wrong(
        ['compatibility_flags', index],
        `The compatibility flag "${flag}" is not supported here.`,
        didYouMean(flag, allowedCompatibilityFlags) ?? 'Remove it.',
      )
}

function checkEnv({ vars, secrets }: NewDeployment, wrong: Wrong): void {
  const names = [...Object.keys(vars), ...Object.keys(secrets)]
  if (names.length > maxVariables)
    wrong(['vars'], `A worker can have at most ${String(maxVariables)} environment values.`)
  for (const member of ['vars', 'secrets'] as const)
    for (const name of Object.keys(member === 'vars' ? vars : secrets)) {
      if (!/^[A-Za-z_$][\w$]{0,199}$/.test(name) || name === '__proto__')
        wrong([member, name], `"${name}" cannot be the name of an environment value.`, 'Use letters, digits and "_".')
      if (member === 'secrets' && Object.hasOwn(vars, name))
        wrong([member, name], `"${name}" is given twice, as a value and as a secret.`)
    }
  if (Buffer.byteLength(JSON.stringify([vars, secrets])) > maxEnvBytes)
    wrong(['vars'], `The environment values together are larger than ${megabytesText(maxEnvBytes)}.`)
}

function checkHosts(hosts: readonly string[], isOwn: (host: string) => boolean, wrong: Wrong): string[] {
  if (hosts.length > maxHosts) wrong(['hosts'], `A worker can have at most ${String(maxHosts)} host names.`)
  const checked = hosts.map((host) => host.toLowerCase())
  for (const [index, host] of checked.entries()) {
    if (!/^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/.test(host))
      wrong(['hosts', index], `"${host}" is not a full host name.`, 'Write it without scheme, port and path.')
    else if (isOwn(host)) wrong(['hosts', index], `"${host}" is the service's own host name.`)
    else if (checked.indexOf(host) !== index) wrong(['hosts', index], `"${host}" is listed twice.`)
  }
  return checked
}

function checkCrons(crons: readonly string[]): string[] {
  const issues: Issue[] = []
  const checked: string[] = []
  for (const [index, cron] of crons.entries()) {
    const { schedule, issue } = parseCron(cron)
    const place = { code: 'value_invalid', pointer: pointerOf(['crons', index]), severity: 'error' } as const
    if (schedule === undefined) issues.push({ ...place, detail: issue.detail, hint: issue.hint })
    else if (checked.includes(schedule.expression))
      issues.push({ ...place, detail: `The cron "${schedule.expression}" is listed twice.`, hint: 'Remove one.' })
    else checked.push(schedule.expression)
  }
  if (crons.length > maxCrons)
    throw new ServiceError('cron_invalid', `A worker can have at most ${String(maxCrons)} cron expressions.`)
  const [first] = issues
  if (first !== undefined) throw new ServiceError('cron_invalid', first.detail, { hint: first.hint, issues })
  return checked
}

function checksumOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex')
}

function megabytesText(bytes: number): string {
  // Rounds up, so that a size one byte over the limit is not displayed as the limit (e.g. 10.1 MB, not 10.0 MB).
  return `${(Math.ceil((bytes / (1024 * 1024)) * 10) / 10).toFixed(1)} MB`
}
