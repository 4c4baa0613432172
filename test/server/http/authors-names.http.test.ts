// Names chosen by an author stay unchanged on every route that returns them, in the service and in the client.
import { beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '../../../packages/client/src/client.ts'
import { admin, billing, changedConfig, startTestApp } from '../../support/app.ts'
import { buy, jobEnd, sessionOf } from '../../support/shop/selling.ts'
import { startedForAll } from '../../support/started.ts'

const metadata = { ownerTeam: 'growth', owner_team: 'billing', 'Owner-Team': 'x' }
const document = changedConfig('1.0.0', ({ products }) => {
  for (const product of products) {
    product.metadata = metadata
    for (const price of product.prices ?? []) price.metadata = metadata
  }
})

const test = startedForAll(startTestApp)
let client: ReturnType<typeof createClient>
beforeAll(async () => {
  await test.push(document)
  const edited = changedConfig('1.1.0', ({ products }) => {
    Object.assign(products, structuredClone(document.products))
    for (const product of products) product.metadata = { ...metadata, ownerTeam: 'sales' }
  })
  await test.push(edited)
  await sessionOf(test, 'one')
  await buy(test, 'one', { price_id: 'pro_monthly', quantity: 7 })
  const deal = { tenant_id: 'one', enterprise_template: 'gold' }
  await test.asAdmin({ method: 'POST', url: `${admin}/enterprise/apply-template`, payload: deal })
  await test.app.listen({ port: 0, host: '127.0.0.1' })
  const address = test.app.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  client = createClient({ baseUrl: `http://127.0.0.1:${String(port)}`, serviceKey: test.key })
})

interface Drift {
  readonly differences: readonly { readonly fields: readonly { readonly field: string }[] }[]
}
type Kept = Readonly<Record<'before' | 'after' | 'result', unknown>>

/** Returns every object named `metadata`, at any depth. */
function metadataIn(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => (name === 'metadata' ? [inner] : metadataIn(inner)))
}

const names = (found: readonly unknown[]) => new Set(found.flatMap((each) => Object.keys(each as object)))
const wanted = new Set(Object.keys(metadata))

describe('keys that the author of a document chose, such as `ownerTeam`,', () => {
  it.each([
    `${billing}/config/products/pro`,
    `${billing}/config/prices/pro_monthly`,
    `${admin}/config`,
    `${admin}/config/history/1`,
    `${admin}/config/pull`,
    `${admin}/config/pull?report=true`,
  ])('are unchanged in the response of %s', async (url) => {
    const answer = (await test.asAdmin({ url })).json()
    expect(names(metadataIn(answer))).toEqual(wanted)
  })

  it('are unchanged in differences and plans', async () => {
    const { differences } = (await test.asAdmin({ url: `${admin}/config/history/1/diff/2` })).json()
    expect(JSON.stringify(differences)).toContain('"ownerTeam":"sales","owner_team":"billing"')
    const plan = await test.asAdmin({ method: 'POST', url: `${admin}/config?dry_run=true`, payload: document })
    expect(plan.body).toContain('"field":"metadata.ownerTeam"')
  })

  it('are unchanged in all objects that the client library returns', async () => {
    const read = [
      await client.billing.product('pro'),
      await client.billing.price('pro_monthly'),
      await client.admin.config(),
      await client.admin.revision(1),
      await client.admin.pull(),
    ]
    for (const each of read) expect(names(metadataIn(each))).toEqual(wanted)
    expect(JSON.stringify(await client.admin.diff(1, 2))).toContain('"ownerTeam":"sales","owner_team":"billing"')
    const served = await client.admin.config()
    expect([served.createdAt, 'promotionCodes' in served.config]).toEqual([expect.any(String), false])
  })

  it('are unchanged in drift, in the service and in the client library', async () => {
    await test.stripe.products.update('rc_pro', { metadata: { ownerTeam: 'somebody', owner_team: 'else' } })
    const [live] = (await test.asAdmin({ url: `${admin}/config/drift` })).json<Drift>().differences
    expect(live?.fields.map(({ field }) => field)).toEqual(['metadata.ownerTeam', 'metadata.owner_team'])
    const [read] = (await client.admin.drift()).differences
    expect(read?.fields).toEqual(live?.fields)
  })

  it('are unchanged in events of the processor', async () => {
    const after = ''
    const url = `${admin}/events?after=${after}&types=product.updated`
    const { events } = (await test.asAdmin({ url })).json<{ events: { body: unknown }[] }>()
    expect([...names(metadataIn(events))]).toEqual(expect.arrayContaining([...wanted]))
    const read = await client.admin.processorEvents({ after, types: ['product.updated'] })
    expect(read.events.map(({ body }) => body)).toEqual(events.map(({ body }) => body))
  })
})

describe('member names of stored records', () => {
  it('are in snake_case in the audit log, even if the client library reads the log', async () => {
    const { entries } = (await test.asAdmin({ url: `${admin}/tenants/one/audit` })).json<{ entries: Kept[] }>()
    const kept = ({ before, after, result }: Kept) => [before, after, result]
    expect(JSON.stringify(entries.map(kept))).toContain('"enterprise_template":"gold"')
    expect((await client.tenants.audit('one')).entries.map(kept)).toEqual(entries.map(kept))
  })

  it('are the same in a job whether the API or the client library returns the job', async () => {
    const [{ id }] = (await test.asAdmin({ url: `${admin}/jobs` })).json().jobs
    const { input, steps } = await jobEnd(test, id)
    const kept = (each: { step: unknown; result: unknown }) => [each.step, each.result]
    const read = await client.jobs.find(id)
    expect(read.input).toEqual(input)
    expect(read.steps.map(kept)).toEqual((steps as Parameters<typeof kept>[0][]).map(kept))
    expect(JSON.stringify(steps)).toMatch(/[a-z]_[a-z]|[a-z][A-Z]/)
  })
})
