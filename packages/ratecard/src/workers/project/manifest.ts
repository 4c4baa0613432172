// Parses a worker's manifest (wrangler.toml, wrangler.json or wrangler.jsonc). Decides which settings are supported, reports ignored ones, and gives every error its position. Reads no file and
// no clock: the caller passes the text and the time.
import { parse, TomlDate, TomlError } from 'smol-toml'
import { didYouMean } from '../../base/errors/suggest.ts'
import { parseCron, type CronSchedule } from '../cron/parse.ts'
import { allowedCompatibilityFlags } from './manifest-flags.ts'
import { judgeKeys, variableName } from './manifest-keys.ts'
import { parseJsonManifest, type ParsedTable } from './manifest-json.ts'
import { jsonNotation, tomlNotation, type Notation } from './manifest-notation.ts'
import { locateToml, type Position, type ManifestPositions } from './manifest-positions.ts'
import { isDay, isTable, toJson, type JsonValue, type Table } from './manifest-values.ts'

export interface Manifest {
  readonly name: string
  /** Path of the entry file, relative to the manifest. */
  readonly main: string
  /** Compatibility date in the form `YYYY-MM-DD`. */
  readonly compatibilityDate: string
  readonly compatibilityFlags: readonly string[]
  /** Values of `[vars]`. A variable of the environment file overrides one with the same name. */
  readonly vars: Readonly<Record<string, JsonValue>>
  /** `[secrets] required`: names that the environment file must define, with their positions in the manifest. */
  readonly requiredSecrets: readonly (Position & { readonly name: string })[]
  readonly crons: readonly CronSchedule[]
  /** Custom domains of the worker: `routes` with `custom_domain = true`. */
  readonly hosts: readonly string[]
  /** `[ratecard] service_key`: scope of the service key that is created for the worker; null if the worker gets no key. */
  readonly serviceKey: 'read' | 'write' | null
  /** `[ratecard] pass_credentials`. True: the worker receives the service keys and cookies in its requests. */
  readonly passCredentials: boolean
  /** CPU limit. `explicit` is true if the manifest sets the limit, and false for the default. */
  readonly limits: { readonly cpuMs: number; readonly explicit: boolean }
}

export interface ManifestIssue extends Position {
  readonly severity: 'error' | 'warning'
  readonly path: string
  readonly detail: string
  readonly hint?: string
}

export interface ParsedManifest {
  /** The parsed manifest; null if any issue is an error. */
  readonly manifest: Manifest | null
  readonly issues: readonly ManifestIssue[]
}

export interface ManifestOptions {
  /** Current time in epoch milliseconds. If given, a compatibility date in the future is rejected here instead of by the runtime. */
  readonly now?: number
}

export const defaultCpuMs = 10_000
const cpuRange = { min: 10, max: 300_000 }

/**
 * Parses a manifest and collects all errors. The name of the file in `path` decides between TOML and JSON; otherwise `path` is used only in
 * the text of issues.
 */
export function parseManifest(text: string, path: string, options: ManifestOptions = {}): ParsedManifest {
  const source = text.replace(/^\uFEFF/, '')
  const isToml = path.endsWith('.toml')
  const parsed = isToml ? parseToml(source) : parseJsonManifest(source)
  if ('problem' in parsed)
    return { manifest: null, issues: [{ severity: 'error', path, ...parsed.at, detail: parsed.problem }] }
  const reader = new Reader(parsed.table, path, parsed.positions, isToml ? tomlNotation : jsonNotation)
  const manifest = reader.read(options)
  const issues = reader.issues.toSorted((a, b) => a.line - b.line || a.column - b.column)
  return { manifest: issues.some((issue) => issue.severity === 'error') ? null : manifest, issues }
}

function parseToml(source: string): ParsedTable {
  try {
    return { table: parse(source), positions: locateToml(source) }
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    const reason = error.message.split('\n')[0]!.replace(/^Invalid TOML document: /, '')
    return { problem: `The file is not valid TOML: ${reason}.`, at: { line: error.line, column: error.column } }
  }
}

class Reader {
  readonly issues: ManifestIssue[] = []
  private readonly table: Table
  private readonly path: string
  private readonly positions: ManifestPositions
  private readonly notation: Notation

