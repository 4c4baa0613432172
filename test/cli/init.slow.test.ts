import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { templates } from '../../packages/ratecard/src/workers/project/init.ts'
import { cliWorld, smallConfig } from './cli-world.ts'
import { startedForEach } from '../support/started.ts'

const world = startedForEach(cliWorld)

describe('ratecard init', () => {
  it.each(templates)('creates all files of a project from the template %s', async (template) => {
    const { exit, document } = await world.json(['init', 'My Shop', '--template', template])
    expect(exit).toBe(0)
    expect(document.kept).toEqual([])
    for (const file of [
      '.gitignore',
      'README.md',
      'ratecard/workers/src/index.ts',
      'ratecard/workers/wrangler.toml',
      'ratecard/workers/package.json',
      'ratecard/workers/tsconfig.json',
      'ratecard/workers/worker-env.d.ts',
      ...['production', 'staging', 'dev'].flatMap((name) => [
        `ratecard/environments/.env.${name}`,
        `ratecard/environments/.env.${name}.example`,
      ]),
    ]) {
      expect(document.created).toContain(file)
      expect(readFileSync(path.join(world.cwd, 'My Shop', file), 'utf8')).not.toContain('{{')
    }
    expect(readFileSync(path.join(world.cwd, 'My Shop/ratecard/workers/wrangler.toml'), 'utf8')).toContain(
      'name = "my-shop"',
    )
  })

  it.each(templates.filter((name) => name !== 'worker-only'))(
    'creates a configuration that is valid without further edits: %s',
    async (template) => {
      await world.run(['init', '--template', template])
      const { document } = await world.json(['billing', 'validate'])
      expect(document).toMatchObject({ valid: true, errors: [], warnings: [] })
    },
  )

  it('creates a worker that compiles with TypeScript without further packages, and that can be bundled', async () => {
    await world.run(['init', 'shop'])
    const folder = path.join(world.cwd, 'shop')
    const compiler = path.resolve('node_modules/typescript/bin/tsc')
    const types = spawnSync(process.execPath, [compiler, '-p', path.join(folder, 'ratecard/workers')], {
      encoding: 'utf8',
    })
    expect(types.stdout).toBe('')
    expect(types.status).toBe(0)
    const { exit, document } = await world.json(['cloud', 'workers', 'deploy', '--dry-run'], { cwd: folder })
    expect(exit).toBe(0)
    expect(document).toMatchObject({ workers: [{ name: 'shop', variables: ['WEBHOOK_ORIGIN'] }], warnings: [] })
  })

  it('creates types with which TypeScript detects mistakes in the use of env, event and context', async () => {
    await world.run(['init'])
    const file = 'ratecard/workers/src/index.ts'
    const source = readFileSync(path.join(world.cwd, file), 'utf8')
    world.write(
      file,
      source
        .replace('env.RATECARD_API_URL', 'env.RATECARD_API_URI')
        .replace('event.scheduledTime', 'event.scheduleTime')
        .replace('ctx.waitUntil(report', 'ctx.waitFor(report'),
    )
    const compiler = path.resolve('node_modules/typescript/bin/tsc')
    const types = spawnSync(process.execPath, [compiler, '-p', path.join(world.cwd, 'ratecard/workers')], {
      encoding: 'utf8',
    })
    for (const name of ['RATECARD_API_URI', 'scheduleTime', 'waitFor']) expect(types.stdout).toContain(`'${name}'`)
  })

  it('keeps existing files and lists them', async () => {
    world.write('README.md', 'mine')
    world.write('ratecard/environments/.env.dev', 'SECRET=1\n')
    const ran = await world.run(['init'])
    expect(ran.exit).toBe(0)
    expect(ran.stdout).toContain('kept     README.md')
    expect(readFileSync(path.join(world.cwd, 'README.md'), 'utf8')).toBe('mine')
    expect(readFileSync(path.join(world.cwd, 'ratecard/environments/.env.dev'), 'utf8')).toBe('SECRET=1\n')
    const again = await world.json(['init'])
    expect(again.document.created).toEqual([])
  })

  it('creates no worker if the project already has worker folders', async () => {
    world.write('ratecard/workers/hooks/wrangler.toml', 'name = "hooks"\n')
    const { document } = await world.json(['init'])
    expect(document.created.filter((file) => file.startsWith('ratecard/workers/'))).toEqual([])
    expect(document.created).toContain('ratecard/environments/.env.dev')
  })

  it('adds its lines to an existing .gitignore only once', async () => {
    world.write('.gitignore', 'dist/')
    expect((await world.json(['init'])).document.extended).toEqual(['.gitignore'])
    const text = readFileSync(path.join(world.cwd, '.gitignore'), 'utf8')
    expect(text).toMatch(/^dist\/\n/)
    expect(text).toContain('ratecard/environments/.env.*\n')
    expect((await world.json(['init'])).document.extended).toEqual([])
    expect(readFileSync(path.join(world.cwd, '.gitignore'), 'utf8')).toBe(text)
  })

  it('excludes saved plans from version control, because they contain expanded variables', async () => {
    await world.run(['init'])
    const { status } = spawnSync('git', ['init', '-q'], { cwd: world.cwd })
    expect(status).toBe(0)
    const ignored = (file: string) => spawnSync('git', ['check-ignore', '-q', file], { cwd: world.cwd }).status === 0
    expect(['plan.json', 'prod.plan.json', 'ratecard/billing/plans.json'].map(ignored)).toEqual([true, true, false])
  })

  it.each([
    ['ratecard/billing/plans.json', smallConfig()],
    ['ratecard/billing/eu/plans.yaml', 'version: 1.0.0\nproducts: []\n'],
    ['billing.json', smallConfig()],
  ])(
    'creates no starter products if the configuration %s exists, because a push would sell the starter products too',
    async (file, content) => {
      world.write(file, content)
      world.write('tsconfig.json', '{ "compilerOptions": {} }')
      const { exit, document } = await world.json(['init'])
      expect(exit).toBe(0)
      expect(document.created.filter((name) => name.startsWith('ratecard/billing/'))).toEqual([])
      expect(document.created).toContain('ratecard/workers/wrangler.toml')
      const { stdout } = await world.run(['init'])
      expect(stdout).toContain(`No starter products: the configuration is in ${file}.`)
      expect(stdout).toMatch(/billing push --dry-run .*\n.*billing push\n/)
    },
  )

  it.each(templates.filter((name) => name !== 'worker-only'))(
    'lets an editor complete fields without a server: $schema of %s is a local schema that accepts the file',
    async (template) => {
      await world.run(['init', '--template', template])
      const billing = path.join(world.cwd, 'ratecard/billing')
      for (const name of readdirSync(billing)) {
        const document = JSON.parse(readFileSync(path.join(billing, name), 'utf8')) as { $schema: string }
        const schema = JSON.parse(readFileSync(path.resolve(billing, document.$schema), 'utf8')) as object
        const isValid = new Ajv2020({ strict: false }).compile(schema)
        // A single file may have no products, because the merged document has them.
        if (name !== 'webhooks.json') expect(isValid(document) || isValid.errors).toBe(true)
        expect(isValid({ ...document, prodcuts: [] })).toBe(false)
      }
    },
  )

  it('updates an existing schema file', async () => {
    world.write('ratecard/billing.schema.json', '{}')
    expect((await world.json(['init'])).document.extended).toEqual(['ratecard/billing.schema.json'])
    expect((await world.json(['init'])).document.extended).toEqual([])
  })

  it('makes environment files readable by their owner only', async () => {
    await world.run(['init'])
    expect(statSync(path.join(world.cwd, 'ratecard/environments/.env.production')).mode & 0o077).toBe(0)
  })

  it('refuses an unknown template and creates nothing', async () => {
    const { exit, document } = await world.json(['init', '--template', 'shop'])
    expect(exit).toBe(2)
    expect(document.error.detail).toContain('saas')
    expect(existsSync(path.join(world.cwd, 'ratecard'))).toBe(false)
  })
})
