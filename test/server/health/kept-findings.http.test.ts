// Findings of the checks are stored, so that the menu of the dashboard shows their number without a request to the processor.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { admin, changedConfig, sampleConfig, startPushedApp, type TestApp } from '../../support/app.ts'

let test: TestApp
beforeAll(async () => {
  test = await startPushedApp()
})
afterAll(() => test.close())

async function driftOf(query = ''): Promise<string | undefined> {
  const response = await test.asAdmin({ url: `${admin}/doctor${query}` })
  const { findings } = response.json<{ findings: readonly { readonly check: string; readonly detail: string }[] }>()
  return findings.find(({ check }) => check === 'drift')?.detail
}

async function renameAtProcessor(name: string): Promise<void> {
  const { data } = await test.stripe.products.list({ limit: 100 })
  const product = data.find(({ metadata }) => metadata['ratecard_id'] === 'pro')
  await test.stripe.products.update(product?.id ?? '', { name })
}

const none = '0 fields were edited at the processor'
const one = '1 field was edited at the processor since the last push.'

it('the doctor returns cached findings up to `max_age` seconds old; without `max_age` the findings are current', async () => {
  expect(await driftOf()).toBe(none)
  await renameAtProcessor('Edited')
  expect(await driftOf('?max_age=3600')).toBe(none)
  expect(await driftOf()).toBe(one)

  await renameAtProcessor(sampleConfig().products.find(({ id }) => id === 'pro')?.name ?? '')
  const drift = await test.asAdmin({ url: `${admin}/config/drift` })
  expect(drift.json()).toMatchObject({ in_sync: true, edited_fields: 0 })
  expect(await driftOf('?max_age=3600')).toBe(none)

  await renameAtProcessor('Edited again')
  expect(
    (await test.push(changedConfig('1.1.0', ({ products }) => void (products[0]!.description = 'New')))).statusCode,
  ).toBe(200)
  await renameAtProcessor('Edited once more')
  expect(await driftOf('?max_age=3600')).toBe(one)
})

it('the doctor refuses a negative max_age with a 400', async () => {
  expect((await test.asAdmin({ url: `${admin}/doctor?max_age=-1` })).statusCode).toBe(400)
})
