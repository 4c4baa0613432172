// Commands for tenants, negotiated prices, migrations, webhook forwarding and the sandbox's clock.
import { createServer, type Server } from 'node:http'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { verifyWebhook } from '@ratecard/client'
import type Stripe from 'stripe'
import { beforeAll, describe, expect, test } from 'vitest'
import type { RunningServer } from '../../../packages/ratecard/src/server/composition/main.ts'
import type { CliWorld, RunOptions } from '../cli-world.ts'
import { shopWorld } from '../shop-world.ts'
import { payingCustomer } from '../../support/shop/paying-customer.ts'
import { startedForAll } from '../../support/started.ts'

const key = 'tenant-cli-service-key'
let world: CliWorld
let server: RunningServer
let stripe: Stripe
const shop = startedForAll(() => shopWorld(key))

beforeAll(async () => {
  ;({ world, server, stripe } = shop)
  expect(await run('billing push --yes --quiet')).toMatchObject({ exit: 0 })
})

const env = () => ({
  RATECARD_API_URL: server.url,
  RATECARD_SERVICE_KEY: key,
  RATECARD_SANDBOX_PORT: new URL(server.sandboxUrl ?? '').port,
})
const words = (line: string) => line.split(' ')
const run = (line: string, options: RunOptions = {}) => world.run(words(line), { ...options, env: env() })
const json = async (line: string) => {
  const { exit, document } = await world.json(words(line), { env: env() })
  return { exit, document: document as unknown as Readonly<Record<string, unknown>> }
}

/** Creates a tenant with seats on a price, as if it had bought them. */
async function subscriber(id: string, priceId: string, quantity: number): Promise<string> {
  const customer = { id: await payingCustomer(stripe, { name: id }) }
  expect(await run(`tenants create ${id} --customer ${customer.id}`)).toMatchObject({ exit: 0 })
  const { data } = await stripe.prices.list({ active: true, limit: 100 })
  const price = data.find((each) => each.metadata['ratecard_id'] === priceId)
  if (price === undefined) throw new Error(`No live price is marked ${priceId}`)
  await stripe.subscriptions.create({ customer: customer.id, items: [{ price: price.id, quantity }] })
  return customer.id
}