  constructor(table: Table, path: string, positions: ManifestPositions, notation: Notation) {
    this.table = table
    this.path = path
    this.positions = positions
    this.notation = notation
  }

  read(options: ManifestOptions): Manifest {
    for (const { severity, path, detail, hint } of judgeKeys(this.table, this.notation))
      this.issue(severity, this.positions.key(path), detail, hint)
    return {
      name: this.name(),
      main: this.text('main', `Name the entry file, for example ${this.notation.pair('main', '"src/index.ts"')}.`),
      compatibilityDate: this.compatibilityDate(options.now),
      compatibilityFlags: this.flags(),
      vars: this.vars(),
      requiredSecrets: this.requiredSecrets(),
      crons: this.crons(),
      hosts: this.hosts(),
      serviceKey: this.serviceKey(),
      passCredentials: this.passCredentials(),
      limits: { cpuMs: this.cpuMs(), explicit: isTable(this.table['limits']) && 'cpu_ms' in this.table['limits'] },
    }
  }

  private name(): string {
    const name = this.text('name', `Name the worker, for example ${this.notation.pair('name', '"billing-hooks"')}.`)
    if (name !== '' && !/^[a-z0-9]([a-z0-9_-]{0,61}[a-z0-9])?$/.test(name))
      this.error(
        ['name'],
        `"${name}" cannot be a worker's name.`,
        'Use 1 to 63 lowercase letters, digits, "-" and "_"; the first and the last are letters or digits.',
      )
    return name
  }

  private text(key: string, hint: string): string {
    const value = this.table[key]
    if (typeof value === 'string' && value !== '') return value
    if (value === undefined) this.error([], `"${key}" is missing.`, hint)
    else this.error([key], `"${key}" must be a text that is not empty.`, hint)
    return ''
  }

  private compatibilityDate(now: number | undefined): string {
    const key = 'compatibility_date'
    const value = this.table[key]
    if (value instanceof TomlDate) {
      this.error(
        [key],
        `"${key}" must be a text, not a TOML date.`,
        `Put quotes around it: "${value.toISOString().slice(0, 10)}".`,
      )
      return ''
    }
    const date = this.text(
      key,
      `Set it to the day you wrote the worker, for example ${this.notation.pair(key, '"2026-11-01"')}.`,
    )
    if (date === '') return ''
    if (!isDay(date)) this.error([key], `"${date}" is not a date.`, 'Write it as YYYY-MM-DD.')
    else if (now !== undefined && date > new Date(now).toISOString().slice(0, 10))
      this.error([key], `"${date}" is in the future.`, 'Use today or an earlier day.')
    return date
  }

  private flags(): string[] {
    return this.texts('compatibility_flags', this.table['compatibility_flags'], ['compatibility_flags']).map(
      (flag, index) => {
        if (!allowedCompatibilityFlags.has(flag))
          this.error(
            ['compatibility_flags', index],
            `The compatibility flag "${flag}" is not supported here.`,
            didYouMean(flag, allowedCompatibilityFlags) ?? 'Remove it.',
          )
        return flag
      },
    )
  }

  private vars(): Record<string, JsonValue> {
    const vars: Record<string, JsonValue> = {}
    for (const [name, value] of Object.entries(this.section('vars'))) {
      const json = toJson(value)
      if (!variableName.test(name))
        this.error(
          ['vars', name],
          `"${name}" cannot be the name of a variable.`,
          'Use letters, digits and "_", and no digit first.',
        )
      else if (json === undefined)
        this.error(['vars', name], `The value of "${name}" is a date or not a finite number.`, 'Put quotes around it.')
      else vars[name] = json
    }
    return vars
  }

  private requiredSecrets(): Manifest['requiredSecrets'] {
    const secrets = this.section('secrets')
    return this.texts('required', secrets['required'], ['secrets', 'required']).map((name, index) => ({
      name,
      ...this.positions.value(['secrets', 'required', index]),
    }))
  }

