import { expect, test } from 'vitest'
import { createContact } from '../../../packages/ratecard/src/processor/stripe/connection/contact.ts'

/** A contact whose clock the test moves, and whose probes answer as the test says. */
function startContact() {
  const world = { now: 1_000_000, isUp: false, probes: 0 }
  const contact = createContact({
    clock: { now: () => world.now },
    probe: () => {
      world.probes++
      return Promise.resolve(world.isUp)
    },
  })
  /** Sends a request that ends at once. */
  const ends = (answered: boolean | null) => contact.sent()(answered)
  return { world, contact, ends }
}

test('Stripe counts as silent after three requests without an answer in a row, at least a second apart', () => {
  const { world, contact, ends } = startContact()
  ends(true)
  world.now += 60_000
  ends(false)
  ends(false)
  ends(false)
  expect(contact.silentSince()).toBeNull()
  world.now += 1_000
  expect(contact.silentSince()).toBe(1_000_000)
})

test('an answer in between, even a refusal, is a sign of life', () => {
  const { world, contact, ends } = startContact()
  for (const answered of [false, false, true, false, false]) {
    ends(answered)
    world.now += 10_000
  }
  expect(contact.silentSince()).toBeNull()
})

test('a request that waits for five seconds while nothing else is answered is a sign of silence', () => {
  const { world, contact, ends } = startContact()
  const done = contact.sent()
  world.now += 4_999
  expect(contact.silentSince()).toBeNull()
  world.now += 1
  expect(contact.silentSince()).toBe(1_000_000)
  ends(true)
  expect(contact.silentSince()).toBeNull()
  done(true)
})

test('a request that its caller gave up is no sign of silence', () => {
  const { world, contact } = startContact()
  const done = contact.sent()
  done(null)
  world.now += 60_000
  expect(contact.silentSince()).toBeNull()
})

test('while Stripe is silent, reads fail with one probe in two seconds, and the first one after the outage succeeds', async () => {
  const { world, contact, ends } = startContact()
  await contact.require()
  expect(world.probes).toBe(0)
  for (let attempt = 0; attempt < 3; attempt++) ends(false)
  world.now += 1_000
  const refused = { kind: 'unavailable', message: 'Stripe has not answered since 1970-01-01T00:16:40.000Z.' }
  const reads = await Promise.allSettled([contact.require(), contact.require(), contact.require()])
  expect(reads.map((read) => read.status === 'rejected' && (read.reason as object))).toMatchObject([
    refused,
    refused,
    refused,
  ])
  expect(world.probes).toBe(1)
  world.now += 1_999
  await expect(contact.require()).rejects.toMatchObject(refused)
  expect(world.probes).toBe(1)
  world.now += 1
  world.isUp = true
  await contact.require()
  expect([world.probes, contact.silentSince()]).toEqual([2, null])
})
