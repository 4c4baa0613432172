import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { account, startRecordedApi, token } from '../../workers/cloudflare/recorded-api.ts'
import { cliWorld } from '../cli-world.ts'
import { startedForEach } from '../../support/started.ts'

const world = startedForEach(() => cliWorld({ RATECARD_API_URL: 'http://127.0.0.1:9' }))

const manifest = (name: string, more = '') =>
  `name = "${name}"\nmain = "index.ts"\ncompatibility_date = "2026-11-01"\n${more}`
const handler = 'export default { fetch: () => new Response("x") }\n'

function worker(name: string, more = '', code = handler): void {
  world.write(`ratecard/workers/${name}/wrangler.toml`, manifest(name, more))
  world.write(`ratecard/workers/${name}/index.ts`, code)
}

const deploy = (...more: string[]) => world.run(['cloud', 'workers', 'deploy', ...more])

describe('ratecard cloud workers deploy, before it sends a request,', () => {
  it('prints with --dry-run what a deployment would send: the size, the schedules with their next runs, and the names of variables', async () => {
    worker('hooks', '[vars]\nPLAIN = "1"\n[triggers]\ncrons = ["0 6 * * 1"]\n[observability]\nenabled = true\n')
    world.write('ratecard/environments/.env.dev', 'SECRET=sk_live_x\n')
    const ran = await deploy('--dry-run')
    expect(ran.exit).toBe(0)
    expect(ran.stdout).toMatch(/0 6 \* \* 1 {2}Mondays at 06:00 UTC, next \d{4}-\d\d-\d\d 06:00:00 UTC/)
    expect(ran.stdout).toContain('variables: PLAIN, SECRET')
    expect(ran.stderr).toContain('ratecard/workers/hooks/wrangler.toml:8:2 warning "observability" is ignored.')
    const { document } = await world.json(['cloud', 'workers', 'deploy', '--dry-run'])
    expect(document).toMatchObject({
      dry_run: true,
      workers: [{ name: 'hooks', environment: 'dev', variables: ['PLAIN', 'SECRET'], crons: [{ cron: '0 6 * * 1' }] }],
      warnings: [{ file: 'ratecard/workers/hooks/wrangler.toml', line: 8 }],
    })
    expect(ran.stdout + ran.stderr + JSON.stringify(document)).not.toContain('sk_live')
  })

  it('reports every mistake of all workers with file and line, and sends no request', async () => {
    worker('one', '[triggers]\ncrons = ["0 0 * * 7"]\n')
    worker('two', '', 'export default {\n  fetch( {}\n}\n')
    world.write('ratecard/environments/.env.staging', 'GOOD=1\nmy-key=2\n')
    const { exit, document } = await world.json(['cloud', 'workers', 'deploy', '--env', 'staging'])
    expect(exit).toBe(1)
    expect(document.error).toMatchObject({ code: 'worker_invalid' })
    expect(document.error.errors).toMatchObject([
      { code: 'worker_environment', file: 'ratecard/environments/.env.staging', line: 2 },
      { code: 'worker_manifest', file: 'ratecard/workers/one/wrangler.toml', line: 5, column: 19 },
      { code: 'worker_bundle', file: 'ratecard/workers/two/index.ts', line: 3 },
    ])
    const shown = await deploy('--env', 'staging')
    expect(shown.stderr).toContain('> 5 | crons = ["0 0 * * 7"]')
    expect(shown.stderr).toContain('Write 0 for Sunday.')
  })

  it('works in a subfolder of the project, and for one of several workers by name', async () => {
    worker('one')
    worker('two', '', 'broken(')
    const cwd = path.join(world.cwd, 'ratecard/workers/one')
    const { exit, document } = await world.json(['cloud', 'workers', 'deploy', 'one', '--dry-run'], { cwd })
    expect(exit).toBe(0)
    expect(document).toMatchObject({ workers: [{ name: 'one' }] })
    const unknown = await deploy('three')
    expect(unknown.exit).toBe(1)
    expect(unknown.stderr).toContain('Its workers: one, two.')
  })

  it('names the missing environment file and its example', async () => {
    worker('one')
    const asked = await deploy('--env', 'production', '--dry-run')
    expect(asked.exit).toBe(1)
    expect(asked.stderr).toContain('.env.production does not exist')
    expect((await deploy('--dry-run')).exit).toBe(0)
    world.write('ratecard/environments/.env.dev.example', 'A=1\n')
    const example = await deploy('--dry-run')
    expect(example.exit).toBe(1)
    expect(example.stderr).toContain('.env.dev.example')
  })

  it('has different errors for a missing project and for a missing worker', async () => {
    const outside = path.join(path.dirname(world.cwd), 'elsewhere')
    mkdirSync(outside)
    expect((await world.run(['cloud', 'workers', 'deploy'], { cwd: outside })).stderr).toContain(
      'no folder `ratecard/`',
    )
    world.write('ratecard/billing/plans.json', {})
    expect((await deploy()).stderr).toContain('No wrangler.toml, wrangler.json or wrangler.jsonc is in')
  })

  it('reports an unreachable server', async () => {
    worker('one')
    const ran = await deploy()
    expect(ran.exit).toBe(70)
    expect(ran.stderr).toContain('server_unreachable')
  })
})

