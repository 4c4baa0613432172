// Commands with `--json` print the response of the service: the client drops no member and keeps the names chosen by the author.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { admin, billing, changedConfig, startTestApp, type TestApp } from '../support/app.ts'
import { buy, sessionOf } from '../support/shop/selling.ts'
import { cliWorld, type CliWorld } from './cli-world.ts'

const metadata = { ownerTeam: 'growth', owner_team: 'billing', 'Owner-Team': 'x' }
const documentOf = (version: string, ownerTeam: string) =>
  changedConfig(version, ({ products }) => {
    for (const product of products) product.metadata = { ...metadata, ownerTeam }
  })

let test: TestApp
let world: CliWorld
beforeAll(async () => {
  test = await startTestApp()
  await test.push(documentOf('1.0.0', 'growth'))
  await test.push(documentOf('1.1.0', 'sales'))
  await sessionOf(test, 'one')
  await buy(test, 'one', { price_id: 'pro_monthly', quantity: 7 })
  const deal = { tenant_id: 'one', enterprise_template: 'gold' }
  await test.asAdmin({ method: 'POST', url: `${admin}/enterprise/apply-template`, payload: deal })
  await test.stripe.products.update('rc_pro', { name: 'Edited', metadata: { ownerTeam: 'somebody' } })
  await test.app.listen({ port: 0, host: '127.0.0.1' })
  const address = test.app.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  world = cliWorld({ RATECARD_API_URL: `http://127.0.0.1:${String(port)}`, RATECARD_SERVICE_KEY: test.key })
})
afterAll(async () => {
  world.remove()
  await test.close()
})

/** `$push` and `$job` are the newest ones. */
const commands: readonly (readonly [command: string, url: string])[] = [
  ['billing show', `${admin}/config`],
  ['billing show --public', `${billing}/config`],
  ['billing show price pro_monthly', `${billing}/config/prices/pro_monthly`],
  ['billing show product pro', `${billing}/config/products/pro`],
  ['billing show meter api_calls', `${billing}/config/meters/api_calls`],
  ['billing history', `${admin}/config/history?limit=10`],
  ['billing diff 1 2', `${admin}/config/history/1/diff/2`],
  ['billing drift', `${admin}/config/drift`],
  ['billing pushes', `${admin}/pushes?limit=10`],
  ['billing pushes $push', `${admin}/pushes/$push`],
  ['billing webhook secret', `${admin}/webhooks`],
  ['jobs list', `${admin}/jobs?limit=10`],
  ['jobs show $job', `${admin}/jobs/$job`],
  ['keys list', `${admin}/keys`],
  ['tenants list', `${admin}/tenants?limit=20`],
  ['tenants subscriptions one', `${admin}/tenants/one/subscriptions`],
  ['tenants upcoming-invoice one', `${admin}/tenants/one/upcoming-invoice`],
  ['tenants entitlements one', `${admin}/tenants/one/entitlements`],
  ['tenants audit one', `${admin}/tenants/one/audit?limit=20`],
  ['enterprise prices --template gold', `${admin}/enterprise/prices/by-template/gold`],
  ['enterprise prices --id acme', `${admin}/enterprise/prices/by-id/acme`],
  ['enterprise coverage', `${admin}/enterprise/coverage`],
]

describe('the --json output', () => {
  it.each(commands)('for `%s` equals the response of %s', async (command, url) => {
    const [push] = (await test.asAdmin({ url: `${admin}/pushes` })).json().pushes
    const [job] = (await test.asAdmin({ url: `${admin}/jobs` })).json().jobs
    const named = (text: string) => text.replace('$push', push.id).replace('$job', job.id)
    const { document } = await world.json(named(command).split(' '))
    expect(document).toEqual((await test.asAdmin({ url: named(url) })).json())
  })

  it('keeps keys that the author chose, such as `ownerTeam`, unchanged in diff and drift', async () => {
    for (const command of ['billing diff 1 2', 'billing drift']) {
      const { stdout } = await world.run([...command.split(' '), '--json'])
      expect([command, stdout]).toEqual([command, expect.stringContaining('ownerTeam')])
      expect(stdout).not.toContain('owner_Team')
    }
  })
})