describe('commands for tenants', () => {
  test('create, show, change, list and delete a tenant', async () => {
    expect((await run('tenants create potters --name Potters')).stdout).toContain('Tenant potters (Potters).')
    expect(await json('tenants update potters --email a@potters.example')).toMatchObject({
      document: { id: 'potters', email: 'a@potters.example', enterprise_template: null },
    })
    expect((await run('tenants show potters')).stdout).toMatch(/state {9}none[\s\S]*customer {6}none yet/)
    expect((await json('tenants list')).document).toMatchObject({ tenants: [{ id: 'potters' }] })
    expect(await run('tenants delete potters --yes')).toMatchObject({ exit: 0 })
    expect(await json('tenants show potters')).toMatchObject({
      exit: 1,
      document: { error: { code: 'tenant_not_found' } },
    })
  })

  test('show usage that the processor dropped in all output about a tenant', async () => {
    await subscriber('meterers', 'kiln_monthly', 1)
    expect((await run('billing usage')).stdout).toContain('No usage was dropped in the last 30 days.')
    expect((await run('tenants upcoming-invoice meterers')).stdout).not.toContain('dropped')
    expect(await json('billing usage')).toEqual({ exit: 0, document: { dropped: [] } })
    expect(await json('tenants show meterers')).toMatchObject({ document: { dropped_usage: [] } })
    expect(await run('billing usage --meter nothing')).toMatchObject({ exit: 1 })

    const customer = await payingCustomer(stripe, { name: 'drops' })
    await run(`tenants create drops --customer ${customer}`)
    const { data } = await stripe.prices.list({ active: true, limit: 100 })
    const metered = data.find((each) => each.metadata['ratecard_id'] === 'sensor_readings')
    await stripe.subscriptions.create({ customer, items: [{ price: metered?.id ?? '' }] })
    const later = (check: string) =>
      fetch(`${server.sandboxUrl ?? ''}/_sandbox/usage`, { method: 'PUT', body: JSON.stringify({ check }) })
    await later('later')
    const headers = { 'x-service-key': key, 'content-type': 'application/json' }
    const timestamp = new Date(Date.now() + 5 * 86_400_000).toISOString()
    const body = JSON.stringify({ meter: 'readings', value: 4, tenant_id: 'drops', identifier: 'day-9', timestamp })
    expect(await fetch(`${server.url}/api/v1/billing/usage`, { method: 'POST', headers, body })).toMatchObject({
      status: 200,
    })
    await later('at_once')
    const line = /! .* UTC {2}1 usage event of meter readings dropped: timestamp_in_future, for example day-9 of drops/
    for (const command of ['billing usage', 'tenants show drops', 'tenants upcoming-invoice drops'])
      expect((await run(command)).stdout).toMatch(line)
    expect((await run('tenants show meterers')).stdout).not.toContain('dropped')
    const examples = [{ tenant_id: 'drops', identifier: 'day-9' }]
    for (const command of ['tenants show drops', 'tenants upcoming-invoice drops'])
      expect(await json(command)).toMatchObject({ document: { dropped_usage: [{ meter: 'readings', examples }] } })
    expect((await json('billing usage --tenant drops')).document).toMatchObject({ dropped: [{ count: 1 }] })
  })

  test('show no statement about dropped usage for a tenant if no dropped-usage report names the tenant', async () => {
    await run('tenants create unnamed --name Unnamed')
    const { stdout } = await run('billing usage --tenant unnamed')
    expect(stdout).toContain(
      'No report of the last 30 days names the tenant "unnamed". The processor’s reports contain only samples',
    )
    expect(stdout).not.toContain('No usage')
    expect((await run('billing usage --tenant unnamed --meter readings')).stdout).toContain(
      'No report of the meter "readings" of the last 30 days names the tenant',
    )
  })

  test('show a tenant even if the service key may not read the dropped usage, but fail if the service key is refused', async () => {
    const customer = await payingCustomer(stripe, { name: 'untold' })
    await run(`tenants create untold --customer ${customer}`)
    const { data } = await stripe.prices.list({ active: true, limit: 100 })
    const metered = data.find((each) => each.metadata['ratecard_id'] === 'sensor_readings')
    await stripe.subscriptions.create({ customer, items: [{ price: metered?.id ?? '' }] })
    let failure = { status: 404, code: 'route_not_found' }
    // A proxy in front of the server that fails only the reports of dropped usage.
    const front = createServer((request, response) => {
      const { url = '/', headers } = request
      const answer = url.includes('/usage/dropped')
        ? Promise.resolve(Response.json({ ...failure, title: 'No', detail: 'No.' }, failure))
        : fetch(`${server.url}${url}`, { headers: { 'x-service-key': String(headers['x-service-key']) } })
      void answer.then(async (each) => {
        const type = url.includes('/usage/dropped') ? 'application/problem+json' : 'application/json'
        response.writeHead(each.status, { 'content-type': type }).end(await each.text())
      })
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => front.once('listening', resolve))
    const address = front.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const show = async (status: number, code: string) => {
      failure = { status, code }
      return world.json(['tenants', 'show', 'untold'], {
        env: { ...env(), RATECARD_API_URL: `http://127.0.0.1:${String(port)}` },
      })
    }
    const earlier = await show(404, 'route_not_found')
    expect([earlier.exit, 'dropped_usage' in earlier.document]).toEqual([0, false])
    expect(await show(422, 'processor_rejected')).toMatchObject({ exit: 0, document: { dropped_usage: null } })
    expect(await show(401, 'service_key_invalid')).toMatchObject({
      exit: 1,
      document: { error: { code: 'service_key_invalid' } },
    })
    front.closeAllConnections()
    front.close()
  })

  test('preview, apply and remove a template, each with an entry in the audit log and without an invoice', async () => {
    const customer = await subscriber('glazeworks', 'kiln_monthly', 7)
    const bills = async () => (await stripe.invoices.list({ customer })).data.length
    const before = await bills()
    expect((await run('enterprise apply glazeworks --template school --dry-run')).stdout).toMatch(
      /kiln_monthly → kiln_monthly_school[\s\S]*Would swap 1 price\./,
    )
    expect(await json('enterprise apply glazeworks --template school')).toMatchObject({
      document: { prices_swapped: 1, swaps: [{ from: 'kiln_monthly', to: 'kiln_monthly_school', effective: 'now' }] },
    })
    expect((await run('tenants upcoming-invoice glazeworks')).stdout).toContain('€205.80')
    expect((await run('tenants subscriptions glazeworks')).stdout).toMatch(/kiln_monthly_school\s+7/)
    expect(await json('enterprise remove glazeworks')).toMatchObject({ document: { prices_swapped: 1 } })
    expect(await bills()).toBe(before)
    expect((await run('tenants audit glazeworks')).stdout).toMatch(/remove\s+school[\s\S]*apply template\s+–\s+school/)
  })

  test('set and show the end date of a deal, and the tenant returns to its former price at that date', async () => {
    await subscriber('seasonal', 'kiln_monthly', 2)
    const applied = await run('enterprise apply seasonal --template school --until 2099-01-01 --then signed')
    expect(applied.stdout).toContain('ends 2099-01-01 00:00:00 UTC, then the prices signed before it')
    expect((await run('tenants show seasonal')).stdout).toContain('school, ends 2099-01-01 00:00:00 UTC')
    const dry = await run('enterprise remove seasonal --to signed --dry-run')
    expect(dry.stdout).toMatch(/a month: €58\.80 → €\d+\.\d\d/)
    expect(await json('enterprise remove seasonal --to signed')).toMatchObject({ document: { prices_swapped: 1 } })
    expect(await json('tenants show seasonal')).toMatchObject({ document: { enterprise_ends_at: null } })
  })

  test('report in the last line that an old discount continues beside a new deal, and end that discount with --unmatched base', async () => {
    const customer = await subscriber('renters', 'kiln_yearly', 1)
    expect(await run('enterprise apply renters --template school')).toMatchObject({ exit: 0 })
    const moved = await run('enterprise apply renters --template founder')
    expect(moved).toMatchObject({ exit: 0 })
    expect(moved.stdout).toContain('kiln_yearly_school stays: on_other_deal. No price of the template "founder"')
    expect(moved.stdout.trimEnd().split('\n').at(-1)).toMatch(
      /^! 1 item stays on other negotiated prices, with any discount\./,
    )
    expect(moved.stdout).not.toContain('✓')
    expect(await json('enterprise apply renters --template founder --unmatched base')).toMatchObject({
      document: { swaps: [{ from: 'kiln_yearly_school', to: 'kiln_yearly' }], left_on_other_deal: 0 },
    })
    // These subscriptions must not count below.
    const { data } = await stripe.subscriptions.list({ customer })
    await stripe.subscriptions.cancel(data[0]?.id ?? '')
  })

  test('show each base price with its negotiated prices, and fail with --exit-code if a negotiated price is missing', async () => {
    const ran = await run('enterprise coverage --exit-code')
    expect(ran.exit).toBe(3)
    expect(ran.stdout).toMatch(/kiln_yearly .*kiln_yearly_guild/)
  })

  test('move all tenants of a template to its new prices in one job', async () => {
    await subscriber('mudlarks', 'kiln_monthly', 2)
    await run('enterprise apply mudlarks --template guild')
    const file = path.join(world.cwd, 'ratecard/billing/enterprise.jsonc')
    const text = readFileSync(file, 'utf8')
    world.write('ratecard/billing/enterprise.jsonc', text.replace('"amount": 3920', '"amount": 3900'))
    expect(await run('billing push --yes --quiet')).toMatchObject({ exit: 0 })
    expect(await json('tenants subscriptions mudlarks')).toMatchObject({
      document: { subscriptions: [{ items: [{ price_id: 'kiln_monthly_guild', legacy: true }] }] },
    })
    const moved = await run('enterprise apply --all-with-template guild')
    expect(moved).toMatchObject({ exit: 0 })
    expect(moved.stdout).toContain('1 of 1 tenants are on "guild".')
    expect(await json('tenants subscriptions mudlarks')).toMatchObject({
      document: { subscriptions: [{ items: [{ price_id: 'kiln_monthly_guild', legacy: false }] }] },
    })
  })

  test('list the subscribers of a replaced price with the amounts, and move them to the new price on request', async () => {
    const customer = await subscriber('claybank', 'kiln_yearly', 3)
    const text = readFileSync(path.join(world.cwd, 'ratecard/billing/catalog.json'), 'utf8')
    world.write('ratecard/billing/catalog.json', text.replace('49000', '54000'))
    expect(await run('billing push --yes --quiet')).toMatchObject({ exit: 0 })
    const dry = await run('billing migrate --price kiln_yearly --dry-run')
    expect(dry.stdout).toContain('€122.50 → €135.00')
    expect(await json('tenants subscriptions claybank')).toMatchObject({
      document: { subscriptions: [{ items: [{ legacy: true, scheduled_price_id: null }] }] },
    })
    const unasked = await run('billing migrate --price kiln_yearly --to now')
    expect(unasked).toMatchObject({ exit: 1, stderr: expect.stringContaining('confirmation_required') as string })
    expect(unasked.stdout).toContain('claybank')
    expect(await json('tenants subscriptions claybank')).toMatchObject({
      document: { subscriptions: [{ items: [{ legacy: true }] }] },
    })
    const moved = await run('billing migrate --price kiln_yearly --to now --yes')
    expect(moved).toMatchObject({ exit: 0 })
    expect((await run('jobs list')).stdout).toMatch(/move to a new price\s+kiln_yearly\s+done\s+(\d)\/\1/)
    expect(await json('tenants subscriptions claybank')).toMatchObject({
      document: { subscriptions: [{ items: [{ price_id: 'kiln_yearly', legacy: false, quantity: 3 }] }] },
    })
    expect((await stripe.invoices.list({ customer })).data).toHaveLength(1)
  })

  test('refuse an immediate migration without a terminal and without --yes, even if it would move no subscriber', async () => {
    expect(await run('billing migrate --price kiln_yearly --to now')).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('confirmation_required') as string,
    })
    expect(await run('billing migrate --price kiln_yearly --to now --yes')).toMatchObject({ exit: 0 })
    expect(await run('billing migrate --price kiln_yearly')).toMatchObject({ exit: 0 })
  })

  test('pass a new name and email on to the customer at the processor', async () => {
    const customer = await stripe.customers.create({
      name: 'Old',
      email: 'old@example.test',
      metadata: { theirs: 'kept' },
    })
    expect(await run(`tenants create renamed --name Old --customer ${customer.id}`)).toMatchObject({ exit: 0 })
    const told = await run('tenants update renamed --name New --email new@example.test')
    expect(told).toMatchObject({ exit: 0, stderr: '' })
    expect(await stripe.customers.retrieve(customer.id)).toMatchObject({
      name: 'New',
      email: 'new@example.test',
      metadata: { theirs: 'kept' },
    })
    // A customer that does not exist is accepted until it is used, so the tenant can be renamed.
    await run('tenants create nobodys --customer cus_nobody')
    expect(await run('tenants update nobodys --name Somebody')).toMatchObject({ exit: 0 })
  })

  test('schedule a migration for a later date without waiting for it, and the subscribers move at their first renewal after that date', async () => {
    await subscriber('brickfield', 'kiln_yearly', 1)
    const text = readFileSync(path.join(world.cwd, 'ratecard/billing/catalog.json'), 'utf8')
    world.write('ratecard/billing/catalog.json', text.replace('54000', '56000'))
    expect(await run('billing push --yes --quiet')).toMatchObject({ exit: 0 })
    const date = `${String(new Date().getUTCFullYear() + 3)}-01-01`
    const asked = await run(`billing migrate --price kiln_yearly --only brickfield --to ${date} --message later`)
    expect(asked).toMatchObject({ exit: 0 })
    expect(asked.stdout).not.toContain('✓')
    expect(asked.stdout).toContain(`Nothing moved yet.\n1 waits for the first renewal after ${date} 00:00:00 UTC`)
    expect(asked.stdout).toMatch(
      /the service continues on its own, first at \d{4}-.* To stop that: ratecard jobs cancel \w/,
    )
    const { document } = await json('jobs list --limit 1')
    const [job] = document['jobs'] as readonly { id: string }[]
    expect(job).toMatchObject({ state: 'waiting', message: 'later', resumes_at: expect.any(String) as string })
    expect((await run('jobs list')).stdout).toMatch(/move to a new price\s+kiln_yearly\s+waiting\s+0\/1/)
    const resumed = await run(`jobs resume ${job?.id ?? ''}`)
    expect(resumed).toMatchObject({ exit: 0, stdout: expect.stringContaining('Nothing moved yet.\n1 waits') as string })
    expect((await run(`jobs cancel ${job?.id ?? ''}`)).stdout).toContain('is cancelled')
    expect((await run(`jobs resume ${job?.id ?? ''}`)).exit).toBe(1)
  })
})

