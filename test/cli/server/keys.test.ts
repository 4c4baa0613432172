// Service keys on the command line: scope, expiry, and the errors of a read key.
import { beforeAll, expect, test } from 'vitest'
import { sampleConfig } from '../../support/app.ts'
import { startedForAll } from '../../support/started.ts'
import { serverWorld } from '../server-world.ts'

const world = startedForAll(() => serverWorld('keys-cli-service-key'))
beforeAll(async () => {
  world.write('ratecard/billing/catalog.json', sampleConfig())
})

const run = (line: string, key?: string) =>
  world.run(line.split(' '), key === undefined ? {} : { env: { RATECARD_SERVICE_KEY: key } })

test('a read key may plan and read; all other requests with a read key fail with an error that names the missing scope', async () => {
  expect(await run('billing push --yes')).toMatchObject({ exit: 0 })
  const made = await run('keys create pull-requests --scope read --expires 90d')
  expect(made.stderr).toMatch(/Key "pull-requests" \(key_\w+, read, until 2\d{3}-\d\d-\d\d \d\d:\d\d:\d\d UTC\)/)
  const key = made.stdout.trim()

  world.write('ratecard/billing/catalog.json', { ...sampleConfig(), version: '1.1.0' })
  expect(await run('billing push --dry-run', key)).toMatchObject({ exit: 0 })
  expect(await run('billing drift', key)).toMatchObject({ exit: 0 })
  expect(await run('billing history', key)).toMatchObject({ exit: 0 })
  const refused = await run('billing push --yes', key)
  expect(refused.exit).toBe(1)
  expect(refused.stderr).toContain('key_scope')
  expect(refused.stderr).toMatch(/[uU]se a key with the scope "write"\./)
  const secret = await run('billing webhook secret', key)
  expect(secret).toMatchObject({ exit: 1, stdout: '' })
  expect(secret.stderr).toContain('key_scope')
  expect((await run('billing webhook secret')).stdout).toMatch(/^whsec_/)
})

test('the list of keys shows scope, expiry and last use', async () => {
  const { stdout } = await run('keys list')
  expect(stdout).toMatch(/id +name +scope +ends with +made \(UTC\) +last used \(UTC\) +expires \(UTC\) +state/)
  expect(stdout).toMatch(/ environment +owner .* never +valid/)
  expect(stdout).toMatch(/ pull-requests +read +\S{4} +(\d{4}-\S+ \S+ +){3}valid/)
  const { document } = await world.json(['keys', 'list'])
  expect(document.keys.at(-1)).toMatchObject({ name: 'pull-requests', scope: 'read', expires_at: expect.any(String) })
})

test('an expiry date that is malformed or in the past is refused before a request is sent', async () => {
  for (const text of ['soon', '90', '2020-01-01', '0d'])
    expect(await run(`keys create late --expires ${text}`)).toMatchObject({ exit: 2, stdout: '' })
  expect((await run('keys list')).stdout).not.toContain('late')
})

test('the rotation of a webhook prints only the new secret to stdout, and to stderr how long the old endpoint stays active', async () => {
  const before = (await run('billing webhook secret')).stdout.trim()
  const [id] = (await world.json(['billing', 'webhook', 'secret'])).document.webhooks.map((hook) => hook.id)
  const rotated = await run(`billing webhook rotate ${id ?? ''} --overlap 2h`)
  expect(rotated).toMatchObject({ exit: 0 })
  expect(rotated.stdout).toMatch(/^whsec_\w+\n$/)
  expect(rotated.stdout.trim()).not.toBe(before)
  expect(rotated.stderr).toMatch(/The old endpoint we_\w+ signs with the old secret until \d{4}-\S+ \S+ UTC/)
  expect((await run('billing webhook secret')).stdout).toBe(rotated.stdout)
  expect((await run('jobs list')).stdout).toMatch(/rotation of a secret +\S+ +waiting/)
  expect(await run(`billing webhook rotate ${id ?? ''} --overlap soon`)).toMatchObject({ exit: 2, stdout: '' })
  expect((await run('billing webhook rotate nothing')).stderr).toContain('webhook_not_found')
  expect((await run(`billing webhook rotate ${id ?? ''} --overlap 0s`)).stderr).toMatch(
    /The old endpoint we_\w+ is switched off\./,
  )
})
