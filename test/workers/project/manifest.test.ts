import { describe, expect, it } from 'vitest'
import { parseManifest } from '../../../packages/ratecard/src/workers/project/manifest.ts'

const base = `name = "hooks"\nmain = "src/index.ts"\ncompatibility_date = "2026-11-01"\n`
const now = Date.UTC(2026, 10, 21)

function problems(text: string): string[] {
  return parseManifest(text, 'wrangler.toml', { now }).issues.map(
    (issue) => `${issue.severity} ${issue.line}:${issue.column} ${issue.detail}${issue.hint ? ` ${issue.hint}` : ''}`,
  )
}

describe('parseManifest()', () => {
  it('reads each supported key of a worker’s manifest', () => {
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

  it('uses the default values: no schedules, no variables, ten seconds of CPU', () => {
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
    [`${base}triggers = { crons = [5] }`, 'error 4:23 "crons" must be a list of texts. Put quotes around the item.'],
    [`${base}[triggers]\ncrons = "* * * * *"`, 'error 5:9 "crons" must be a list of texts. Write crons = ["…"].'],
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
      'error 4:11 A custom domain must be a plain lowercase host name. Remove scheme, port and path.',
    ],
    [`${base}minify = true`, 'warning 4:1 "minify" is ignored.'],
    [
      `${base}[[kv_namespaces]]\nbinding = "KV"`,
      'warning 4:3 "kv_namespaces" is ignored: bindings of this kind do not exist here, so their names are undefined in `env`.',
    ],
    [
      `${base}[env.production.vars]\nA = "1"`,
      'warning 4:2 "env.production" is ignored, with the variable A. Environments are files here: write its variables into ratecard/environments/.env.production, and what every environment has at the top level.',
    ],
    [
      base.replace('"2026-11-01"', '2026-11-01'),
      'error 3:22 "compatibility_date" must be a text, not a TOML date. Put quotes around it: "2026-11-01".',
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
  ])('reports %j with its line and column', (text, expected) => {
    expect(problems(text)).toEqual([expected])
  })

  it.each([
    [`${base}[triggers]\ncron = ["* * * * *"]`, 'error 5:1 "triggers.cron" is not read. Did you mean "crons"?'],
    [`${base}triggers.Crons = ["* * * * *"]`, 'error 4:1 "triggers.Crons" is not read. Did you mean "crons"?'],
    [`${base}[trigers]\ncrons = ["* * * * *"]`, 'error 4:2 "trigers" is not read. Did you mean "triggers"?'],
    [`${base}[trigger]\ncron = ["* * * * *"]`, 'error 4:2 "trigger" is not read. Did you mean "triggers"?'],
    [
      `${base}compatability_flags = []`,
      'error 4:1 "compatability_flags" is not read. Did you mean "compatibility_flags"?',
    ],
    [`${base}[limit]\ncpu_ms = 50`, 'error 4:2 "limit" is not read. Did you mean "limits"?'],
    [`${base}[limits]\ncpuMs = 50`, 'error 5:1 "limits.cpuMs" is not read. Did you mean "cpu_ms"?'],
    [`${base}[secrets]\nrequire = ["A"]`, 'error 5:1 "secrets.require" is not read. Did you mean "required"?'],
    [
      `${base}routes = [{ pattern = "a.example", custom_domian = true }]`,
      'error 4:36 "custom_domian" of a route is not read. Did you mean "custom_domain"?',
    ],
    [
      `${base}[[routes]]\npatern = "a.example"\ncustom_domain = true`,
      'error 5:1 "patern" of a route is not read. Did you mean "pattern"?',
    ],
  ])('reports a mistyped key as an error: %j', (text, expected) => {
    expect(problems(text)).toContain(expected)
    expect(problems(text).filter((problem) => problem.startsWith('error'))).toHaveLength(1)
    expect(parseManifest(text, 'wrangler.toml', { now }).manifest).toBeNull()
  })

  it.each([
    [`${base}crons = ["* * * * *"]`, 'error 4:1 "crons" is not read. Write it under [triggers].'],
    [`${base}cron = "* * * * *"`, 'error 4:1 "cron" is not read. Did you mean "crons"? Write it under [triggers].'],
    [
      `${base}"triggers.crons" = ["* * * * *"]`,
      'error 4:1 "triggers.crons" is not read. Did you mean "crons"? Write it under [triggers].',
    ],
    [`${base}cpu_ms = 50`, 'error 4:1 "cpu_ms" is not read. Write it under [limits].'],
    [`${base}[limits]\ncrons = ["* * * * *"]`, 'error 5:1 "limits.crons" is not read. Write it under [triggers].'],
    [`${base}[limits]\nroutes = []`, 'error 5:1 "limits.routes" is not read. Write it above the first section.'],
    [
      `${base}[vars]\ncrons = ["* * * * *"]`,
      'error 5:1 "vars.crons" is not read as schedules. Write [triggers] on a line of its own above it.',
    ],
    [
      `${base}[vars]\nA = "1"\ntriggers.crons = ["* * * * *"]`,
      'error 6:1 "vars.triggers" is not read as schedules. Write it above the line [vars], or as a section [triggers].',
    ],
  ])('reports a known key in a wrong section as an error: %j', (text, expected) => {
    expect(problems(text)).toEqual([expected])
  })

  it('reports schedules inside an ignored section as an error, and the section itself as a warning', () => {
    expect(problems(`${base}[observability]\nenabled = true\ntriggers.crons = ["* * * * *"]`)).toEqual([
      'warning 4:2 "observability" is ignored.',
      'error 6:1 "observability.triggers" is not read as schedules. Write it above the line [observability], or as a section [triggers].',
    ])
  })

  it('never reports a key that wrangler knows as mistyped', () => {
    const keys =
      'account_id ai alias analytics_engine_datasets assets base_dir browser build cloudchamber compliance_region containers d1_databases data_blobs define dev dispatch_namespaces durable_objects env find_additional_modules first_party_worker hyperdrive images jsx_factory jsx_fragment keep_names keep_vars kv_namespaces legacy_env logfwdr logpush media migrations minify mtls_certificates no_bundle node_compat observability pages_build_output_dir pipelines placement preserve_file_names preview_urls python_modules queues r2_buckets ratelimits rules secrets_store_secrets send_email send_metrics services site streaming_tail_consumers tail_consumers text_blobs tsconfig type unsafe unsafe_hello_world upload_source_maps usage_model vectorize version_metadata vpc_services wasm_modules worker_loaders workers_dev workflows zone_id'
    const { issues } = parseManifest(base + keys.replaceAll(/(\S+) ?/g, '$1 = 1\n'), 'wrangler.toml', { now })
    expect(issues).toHaveLength(keys.split(' ').length)
    expect(issues.filter(({ severity }) => severity === 'error')).toEqual([])
  })

  it('reports other keys of wrangler and unknown keys as warnings, and accepts any names inside of vars', () => {
    const text = `"$schema" = "x"\n${base}rules = []\nkeep_vars = true\nframework = "hono"
routes = [{ pattern = "a.example", custom_domain = true, zone_name = "example" }]
[limits]\nsubrequests = 5
[[services]]\nbinding = "S"
[vars]\ncrons = "daily"\ntriggers = "none"\nmain = "x"
[env.production.triggers]\ncrons = ["* * * * *"]\n`
    const { manifest, issues } = parseManifest(text, 'wrangler.toml', { now })
    expect(manifest).toMatchObject({ crons: [], hosts: ['a.example'], vars: { crons: 'daily', triggers: 'none' } })
    expect(issues.map(({ severity, detail }) => `${severity} ${detail.split('"')[1] ?? ''}`)).toEqual(
      ['rules', 'keep_vars', 'framework', 'limits.subrequests', 'services', 'env.production'].map(
        (key) => `warning ${key}`,
      ),
    )
  })

  it('names what is lost with each section of an environment', () => {
    const { issues } = parseManifest(
      `${base}[env.production]\nroutes = []\nkv_namespaces = []\n[env.production.vars]\nAPI_URL = "x"\nMODE = "y"
[env.production.triggers]\ncrons = ["* * * * *"]\n[env.staging]\n`,
      'wrangler.toml',
    )
    expect(issues).toMatchObject([
      {
        severity: 'warning',
        line: 4,
        detail:
          '"env.production" is ignored, with "routes", "kv_namespaces", the variable API_URL, the variable MODE and its schedules.',
        hint: expect.stringContaining('ratecard/environments/.env.production') as string,
      },
      { severity: 'warning', line: 12, detail: '"env.staging" is ignored.' },
    ])
  })

  describe('of JSON', () => {
    const json = (more: string) => `{
  // hooks of the shop
  "name": "hooks", "main": "index.ts", /* today */ "compatibility_date": "2026-11-01",
${more}
}`
    const told = (text: string) =>
      parseManifest(text, 'wrangler.jsonc', { now }).issues.map(({ severity, line, column, detail, hint }) =>
        `${severity} ${line}:${column} ${detail} ${hint ?? ''}`.trim(),
      )

    it('reads all that TOML says', () => {
      const text = json(`  "$schema": "x", "vars": { "A": "b", "LIST": [1, { "c": null }] },
  "triggers": { "crons": ["0 6 * * 1"] }, "secrets": { "required": ["S"] }, "limits": { "cpu_ms": 50 },
  "routes": [{ "pattern": "a.example", "custom_domain": true }], "ratecard": { "service_key": "read" },`)
      const { manifest, issues } = parseManifest(text, 'wrangler.jsonc', { now })
      expect(issues).toEqual([])
      expect(manifest).toMatchObject({
        ...{ name: 'hooks', hosts: ['a.example'], serviceKey: 'read', limits: { cpuMs: 50, explicit: true } },
        vars: { A: 'b', LIST: [1, { c: null }] },
        crons: [{ expression: '0 6 * * 1' }],
        requiredSecrets: [{ name: 'S', line: 5 }],
      })
    })

    it.each([
      ['{ "name": "a", }', 'error 1:1 "main" is missing. Name the entry file, for example "main": "src/index.ts".'],
      [json('  "cron": ["* * * * *"]'), 'error 4:3 "cron" is not read. Did you mean "crons"? Write it in "triggers".'],
      [json('  "limits": { "routes": [] }'), 'error 4:15 "limits.routes" is not read. Write it at the top level.'],
      [json('  "triggers": { "crons": ["0 0 * *"] }'), 'error 4:28 '],
      [json('  "vars": 5'), 'error 4:11 "vars" is a table. Write it as "vars": { … }.'],
      [
        json('  "route": "a.example/*"'),
        'warning 4:12 The route is ignored: only custom domains are served on their own host. Write { "pattern": "hooks.example.com", "custom_domain": true }.',
      ],
      [json('  "name": "again"'), 'error 4:3 "name" is written twice in one object.'],
      ['[]', 'error 1:1 The file is not a JSON object.'],
      ['', 'error 1:1 The file is not valid JSON: value expected.'],
      ['{ "name": "a" "main": "b" }', 'error 1:15 The file is not valid JSON: comma expected.'],
    ])('reports %j at its place, in its own notation', (text, expected) => {
      expect(told(text)[0]?.slice(0, expected.length)).toBe(expected)
    })
  })

  it('reports the line of a syntax error', () => {
    const [issue] = parseManifest(`${base}vars = = 5\n`, 'a/wrangler.toml').issues
    expect(issue).toMatchObject({ severity: 'error', path: 'a/wrangler.toml', line: 4 })
  })

  it('reports all errors in the order of their lines', () => {
    const text = `name = "Bad Name"\nmain = 5\ncompatibility_date = "soon"\nfoo = 1\n[triggers]\ncrons = ["@daily"]\n`
    expect(problems(text).map((line) => line.split(' ')[1])).toEqual(['1:8', '2:8', '3:22', '4:1', '6:11'])
  })

  it('reports the correct line of an error after comments, quotes and multi-line strings', () => {
    const text = `# crons = ["x"]\n'name' = 'hooks' # "\nmain="""\na\\"""b"""\ncompatibility_date = "2026-11-01"\n[ "triggers" ] # ]\ncrons = [ # [\n '* * * * *', # "\n '''0 0 L * *'''\n]\n`
    expect(problems(text)[0]).toMatch(/^error 9:/)
  })
})