describe('commands for events and the sandbox clock', () => {
  test('send new events to a handler, with a signature that the client library accepts', async () => {
    const secret = (await run('billing webhook listen --print-secret')).stdout.trim()
    const stop = new AbortController()
    const got: string[] = []
    const handler: Server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        void verifyWebhook(Buffer.concat(chunks), String(request.headers['stripe-signature']), secret)
          .then((event) => got.push(event.type))
          .catch((error: unknown) => got.push(String(error)))
          .finally(() => {
            response.end()
            stop.abort()
          })
      })
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => handler.once('listening', resolve))
    const address = handler.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const listening = run(
      `billing webhook listen --events customer.created --forward http://127.0.0.1:${String(port)}/`,
      {
        signal: stop.signal,
        onOutput: (text) => {
          if (text.includes('Signing secret')) void stripe.customers.create({ name: 'somebody' })
        },
      },
    )
    const ran = await listening
    handler.close()
    expect(got).toEqual(['customer.created'])
    expect(ran).toMatchObject({ exit: 0, stderr: '' })
  })

  test('advance the clock by months, so that the renewals of these months happen', async () => {
    const now = (await run('sandbox clock show')).stdout.trim()
    const customer = await subscriber('kilnhouse', 'kiln_monthly', 1)
    const moved = await run('sandbox clock advance 2mo')
    expect(moved).toMatchObject({ exit: 0, stderr: '' })
    expect(Date.parse((await run('sandbox clock show')).stdout.trim()) - Date.parse(now)).toBeGreaterThan(
      58 * 86_400_000,
    )
    expect((await stripe.invoices.list({ customer })).data.length).toBeGreaterThan(1)
  })
})