describe('ratecard cloud workers deploy --target cloudflare', () => {
  const target = ['cloud', 'workers', 'deploy', '--target', 'cloudflare']

  it('prints both requests with --dry-run, with the weekdays converted to Cloudflare’s numbers and secrets masked', async () => {
    worker('hooks', '[triggers]\ncrons = ["0 6 * * 1-5"]\n[limits]\ncpu_ms = 50\n')
    world.write('ratecard/environments/.env.dev', 'KEY=sk_live_x\nCLOUDFLARE_API_TOKEN=t0ken\n')
    const ran = await world.run([...target, '--dry-run'])
    expect(ran.exit).toBe(0)
    expect(ran.stdout).toContain('PUT /accounts/ACCOUNT_ID/workers/scripts/hooks/schedules')
    expect(ran.stdout).toContain('0 6 * * MON-FRI')
    expect(ran.stdout).toContain('"name": "KEY"')
    expect(ran.stdout + ran.stderr).not.toMatch(/sk_live|t0ken|CLOUDFLARE_API_TOKEN/)
    expect(ran.stderr).toContain('limits.cpu_ms: the limit of your Cloudflare plan applies')
  })

  it('requires an account id and a token, and names the missing one', async () => {
    worker('hooks')
    const none = await world.run(target)
    expect(none.exit).toBe(1)
    expect(none.stderr).toContain('CLOUDFLARE_ACCOUNT_ID')
    const half = await world.run(target, { env: { CLOUDFLARE_ACCOUNT_ID: account } })
    expect(half.stderr).toContain('CLOUDFLARE_API_TOKEN')
  })

  it('uploads with the token of the environment file, does not pass the token to the worker, and reports a failed request', async () => {
    worker('hooks', '[triggers]\ncrons = ["* * * * *"]\n')
    const file = `KEY=1\nCLOUDFLARE_API_TOKEN=${token}\nCLOUDFLARE_ACCOUNT_ID=${account}\n`
    world.write('ratecard/environments/.env.dev', file)
    const api = await startRecordedApi()
    try {
      const env = { CLOUDFLARE_BASE_URL: api.url }
      const { exit, document } = await world.json(target, { env })
      expect(exit).toBe(0)
      expect(document).toMatchObject({ target: 'cloudflare', workers: [{ name: 'hooks', crons: ['* * * * *'] }] })
      expect(api.seen[0]?.parts['metadata']?.content).not.toContain(token)
      api.refuse('/schedules', 403, 10077, 'too many cron triggers')
      const refused = await world.run(target, { env })
      expect(refused.exit).toBe(1)
      expect(refused.stderr).toContain('hooks: too many cron triggers (10077)')
      expect(refused.stderr).toContain('The code of "hooks" is uploaded and serves')
      expect(refused.stdout + refused.stderr).not.toContain(token)
    } finally {
      await api.close()
    }
  })
})

describe('ratecard cloud workers dev, before it serves,', () => {
  it('asks for a worker’s name if there are several workers, and refuses an invalid manifest', async () => {
    worker('one')
    worker('two')
    const several = await world.run(['cloud', 'workers', 'dev', '--port', '0'])
    expect(several.exit).toBe(2)
    expect(several.stderr).toContain('`ratecard cloud workers dev one`')
    const file = path.join(world.cwd, 'ratecard/workers/one/wrangler.toml')
    writeFileSync(file, readFileSync(file, 'utf8').replace('index.ts', 'gone.ts'))
    const broken = await world.run(['cloud', 'workers', 'dev', 'one', '--port', '0'])
    expect(broken.exit).toBe(1)
    expect(broken.stderr).toContain('The entry file "gone.ts" does not exist.')
  })
})
