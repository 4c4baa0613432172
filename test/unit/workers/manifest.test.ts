import { describe, expect, it } from 'vitest'
import { parseManifest } from '../../../packages/ratecard/src/workers/project/manifest.ts'

const base = `name = "hooks"\nmain = "src/index.ts"\ncompatibility_date = "2026-11-01"\n`
const now = Date.UTC(2026, 10, 21)

function problems(text: string): string[] {
  return parseManifest(text, 'wrangler.toml', { now }).issues.map(
    (issue) => `${issue.severity} ${issue.line}:${issue.column} ${issue.detail}${issue.hint ? ` ${issue.hint}` : ''}`,
  )
}

describe('parseManifest', () => {
  it('reads every key it honours', () => {
    const text = `${base}compatibility_flags = ["nodejs_compat"]
routes = [{ pattern = "hooks.example.com", custom_domain = true }]
[vars]
API = "x"
LIST = [1, true, { a = "b" }]
[triggers]
crons = ["*/5 * * * *", "0 0  * * 0"] # weekly
[limits]
cpu_ms = 50
`
    const { manifest, issues } = parseManifest(text, 'wrangler.toml', { now })
    expect(issues).toEqual([])
    expect(manifest).toMatchObject({
      name: 'hooks',
      main: 'src/index.ts',
      compatibilityDate: '2026-11-01',
      compatibilityFlags: ['nodejs_compat'],
      vars: { API: 'x', LIST: [1, true, { a: 'b' }] },
      crons: [{ expression: '*/5 * * * *' }, { expression: '0 0 * * 0' }],
      hosts: ['hooks.example.com'],
      limits: { cpuMs: 50 },
    })
  })

  it('has defaults: no schedules, no variables, ten seconds of CPU', () => {
    expect(parseManifest(base, 'wrangler.toml').manifest).toMatchObject({
      crons: [],
      vars: {},
      hosts: [],
      limits: { cpuMs: 10_000 },
    })
  })

  it('names each missing key', () => {
    expect(problems('').map((line) => line.split('"')[1])).toEqual(['name', 'main', 'compatibility_date'])
  })

  it.each([
    [
      `${base}[triggers]\ncrons = [\n  "* * * * *",\n  "0 0 * * 7",\n]\n`,
      'error 7:12 Day of week 7 does not exist: days are 0 (Sunday) to 6 (Saturday). Write 0 for Sunday.',
    ],
    [
      `${base}triggers.crons = ["0 0 ? * *"]`,
      'error 4:24 "?" is not a value of the day of month field. Write "*" instead of "?".',
    ],
    [
      `${base}[triggers]\ncrons = ["* * * * *", "*  * * * *"]`,
      'error 5:23 The cron "* * * * *" is listed twice. Remove one of them.',
    ],
    [`${base}triggers = { crons = [5] }`, 'error 4:23 "crons" is a list of texts. Put quotes around the item.'],
    [`${base}[triggers]\ncrons = "* * * * *"`, 'error 5:9 "crons" is a list of texts. Write crons = ["…"].'],
    [
      `${base}[limits]\ncpu_ms = 9`,
      'error 5:10 "cpu_ms" is out of range. Use a whole number of milliseconds from 10 to 300000.',
    ],
    [
      `${base}[limits]\ncpu_ms = 300001`,
      'error 5:10 "cpu_ms" is out of range. Use a whole number of milliseconds from 10 to 300000.',
    ],
    [
      `${base}[limits]\ncpu_ms = 50.5`,
      'error 5:10 "cpu_ms" is out of range. Use a whole number of milliseconds from 10 to 300000.',
    ],
    [`${base}limits = 5`, 'error 4:10 "limits" is a table. Write it as [limits].'],
    [
      `${base}compatibility_flags = ["nodejs_compt"]`,
      'error 4:24 The compatibility flag "nodejs_compt" is not supported here. Did you mean "nodejs_compat"?',
    ],
    [
      `${base}compatibility_flags = ["experimental"]`,
      'error 4:24 The compatibility flag "experimental" is not supported here. Remove it.',
    ],
    [
      `${base}[vars]\n"bad-name" = "x"`,
      'error 5:14 "bad-name" cannot be the name of a variable. Use letters, digits and "_", and no digit first.',
    ],
    [
      `${base}[vars]\nWHEN = 2026-01-01`,
      'error 5:8 The value of "WHEN" is a date or not a finite number. Put quotes around it.',
    ],
    [
      `${base}routes = [{ pattern = "https://x.example/", custom_domain = true }]`,
      'error 4:11 A custom domain is a plain lowercase host name. Remove scheme, port and path.',
    ],
    [`${base}[triggers]\ncron = ["* * * * *"]`, 'warning 5:1 "triggers.cron" is ignored. Did you mean "crons"?'],
    [
      `${base}compatability_flags = []`,
      'warning 4:1 "compatability_flags" is ignored. Did you mean "compatibility_flags"?',
    ],
    [`${base}minify = true`, 'warning 4:1 "minify" is ignored.'],
    [
      `${base}[[kv_namespaces]]\nbinding = "KV"`,
      'warning 4:3 "kv_namespaces" is ignored: bindings of this kind do not exist here, so their names are undefined in `env`.',
    ],
    [`${base}[env.production.vars]\nA = "1"`, 'warning 4:2 "env" is ignored.'],
    [
      base.replace('"2026-11-01"', '2026-11-01'),
      'error 3:22 "compatibility_date" is a text, not a TOML date. Put quotes around it: "2026-11-01".',
    ],
    [base.replace('2026-11-01', '2026-11-31'), 'error 3:22 "2026-11-31" is not a date. Write it as YYYY-MM-DD.'],
    [
      base.replace('2026-11-01', '2026-11-22'),
      'error 3:22 "2026-11-22" is in the future. Use today or an earlier day.',
    ],
    [
      base.replace('hooks', 'Hooks'),
      'error 1:8 "Hooks" cannot be a worker\'s name. Use 1 to 63 lowercase letters, digits, "-" and "_"; the first and the last are letters or digits.',
    ],
  ])('%j is reported at its place', (text, expected) => {
    expect(problems(text)).toEqual([expected])
  })

  it('points at the line of a syntax error', () => {
    const [issue] = parseManifest(`${base}vars = = 5\n`, 'a/wrangler.toml').issues
    expect(issue).toMatchObject({ severity: 'error', path: 'a/wrangler.toml', line: 4 })
  })

  it('reports all mistakes in the order of the file', () => {
    const text = `name = "Bad Name"\nmain = 5\ncompatibility_date = "soon"\nfoo = 1\n[triggers]\ncrons = ["@daily"]\n`
    expect(problems(text).map((line) => line.split(' ')[1])).toEqual(['1:8', '2:8', '3:22', '4:1', '6:11'])
  })

  it('finds places behind comments, quotes and long strings', () => {
    const text = `# crons = ["x"]\n'name' = 'hooks' # "\nmain="""\na\\"""b"""\ncompatibility_date = "2026-11-01"\n[ "triggers" ] # ]\ncrons = [ # [\n '* * * * *', # "\n '''0 0 L * *'''\n]\n`
    expect(problems(text)[0]).toMatch(/^error 9:/)
  })
})
