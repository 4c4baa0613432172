// The events of the processor, as keys of each scope read them.
import { expect, it } from 'vitest'
import { admin, billing, startTestApp } from '../../support/app.ts'
import { buy, sessionOf } from '../../support/shop/selling.ts'
import { startedForAll } from '../../support/started.ts'
import { planDocument } from '../../support/shop/changing-shop.ts'

const test = startedForAll(() => startTestApp())

it('events contain links and client secrets of customers only for keys that may write', async () => {
  expect((await test.push(planDocument())).statusCode).toBe(200)
  await sessionOf(test, 'buyer')
  await buy(test, 'buyer', { price_id: 'basic' })
  const portal = await test.asAdmin({
    method: 'POST',
    url: `${billing}/portal`,
    payload: { tenant_id: 'buyer', return_url: 'https://app.example.com/' },
  })
  const { url } = portal.json<{ url: string }>()
  const created = await test.asAdmin({ method: 'POST', url: `${admin}/keys`, payload: { name: 'bi', scope: 'read' } })
  const headers = { 'x-service-key': created.json<{ key: string }>().key }
  const path = `${admin}/events?after=`
  const written = (await test.asAdmin({ url: path })).body
  for (const member of ['"url"', '"hosted_invoice_url"', '"invoice_pdf"', '"client_secret"', url])
    expect(written).toContain(member)
  const read = await test.inject({ url: path, headers })
  expect(read.statusCode).toBe(200)
  for (const member of ['"url"', '"hosted_invoice_url"', '"invoice_pdf"', '"receipt_url"', '"client_secret"', url])
    expect(read.body).not.toContain(member)
  // Everything else is there.
  const types = (body: string) => (JSON.parse(body) as { events: { type: string }[] }).events.map(({ type }) => type)
  expect(types(read.body)).toEqual(types(written))
  expect(types(read.body)).toContain('billing_portal.session.created')
})
