import { describe, expect, it } from 'vitest'
import { admin, changedConfig, startPushedApp } from '../../support/app.ts'
import { startedForAll } from '../../support/started.ts'

const test = startedForAll(startPushedApp)

describe('malformed text (e.g. control characters) in names and descriptions', () => {
  it('is refused before anything is written at the processor', async () => {
    for (const text of ['Pro \ud83d', 'Pro \u001b[31m', 'Pro \u0007']) {
      const document = changedConfig('1.1.0', (config) => {
        const product = config.products.find(({ id }) => id === 'pro')
        if (product !== undefined) product.name = text
      })
      const push = await test.push(document)
      expect([push.statusCode, push.json().code]).toEqual([422, 'config_invalid'])
      expect(push.json().errors).toEqual([
        expect.objectContaining({ code: 'text_malformed', pointer: '#/products/1/name', severity: 'error' }),
      ])
      const verdict = await test.asAdmin({ method: 'POST', url: `${admin}/config/validate`, payload: document })
      expect(verdict.json()).toMatchObject({ valid: false, errors: [{ code: 'text_malformed' }] })
    }
  })

  it('is sanitized by a pull if it is in an object at the processor, so that the next push does not archive the object', async () => {
    const product = (await test.asAdmin({ url: `${admin}/config` })).json().config.products[1]
    await test.stripe.products.update(product.processor_id, { name: 'Pro\u001b[2J' })
    const pulled = (await test.asAdmin({ url: `${admin}/config/pull?report=true` })).json()
    expect(pulled.unrepresented).toEqual([expect.objectContaining({ kind: 'product' })])
    expect((pulled.document.products as { id: string; name: string }[]).find(({ id }) => id === 'pro')?.name).toBe(
      'Pro [2J',
    )
    const verdict = await test.asAdmin({ method: 'POST', url: `${admin}/config/validate`, payload: pulled.document })
    expect(verdict.json().errors).toEqual([])
  })
})
