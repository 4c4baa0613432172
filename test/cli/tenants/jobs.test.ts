// A job reports what it did not move, with the reason.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type Stripe from 'stripe'
import { beforeAll, expect, test } from 'vitest'
import type { RunningServer } from '../../../packages/ratecard/src/server/composition/main.ts'
import type { CliWorld } from '../cli-world.ts'
import { shopWorld } from '../shop-world.ts'
import { payingCustomer } from '../../support/shop/paying-customer.ts'
import { startedForAll } from '../../support/started.ts'

const key = 'jobs-cli-service-key'
const tick = '✓'
const later = `${String(new Date().getUTCFullYear() + 3)}-01-01`
const migrate = 'billing migrate --price kiln_monthly'
let world: CliWorld
let server: RunningServer
let stripe: Stripe
const shop = startedForAll(() => shopWorld(key))
let amount = 4900

beforeAll(async () => {
  ;({ world, server, stripe } = shop)
  expect(await run('billing push --yes --quiet')).toMatchObject({ exit: 0 })
})

const run = (line: string) =>
  world.run(line.split(' '), { env: { RATECARD_API_URL: server.url, RATECARD_SERVICE_KEY: key } })

/** Creates a tenant with one seat on a price. Returns the id of its subscription. */
async function subscriber(id: string, more: Stripe.SubscriptionCreateParams.Item[] = []): Promise<string> {
  const customer = { id: await payingCustomer(stripe, { name: id }) }
  expect(await run(`tenants create ${id} --customer ${customer.id}`)).toMatchObject({ exit: 0 })
  const { data } = await stripe.prices.list({ active: true, limit: 100 })
  const price = data.find((each) => each.metadata['ratecard_id'] === 'kiln_monthly')
  const items = [{ price: price?.id ?? '', quantity: 1 }, ...more]
  return (await stripe.subscriptions.create({ customer: customer.id, items })).id
}

/** Pushes another amount, also while moves to the price before are scheduled. */
async function changeAmount(): Promise<void> {
  const file = 'ratecard/billing/catalog.json'
  const text = readFileSync(path.join(world.cwd, file), 'utf8')
  world.write(file, text.replace(`"amount": ${String(amount)},`, `"amount": ${String((amount += 100))},`))
  expect(await run('billing push --yes --quiet --approve-impact')).toMatchObject({ exit: 0 })
}

const idIn = (text: string) => /^Job (\w+)/m.exec(text)?.[1] ?? ''

test('the output of a migration that moves some subscribers and skips others contains both counts and the reason of each skip', async () => {
  const leaving = await subscriber('leaver')
  await subscriber('goer')
  await stripe.subscriptions.update(leaving, { cancel_at_period_end: true })
  await changeAmount()
  const ran = await run(`${migrate} --to renewal`)
  expect(ran.exit).toBe(0)
  expect(ran.stdout).toContain(`  ·  leaver  ${leaving} stays: The subscription ends with the period`)
  expect(ran.stdout).toContain(`${tick} Scheduled 1 for the renewal, skipped 1. Former prices: ratecard jobs show`)
  const shown = await run(`jobs show ${idIn(ran.stderr)}`)
  expect(shown.stdout).toContain('kiln_monthly, move to a new price: done, 2/2 steps, 0 moved, 1 scheduled, 1 skipped')
  expect(shown.stdout).toContain(`leaver  ${leaving} stays: The subscription ends with the period`)
  expect(shown.stdout).toMatch(/goer, sub_\w+: price "kiln_monthly" went from price_\w+ to price_\w+, from .* UTC on\./)
  expect(shown.stdout).toContain('then `ratecard billing migrate --price kiln_monthly`')
  const { steps } = JSON.parse((await run(`jobs show ${idIn(ran.stderr)} --json`)).stdout) as { steps: unknown[] }
  expect(steps).toHaveLength(2)
})

test('a scheduled move is named, and taken back on demand', async () => {
  const subscription = await subscriber('stayer')
  await changeAmount()
  const id = idIn((await run(`${migrate} --only stayer`)).stderr)
  const scheduled = new RegExp(`1 move stays scheduled:\n  ·  stayer  ${subscription}  at .* UTC\n`)
  expect((await run(`jobs show ${id}`)).stdout).toMatch(scheduled)
  const refused = await run(`jobs cancel ${id}`)
  expect(refused).toMatchObject({ exit: 1, stderr: expect.stringContaining(`--take-back`) as string })
  const taken = await run(`jobs cancel ${id} --take-back`)
  expect(taken).toMatchObject({ exit: 0, stdout: expect.stringContaining(`${tick} Job ${id} is done.`) as string })
  expect(taken.stdout).toContain(`${tick} Took back 1 scheduled move`)
  expect((await run(`jobs cancel ${id} --take-back`)).stdout).toContain('No move was scheduled.')
  expect((await run(`jobs show ${id}`)).stdout).not.toContain('scheduled:')
  expect((await stripe.subscriptions.retrieve(subscription)).schedule).toBe(null)
})

test('a resumed job that skipped every step is shown without a check mark', async () => {
  const subscription = await subscriber('ender')
  await changeAmount()
  const asked = await run(`${migrate} --only ender --to ${later}`)
  expect(asked.stdout).toContain(`Nothing moved yet.\n1 waits for the first renewal after ${later} 00:00:00 UTC`)
  await stripe.subscriptions.cancel(subscription)
  const resumed = await run(`jobs resume ${idIn(asked.stderr)}`)
  expect(resumed.exit).toBe(0)
  expect(resumed.stdout).toContain(
    `  ·  ender  ${subscription} stays: The subscription has ended.\nMoved nothing, skipped 1.\n`,
  )
  expect(resumed.stdout).not.toContain(tick)
})

test('the output of apply --all-with-template contains the names of the tenants that were not moved', async () => {
  const product = await stripe.products.create({ name: 'Theirs' })
  const price = await stripe.prices.create({
    product: product.id,
    currency: 'eur',
    unit_amount: 100,
    recurring: { interval: 'month' },
  })
  const subscription = await subscriber('mixed', [{ price: price.id, quantity: 1 }])
  await subscriber('plain')
  for (const tenant of ['mixed', 'plain'])
    expect(await run(`enterprise apply ${tenant} --template guild`)).toMatchObject({ exit: 0 })
  const ran = await run('enterprise apply --all-with-template guild')
  expect(ran.exit).toBe(0)
  expect(ran.stdout).toContain(
    `  ·  mixed  ${subscription}  ${price.id} stays: The price is not in the configuration.\n` +
      '1 of 2 tenants are on "guild". 1 not moved completely: see above.',
  )
  expect(ran.stdout).not.toContain(tick)
})