test.each([
  ['enterprise apply glazeworks', /either --template or --id/],
  ['enterprise apply --template school', /Whose prices/],
  ['enterprise apply glazeworks --template a --id b', /either --template or --id/],
  ['enterprise apply glazeworks --template a --until soon', /--until: "soon" is not a valid time/],
  ['enterprise apply glazeworks --template a --until 2001-01-01', /has passed/],
  ['enterprise apply glazeworks --template a --then signed', /--then needs --until/],
  ['billing migrate', /Which price/],
  ['billing migrate --price kiln_yearly --only ,', /--only is an empty list: ","/],
  ['billing migrate --price kiln_yearly --only ', /--only is an empty list: ""/],
  ['billing migrate --price kiln_yearly --except ', /--except is an empty list: ""[\s\S]*shell variable/],
  ['billing webhook listen --forward http://127.0.0.1:9/ --secret whsec_x --events ', /--events is an empty list/],
  ['billing validate --file ', /name of a file is empty/],
  ['billing webhook listen', /--forward is missing/],
  ['billing webhook listen --forward http://192.0.2.1/', /only to this machine/],
  ['sandbox clock advance soon', /is not a valid time/],
  ['sandbox clock advance 1d --url nowhere', /not the address of a sandbox/],
  ['tenants update glazeworks', /Nothing to change/],
  ['tenants session glazeworks --ttl 5', /whole number from 60/],
])('`%s` is refused as a usage error that names the next step', async (line, words) => {
  const ran = await run(line)
  expect(ran.exit).toBe(2)
  expect(ran.stderr).toMatch(words)
})

