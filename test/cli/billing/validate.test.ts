import { existsSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { cliWorld, smallConfig } from '../cli-world.ts'
import { startedForEach } from '../../support/started.ts'

const world = startedForEach(cliWorld)

describe('ratecard billing validate', () => {
  it('accepts a valid configuration without a server, also from a subfolder of the project', async () => {
    world.write('ratecard/billing/plans.json', smallConfig())
    const deeper = world.write('src/app/index.js', '')
    const ran = await world.run(['billing', 'validate'], { cwd: deeper.replace(/\/index\.js$/, '') })
    expect(ran).toMatchObject({ exit: 0, stderr: '' })
    expect(ran.stdout).toContain('Version 1.0.0: 1 product, 1 price, 0 meters, 0 webhooks.')
  })

  it('reports the problems of all files at once, each problem with its field, its lines and a hint', async () => {
    world.write('ratecard/billing/a.json', smallConfig({ meters: [{ id: 'calls', display_name: 'Calls' }] }))
    world.write(
      'ratecard/billing/b.yaml',
      "version: '1.0.0'\nproducts:\n  - id: extra\n    name: Extra\n    prices:\n      - id: extra_once\n        amount: -5\n        currency: eurr\n",
    )
    const ran = await world.run(['billing', 'validate'])
    expect(ran.exit).toBe(1)
    expect(ran.stderr).toContain('ratecard/billing/a.json:')
    expect(ran.stderr).toContain('event_name')
    expect(ran.stderr).toContain('ratecard/billing/b.yaml:7:17 error')
    expect(ran.stderr).toContain('> 8 |         currency: eurr')
    expect(ran.stderr).toContain('hint: Did you mean "eur"?')
    expect(ran.stdout).toContain('3 errors')
  })

  it('reports only the syntax error, with file, line and column, and no further errors caused by it', async () => {
    world.write('ratecard/billing/a.json', '{ "version": "1.0.0",\n  "products": [ }')
    world.write('ratecard/billing/b.json', smallConfig({ products: [] }))
    const { exit, document } = await world.json(['billing', 'validate'])
    expect(exit).toBe(1)
    expect(document.valid).toBe(false)
    expect(document.errors.map((error) => error.code)).toEqual(expect.arrayContaining(['syntax']))
    expect(document.errors.every((error) => error.code === 'syntax')).toBe(true)
    expect(document.errors[0]).toMatchObject({ file: 'ratecard/billing/a.json', line: 2 })
  })

  it('takes variables from the process environment first, then from the environment file', async () => {
    const hook = (name: string) => ({ id: 'hook', url: `\${${name}}/hooks`, events: ['invoice.paid'] })
    world.write('ratecard/billing/a.json', smallConfig({ webhooks: [hook('ORIGIN')] }))
    world.write('ratecard/environments/.env.dev', 'ORIGIN=not-a-url\n')
    world.write('ratecard/environments/.env.production', 'ORIGIN=https://api.example.com\n')
    expect((await world.run(['billing', 'validate'])).exit).toBe(1)
    expect((await world.run(['billing', 'validate', '--env', 'production'])).exit).toBe(0)
    expect((await world.run(['billing', 'validate'], { env: { ORIGIN: 'https://b.example.com' } })).exit).toBe(0)
  })

  it('reports an unset variable once, with the field that uses it', async () => {
    world.write('billing.json', smallConfig({ webhooks: [{ id: 'h', url: '${NOWHERE}/h', events: ['invoice.paid'] }] }))
    const { exit, document } = await world.json(['billing', 'validate', 'billing.json'])
    expect(exit).toBe(1)
    expect(document.errors).toHaveLength(1)
    expect(document.errors[0]).toMatchObject({
      code: 'variable_unset',
      pointer: '#/webhooks/0/url',
      file: 'billing.json',
    })
  })

  it('warns of a variable whose value is cut at a "#", if the document uses it and it comes from the file', async () => {
    world.write(
      'ratecard/billing/a.json',
      smallConfig({ webhooks: [{ id: 'h', url: '${HOOK}', events: ['invoice.paid'] }] }),
    )
    world.write('ratecard/environments/.env.dev', 'UNUSED=a#b\nHOOK=https://a.example.com/h#part\n')
    const { exit, document } = await world.json(['billing', 'validate'])
    expect({ exit, document }).toMatchObject({
      exit: 0,
      document: {
        warnings: [{ code: 'variable_altered', file: 'ratecard/environments/.env.dev', line: 2, severity: 'warning' }],
      },
    })
    const own = { env: { HOOK: 'https://a.example.com/h' } }
    expect(await world.json(['billing', 'validate'], own)).toMatchObject({ document: { warnings: [] } })
  })

  it('ends with exit code 0 if there are only warnings', async () => {
    world.write('a.json', smallConfig({ webhooks: [{ url: 'https://x.example.com/h', events: ['invoice.paid'] }] }))
    const { exit, document } = await world.json(['billing', 'validate', 'a.json'])
    expect(exit).toBe(0)
    expect(document).toMatchObject({ valid: true, errors: [], warnings: [{ code: 'webhook_id_missing' }] })
  })

  it('reads the files given with --file instead of the project', async () => {
    world.write('ratecard/billing/broken.json', '{')
    world.write('other/good.json', smallConfig())
    expect((await world.run(['billing', 'validate', '--file', 'other'])).exit).toBe(0)
    expect((await world.run(['billing', 'validate'])).exit).toBe(1)
  })

  it('names the next step if the project has no configuration', async () => {
    const ran = await world.run(['billing', 'validate'])
    expect(ran.exit).toBe(1)
    expect(ran.stderr).toContain('ratecard init')
    const missing = await world.json(['billing', 'validate', 'nowhere.json'])
    expect(missing).toMatchObject({ exit: 1, document: { error: { code: 'file_not_found' } } })
  })
})

describe('ratecard billing types', () => {
  it('prints TypeScript unions of all ids, and leaves hidden prices out of the public union', async () => {
    const hidden = {
      id: 'pro_partner',
      amount: 900,
      currency: 'eur',
      interval: 'month',
      enterprise_template: 'partner',
      base_price: 'pro_monthly',
    }
    const config = smallConfig()
    config.products[0]?.prices.push(hidden as never)
    world.write('a.json', config)
    const ran = await world.run(['billing', 'types', 'a.json'])
    expect(ran.stdout).toContain("export type PriceId = 'pro_monthly' | 'pro_partner'\n")
    expect(ran.stdout).toContain("export type PublicPriceId = 'pro_monthly'\n")
    expect(ran.stdout).toContain("export type EnterpriseTemplate = 'partner'\n")
    expect(ran.stdout).toContain('export type MeterId = never\n')
  })

  it('quotes any text in the generated types correctly, and refuses a line break in an event name', async () => {
    const withEvent = (eventName: string) =>
      smallConfig({ meters: [{ id: 'calls', display_name: 'Calls', event_name: eventName }] })
    for (const eventName of ["calls'\nexport type Owned = 'x", 'calls\u2028', 'calls\r']) {
      world.write('hostile.json', withEvent(eventName))
      const refused = await world.run(['billing', 'types', 'hostile.json', '--output', 'hostile-ids.ts'])
      expect([refused.exit, refused.stderr.includes('text_malformed')]).toEqual([1, true])
      expect(existsSync(path.join(world.cwd, 'hostile-ids.ts'))).toBe(false)
    }
    world.write('quoted.json', withEvent("it's \\ a */"))
    const { stdout } = await world.run(['billing', 'types', 'quoted.json'])
    expect(stdout).toContain("export type MeterEventName = 'it\\'s \\\\ a */'\n")
  })
})

describe('the hint of an error keeps what was written:', () => {
  const yaml = (more: string) => `version: 1.0.0\nproducts:\n  - id: p\n    name: P\n    prices: [${more}]\n`
  it.each([
    [
      'an amount with cents',
      'a.yaml',
      yaml('{id: a, currency: usd, amount: "12.50"}'),
      'hint: Amounts are whole minor units without quotes: 1250',
    ],
    [
      'an amount in quotes',
      'a.yaml',
      yaml('{id: a, currency: usd, amount: "1250"}'),
      'hint: Write 1250 without quotes.',
    ],
    [
      'a version that YAML reads as a number',
      'a.yaml',
      yaml('').replace('1.0.0', '1.10'),
      'hint: Write three numbers, for example "1.0.0".',
    ],
    [
      'a name that YAML reads as a number',
      'a.yaml',
      yaml('').replace('name: P', 'name: 0x10'),
      'hint: Write it in quotes, as it stands there.',
    ],
    ['two YAML documents', 'a.yaml', `${yaml('')}---\n${yaml('')}`, 'A second YAML document begins here'],
    ['a merge key', 'a.yaml', yaml('').replace('name: P', '<<: {name: P}'), 'hint: Merge keys of YAML are not read'],
    [
      'a day without a time',
      'a.json',
      {
        version: '1.0.0',
        products: [],
        coupons: [{ id: 'c', name: 'c', percent_off: 10, duration: 'once', redeem_by: '2027-09-02' }],
      },
      'hint: Add the time and the zone: "2027-09-02T23:59:59Z".',
    ],
  ])('%s', async (_name, file, content, says) => {
    world.write(file, content)
    const { exit, stdout, stderr } = await world.run(['billing', 'validate', file])
    expect(exit).toBe(1)
    expect(stdout + stderr).toContain(says)
  })
})
