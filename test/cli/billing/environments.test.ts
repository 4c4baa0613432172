// `--env X` always means the server of X, and never falls back to the local server.
import { appendFileSync, copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { cliWorld, smallConfig } from '../cli-world.ts'
import { serverWorld } from '../server-world.ts'
import { startedForAll, startedForEach } from '../../support/started.ts'

const key = 'environments-service-key'
const server = startedForAll(() => serverWorld(key))
const world = startedForEach(cliWorld)

const file = (name: string) => path.join(world.cwd, 'ratecard/environments', `.env.${name}`)
const shell = () => ({ env: { RATECARD_API_URL: server.url, RATECARD_SERVICE_KEY: key } })

describe('an incomplete environment file', () => {
  it.each([
    [['billing', 'push']],
    [['billing', 'push', '--dry-run']],
    [['billing', 'diff']],
    [['billing', 'drift']],
    [['billing', 'reset', '--yes']],
    [['cloud', 'workers', 'deploy']],
    [['tenants', 'list']],
    [['keys', 'list']],
    [['doctor']],
  ])('stops %j before a request is sent to the default server on this machine', async (argv) => {
    await world.run(['init'])
    const ran = await world.json([...argv, '--env', 'production'])
    expect(ran).toMatchObject({ exit: 1, document: { error: { code: 'environment_incomplete' } } })
    expect(ran.document.error.detail).toContain('Nothing was sent.')
  })

  it('is reported with the command that creates the file if the file is missing', async () => {
    await world.run(['init'])
    writeFileSync(file('dev'), '')
    world.write('ratecard/environments/.env.eu.example', 'RATECARD_API_URL=\n')
    const ran = await world.run(['billing', 'push', '--env', 'eu'])
    expect(ran.exit).toBe(1)
    expect(ran.stderr).toContain('environment_incomplete')
    expect(ran.stderr).toContain('cp ratecard/environments/.env.eu.example ratecard/environments/.env.eu')
  })

  it('is refused if a setting still has the placeholder of the example file, even if the line of the setting is no longer a comment', async () => {
    await world.run(['init'])
    const text = readFileSync(file('production'), 'utf8')
    writeFileSync(file('production'), text.replace('# RATECARD_API_URL=', 'RATECARD_API_URL='))
    const ran = await world.json(['billing', 'push', '--env', 'production'])
    expect(ran).toMatchObject({ exit: 1, document: { error: { code: 'environment_incomplete' } } })
    const line = text.split('\n').findIndex((written) => written.startsWith('# RATECARD_API_URL=')) + 1
    expect(ran.document.error.detail).toContain(
      `line ${String(line)} of ratecard/environments/.env.production is still the line of the example file, as \`init\` wrote it`,
    )
  })

  it('may contain a value that the user set and that happens to equal an example value', async () => {
    world.write('ratecard/environments/.env.qa.example', `RATECARD_API_URL=${server.url}\n`)
    copyFileSync(file('qa.example'), file('qa'))
    expect((await world.json(['keys', 'list', '--env', 'qa', '--service-key', key])).exit).toBe(0)
  })

  it('is reported with the line of the missing setting, and accepted once that line is no longer a comment', async () => {
    await world.run(['init'])
    const text = readFileSync(file('production'), 'utf8')
    const line = text.split('\n').findIndex((written) => written.startsWith('WEBHOOK_ORIGIN=')) + 1
    const { document } = await world.json(['billing', 'validate', '--env', 'production'])
    expect(document.errors[0]).toMatchObject({
      code: 'variable_unset',
      detail: `The variable WEBHOOK_ORIGIN counts as not set: line ${String(line)} of ratecard/environments/.env.production is still the line of the example file, as \`init\` wrote it.`,
      hint: expect.stringContaining('remove the comment at the end of its line') as string,
    })
    writeFileSync(file('production'), text.replace(/^(WEBHOOK_ORIGIN=\S+) .*$/m, '$1'))
    expect(readFileSync(file('production'), 'utf8')).toMatch(
      /^WEBHOOK_ORIGIN=https:\/\/billing\.example\.com\/workers\/[\w-]+$/m,
    )
    expect((await world.json(['billing', 'validate', '--env', 'production'])).document.valid).toBe(true)
    writeFileSync(file('production'), `${text}\nWEBHOOK_ORIGIN=https://billing.example.com/mine\n`)
    expect((await world.json(['billing', 'validate', '--env', 'production'])).document.valid).toBe(true)
  })

  it('registers no webhook at the placeholder URL of the example file', async () => {
    await world.run(['init'])
    const placeholder = await world.json(['billing', 'validate', '--env', 'production'])
    expect(placeholder).toMatchObject({ exit: 1, document: { valid: false } })
    expect(placeholder.document.errors[0]).toMatchObject({ code: 'variable_unset' })
    const text = readFileSync(file('production'), 'utf8')
    writeFileSync(file('production'), text.replace('https://billing.example.com/', 'https://billing.acme.test/'))
    expect((await world.json(['billing', 'validate', '--env', 'production'])).document.valid).toBe(true)
    expect((await world.json(['billing', 'validate'])).document.valid).toBe(true)
  })

  it('passes the values that the user set to workers, and no placeholders', async () => {
    await world.run(['init', '--template', 'worker-only'])
    appendFileSync(file('staging.example'), '\nREGION=eu\n')
    copyFileSync(file('staging.example'), file('staging'))
    const { document } = await world.json(['cloud', 'workers', 'deploy', '--dry-run', '--env', 'staging'])
    expect(document).toMatchObject({ workers: [{ variables: ['REGION'] }] })
    expect(JSON.stringify(document)).toContain('WEBHOOK_ORIGIN is still the value of the example file')
  })
})

describe('an environment', () => {
  it('may have any valid name (e.g. preview-7) if there is an .env file with that name', async () => {
    world.write('ratecard/billing/plans.json', smallConfig())
    world.write('ratecard/environments/.env.preview-7', `RATECARD_API_URL=${server.url}\nRATECARD_SERVICE_KEY=${key}\n`)
    const pushed = await world.run(['billing', 'push', '--env', 'preview-7', '--yes'])
    expect(pushed).toMatchObject({ exit: 0, stderr: '' })
    expect(pushed.stdout).toContain('(preview-7)')
  })

  it('with a misspelled name does not fall back to the server address of the shell', async () => {
    world.write('ratecard/billing/plans.json', smallConfig())
    world.write('ratecard/environments/.env.preview', '')
    const ran = await world.json(['billing', 'push', '--env', 'previw'], shell())
    expect(ran).toMatchObject({ exit: 1, document: { error: { code: 'environment_incomplete' } } })
    expect(ran.document.error.detail).toContain('Environments of this project: preview.')
    expect((await world.json(['billing', 'validate', '--env', 'previw'])).exit).toBe(1)
  })

  it.each(['Production', '../dev', '-x', 'a'.repeat(32), '1st'])('cannot have the name %j', async (name) => {
    expect((await world.json(['keys', 'list', `--env=${name}`], shell())).exit).toBe(2)
  })

  it('uses the server address of the shell if its .env file contains no address, e.g. in a CI pipeline', async () => {
    expect((await world.run(['keys', 'list', '--env', 'production'], shell())).exit).toBe(0)
  })
})

it('without --env, commands use the local server', async () => {
  await world.run(['init'])
  const ran = await world.json(['keys', 'list', '--service-key', key])
  expect(['server_unreachable', 'service_key_invalid']).toContain(ran.document.error.code)
})