test.each([
  ['tuesday', /is not a valid time/],
  ['', /is not a valid time/],
  ['2027-02-30', /"2027-02-30" does not exist/],
  ['2099-13-01', /does not exist/],
  ['2099-1-1', /is not a valid time/],
  ['2099-04-21T08:00:00', /has no time zone/],
  ['2099-04-21T08:00', /has no time zone/],
  ['2099-04-21 08:00:00Z', /has the wrong format/],
  ['2099-04-21T24:00:00Z', /does not exist/],
  ['2020-01-01', /has passed/],
  ['2020-01-01T00:00:00+01:00', /has passed/],
])('a migration to "%s" is refused with the reason before the server is called', async (to, words) => {
  const argv = ['billing', 'migrate', '--price', 'kiln_yearly', '--to', to, '--api-url', 'http://127.0.0.1:1']
  const ran = await world.run(argv)
  expect(ran.exit).toBe(1)
  expect(ran.stderr).toMatch(words)
  expect(ran.stderr).toContain('time_invalid')
})

test.each(['renewal', 'now', '2099-04-21', '2099-04-21T08:00:00Z', '2099-04-21t08:00:00.5+02:00'])(
  'a migration to %s is accepted',
  async (to) => {
    expect(await run(`billing migrate --price kiln_yearly --dry-run --to ${to}`)).toMatchObject({ exit: 0 })
  },
)
