import { mkdirSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { cliWorld } from '../cli-world.ts'
import { startedForEach } from '../../support/started.ts'

const world = startedForEach(() => cliWorld({ RATECARD_API_URL: 'http://127.0.0.1:9' }))
const modules = path.resolve(import.meta.dirname, '../../../node_modules')

function project(code: string, typescript = true): void {
  const manifest = 'name = "hooks"\nmain = "index.ts"\ncompatibility_date = "2026-11-01"\n'
  world.write('ratecard/workers/hooks/wrangler.toml', manifest)
  world.write('ratecard/workers/hooks/index.ts', code)
  if (!typescript) return
  mkdirSync(path.join(world.cwd, 'node_modules'))
  symlinkSync(path.join(modules, 'typescript'), path.join(world.cwd, 'node_modules/typescript'))
}

const wrong = `import { createClient, type Tenant } from '@ratecard/client'
const name = (tenant: Tenant) => tenant.customer_id
export default { fetch: () => new Response(String(name) + String(createClient)) }
`
const right = wrong.replace('customer_id', 'processorCustomerId')
const deploy = (...more: string[]) => world.run(['cloud', 'workers', 'deploy', '--dry-run', ...more])

describe('ratecard cloud workers deploy in a project with TypeScript', () => {
  it('warns about a type error with file and line, also about a member that the client library does not have', async () => {
    project(wrong)
    const ran = await deploy()
    expect(ran.exit).toBe(0)
    expect(ran.stderr).toContain(
      "ratecard/workers/hooks/index.ts:2:41 warning TS2339: Property 'customer_id' does not exist",
    )
    const { document } = await world.json(['cloud', 'workers', 'deploy', '--dry-run'])
    expect(document).toMatchObject({ warnings: [{ code: 'worker_types', line: 2 }] })
  })

  it('refuses a type error with --strict', async () => {
    project(wrong)
    const ran = await deploy('--strict')
    expect(ran.exit).toBe(1)
    expect(ran.stderr).toContain('> 2 | const name = (tenant: Tenant) => tenant.customer_id')
    expect(ran.stderr).toContain('Nothing was sent.')
  })

  it('uses the nearest tsconfig.json and the declarations that it includes', async () => {
    project('export default { fetch: (_request: Request, env: Env) => new Response(env.GREETING) }\n')
    expect((await deploy()).stderr).toContain("TS2304: Cannot find name 'Env'")
    world.write('ratecard/workers/env.d.ts', 'interface Env { GREETING: string }\n')
    const options = { target: 'ES2024', module: 'ESNext', moduleResolution: 'Bundler', lib: ['ES2024', 'WebWorker'] }
    const config = { compilerOptions: { ...options, types: [], strict: true }, include: ['env.d.ts'] }
    world.write('ratecard/workers/tsconfig.json', JSON.stringify(config))
    const ran = await deploy('--strict')
    expect([ran.exit, ran.stderr]).toEqual([0, expect.not.stringContaining('TS')])
  })

  it('prints nothing about types if there are no type errors', async () => {
    project(right)
    const ran = await deploy('--strict')
    expect([ran.exit, ran.stderr]).toEqual([0, expect.not.stringContaining('TS')])
  })
})

describe('ratecard cloud workers deploy in a project without TypeScript', () => {
  it('skips the type check, and refuses --strict', async () => {
    project(wrong, false)
    const ran = await deploy()
    expect([ran.exit, ran.stderr]).toEqual([0, expect.not.stringContaining('TS')])
    const strict = await deploy('--strict')
    expect(strict.exit).toBe(1)
    expect(strict.stderr).toContain('npm install --save-dev typescript')
  })
})