  private crons(): CronSchedule[] {
    const triggers = this.section('triggers')
    const seen = new Map<string, number>()
    return this.texts('crons', triggers['crons'], ['triggers', 'crons']).flatMap((expression, index) => {
      const { schedule, issue } = parseCron(expression)
      const at = this.positions.value(['triggers', 'crons', index])
      if (issue) {
        // Adds 1 for the opening quote. A basic TOML string is on one line, so the offset in it is also an offset in columns.
        this.issue('error', { ...at, column: at.column + 1 + issue.position }, issue.detail, issue.hint)
        return []
      }
      if (seen.has(schedule.expression)) {
        this.issue('error', at, `The cron "${schedule.expression}" is listed twice.`, 'Remove one of them.')
        return []
      }
      seen.set(schedule.expression, index)
      return [schedule]
    })
  }

  private hosts(): string[] {
    const { route, routes } = this.table
    if (routes !== undefined && !Array.isArray(routes)) {
      this.error(
        ['routes'],
        '"routes" must be a list.',
        `Write ${this.notation.pair('routes', `[${this.customDomain()}]`)}.`,
      )
      return []
    }
    const list: readonly unknown[] = Array.isArray(routes) ? routes : route === undefined ? [] : [route]
    return list.flatMap((item, index) => {
      const path = routes === undefined ? ['route'] : ['routes', index]
      const pattern = isTable(item) && item['custom_domain'] === true ? item['pattern'] : undefined
      if (typeof pattern === 'string' && /^(?=.{1,253}$)[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(pattern)) return [pattern]
      if (pattern !== undefined)
        this.error(path, 'A custom domain must be a plain lowercase host name.', 'Remove scheme, port and path.')
      else
        this.warn(
          this.positions.value(path),
          'The route is ignored: only custom domains are served on their own host.',
          `Write ${this.customDomain()}.`,
        )
      return []
    })
  }

  private customDomain(): string {
    const { pair } = this.notation
    return `{ ${pair('pattern', '"hooks.example.com"')}, ${pair('custom_domain', 'true')} }`
  }

  private cpuMs(): number {
    const limits = this.section('limits')
    const value = limits['cpu_ms']
    if (value === undefined) return defaultCpuMs
    if (typeof value === 'number' && Number.isInteger(value) && value >= cpuRange.min && value <= cpuRange.max)
      return value
    this.error(
      ['limits', 'cpu_ms'],
      '"cpu_ms" is out of range.',
      `Use a whole number of milliseconds from ${cpuRange.min} to ${cpuRange.max}.`,
    )
    return defaultCpuMs
  }

  private serviceKey(): Manifest['serviceKey'] {
    const value = this.section('ratecard')['service_key']
    if (value === undefined || value === 'read' || value === 'write') return value ?? null
    this.error(
      ['ratecard', 'service_key'],
      '"service_key" must be "read" or "write".',
      'Most workers need "read" only.',
    )
    return null
  }

  private passCredentials(): boolean {
    const value = this.section('ratecard')['pass_credentials']
    if (value === undefined || typeof value === 'boolean') return value ?? false
    this.error(
      ['ratecard', 'pass_credentials'],
      '"pass_credentials" must be true or false.',
      'Write it without quotes.',
    )
    return false
  }

  private section(key: string): Table {
    const value = this.table[key]
    if (value === undefined) return {}
    if (isTable(value)) return value
    this.error([key], `"${key}" is a table.`, `Write it as ${this.notation.section(key)}.`)
    return {}
  }

  private texts(name: string, value: unknown, path: readonly string[]): string[] {
    if (value === undefined) return []
    if (!Array.isArray(value)) {
      this.error(path, `"${name}" must be a list of texts.`, `Write ${this.notation.pair(name, '["…"]')}.`)
      return []
    }
    const items: readonly unknown[] = value
    return items
      .map((item, index) => {
        if (typeof item === 'string') return item
        this.error([...path, index], `"${name}" must be a list of texts.`, 'Put quotes around the item.')
        return undefined
      })
      .filter((item) => item !== undefined)
  }

  private error(path: readonly (string | number)[], detail: string, hint?: string): void {
    this.issue('error', this.positions.value(path), detail, hint)
  }

  private warn(at: Position, detail: string, hint?: string): void {
    this.issue('warning', at, detail, hint)
  }

  private issue(severity: ManifestIssue['severity'], at: Position, detail: string, hint?: string): void {
    this.issues.push({ severity, path: this.path, ...at, detail, ...(hint === undefined ? {} : { hint }) })
  }
}
