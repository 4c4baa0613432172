import { describe, expect, it } from 'vitest'
import { admin, billing, sampleConfig, startPushedApp } from '../../support/app.ts'
import { startedForAll } from '../../support/started.ts'

const test = startedForAll(startPushedApp)

const json = { 'content-type': 'application/json' }

describe('the body of a request', () => {
  const post = (payload: string | Buffer) =>
    test.asAdmin({ method: 'POST', url: `${admin}/config/validate`, payload, headers: json })

  it('is refused with json_malformed and a pointer if it is not valid JSON', async () => {
    const cases: [string | Buffer, string][] = [
      ['', '#'],
      ['{', '#'],
      ['{"version":', '#'],
      ["{'version':'1.0.0'}", '#'],
      ['{"a":1}x', '#'],
      [Buffer.from([0x22, 0xff, 0xfe, 0x22]), '#'],
      ['{"__proto__":{"admin":true}}', '#/__proto__'],
      ['{"products":[{"\\u005f_proto__":1}]}', '#/products/0/__proto__'],
      ['{"version":"1.0.0","version":"2.0.0"}', '#/version'],
      ['{"products":[{"id":"a"},{"id":"b","prices":[{"amount":1,"amount":100}]}]}', '#/products/1/prices/0/amount'],
      [`${'['.repeat(100_000)}${']'.repeat(100_000)}`, `#${'/0'.repeat(64)}`],
    ]
    for (const [payload, pointer] of cases) {
      const response = await post(payload)
      const shown = payload.toString().slice(0, 40)
      expect([shown, response.statusCode, response.json().code]).toEqual([shown, 400, 'json_malformed'])
      expect(response.json().errors).toEqual([expect.objectContaining({ code: 'syntax', severity: 'error', pointer })])
    }
  })

  it('may contain the same member name in different objects, or inside of a string', async () => {
    const response = await post(
      '{"version":"1.0.0","products":[{"id":"a","name":"\\"id\\":{["},{"id":"b","name":"b"}]}',
    )
    expect(response.statusCode).toBe(200)
    expect(response.json()).toMatchObject({ valid: true })
  })

  it('is refused with validation errors if it is JSON but not a valid configuration', async () => {
    for (const payload of ['[]', '"text"', '42', 'true']) {
      const verdict = await post(payload)
      expect([payload, verdict.statusCode, verdict.json().valid]).toEqual([payload, 200, false])
      expect(verdict.json().errors[0].pointer).toBe('#')
      const push = await test.asAdmin({ method: 'POST', url: `${admin}/config`, payload, headers: json })
      expect([payload, push.statusCode, push.json().code]).toEqual([payload, 422, 'config_invalid'])
    }
    for (const payload of ['null', '']) expect((await post(payload)).json().code).toBe('json_malformed')
  })

  it('is not converted and keeps all its members, so that validation reports wrong types and unknown fields', async () => {
    const verdict = await post(
      JSON.stringify({
        version: '1.0.0',
        extra: 1,
        products: [{ id: 'a', name: 'A', prices: [{ id: 'p', amount: '5', currency: 'usd' }] }],
      }),
    )
    const pointers = verdict.json<{ errors: { pointer: string }[] }>().errors.map(({ pointer }) => pointer)
    expect(pointers).toContain('#/extra')
    expect(pointers).toContain('#/products/0/prices/0/amount')
  })
})

describe('the query parameters and small bodies of requests:', () => {
  it('unknown parameters are refused, with their place and a suggestion', async () => {
    const urls = [
      `${billing}/config?x=1`,
      `${billing}/schema?x=1`,
      `${billing}/config/prices/pro_monthly?x=1`,
      '/healthz?x=1',
      '/api/v1/openapi.json?x=1',
    ]
    for (const url of urls) {
      const response = await test.inject({ url })
      expect([url, response.statusCode, response.json().code]).toEqual([url, 400, 'request_invalid'])
      expect(response.json().errors).toEqual([expect.objectContaining({ code: 'field_unknown', pointer: '#/query/x' })])
    }
    const response = await test.asAdmin({ url: `${admin}/config/history?limt=5` })
    expect(response.json().errors[0]).toMatchObject({ pointer: '#/query/limt', hint: 'Did you mean "limit"?' })
  })

  it('one error names all parameters that are out of range or of the wrong type', async () => {
    const cases = [
      ['limit=0', ['#/query/limit']],
      ['limit=101', ['#/query/limit']],
      ['limit=ten', ['#/query/limit']],
      ['limit=1.5', ['#/query/limit']],
      ['limit=', ['#/query/limit']],
      ['limit=1&limit=2', ['#/query/limit']],
      ['offset=-1', ['#/query/offset']],
      ['limit=0&offset=x', ['#/query/limit', '#/query/offset']],
    ] as const
    for (const [query, pointers] of cases) {
      const response = await test.asAdmin({ url: `${admin}/config/history?${query}` })
      expect([query, response.statusCode, response.json().code]).toEqual([query, 400, 'request_invalid'])
      expect(response.json<{ errors: { pointer: string }[] }>().errors.map(({ pointer }) => pointer)).toEqual(pointers)
    }
    const path = await test.asAdmin({ url: `${admin}/config/history/latest` })
    expect([path.statusCode, path.json().errors[0].pointer]).toEqual([400, '#/path/revision'])
    const flag = await test.push(sampleConfig(), '?dry_run=maybe')
    expect([flag.statusCode, flag.json().errors[0].pointer]).toEqual([400, '#/query/dry_run'])
  })

  it('invalid members of a small body are refused without type conversion, with their place', async () => {
    const rollback = (payload: string) =>
      test.asAdmin({ method: 'POST', url: `${admin}/config/rollback`, payload, headers: json })
    const cases = [
      ['{}', 'field_missing', '#/revision'],
      ['{"revision":"1"}', 'type_wrong', '#/revision'],
      ['{"revision":0}', 'value_invalid', '#/revision'],
      ['{"revision":1,"x":2}', 'field_unknown', '#/x'],
      ['[]', 'type_wrong', '#'],
    ] as const
    for (const [payload, code, pointer] of cases) {
      const response = await rollback(payload)
      expect([payload, response.statusCode, response.json().code]).toEqual([payload, 400, 'request_invalid'])
      expect(response.json().errors).toEqual([expect.objectContaining({ code, pointer })])
    }
  })
})
