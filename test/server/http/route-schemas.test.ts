// The server compiles a request schema at the first request to its route, and no response schemas. These tests compile all of them, so that
// a broken schema is found early, e.g. an invalid pattern, a dangling reference or a misspelled keyword.
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { describeRoute } from '../../../packages/ratecard/src/server/http/contract/describe-route.ts'
import { compileValidator } from '../../../packages/ratecard/src/server/http/contract/validator.ts'
import { components, contract } from '../../../packages/ratecard/src/api/contract.ts'
import type { Operation } from '../../../packages/ratecard/src/api/notation/operation.ts'

/** Refuses unknown keywords, but not combinations of types and keywords. */
const strict = new Ajv2020({ strict: true, strictTypes: false, strictTuples: false, strictRequired: false })
addFormats.default(strict)
for (const [name, schema] of Object.entries(components)) strict.addSchema({ ...schema, $id: `${name}#` })

type Answers = Readonly<Record<string, { readonly content?: Readonly<Record<string, { readonly schema: object }>> }>>
const httpParts = ['params', 'querystring', 'headers', 'body'] as const

const routes = Object.entries<Operation>(contract).map(([id, row]) => ({ id, ...describeRoute(id, row) }))

/** Returns the schemas that do not compile, each with its route and part. */
function broken(parts: readonly (readonly [string, () => unknown])[]): string[] {
  return parts.flatMap(([name, compile]) => {
    try {
      compile()
      return []
    } catch (error) {
      return [`${name}: ${error instanceof Error ? error.message : String(error)}`]
    }
  })
}

describe('the JSON schemas of all routes', () => {
  it('compile for requests in the same way as on the server', () => {
    const parts = routes.flatMap(({ id, ...route }) =>
      httpParts.flatMap((httpPart) => {
        const schema = route[httpPart] as object | undefined
        const place = { method: 'GET', url: '/', httpPart }
        return schema === undefined
          ? []
          : [[`${id}.${httpPart}`, () => compileValidator({ schema, ...place })({})] as const]
      }),
    )
    expect(parts.length).toBeGreaterThan(routes.length)
    expect(broken(parts)).toEqual([])
  })

  it('compile for requests and responses, with known keywords and resolved references only', () => {
    const requests = routes.flatMap(({ id, ...route }) =>
      httpParts.map((part) => [`${id}.${part}`, route[part] as object | undefined] as const),
    )
    const answers = routes.flatMap(({ id, response }) =>
      Object.entries(response as Answers).flatMap(([status, { content = {} }]) =>
        Object.values(content).map(({ schema }) => [`${id}.${status}`, schema] as const),
      ),
    )
    // Compiles equal response schemas once, because compiling is slow.
    const known = new Set<string>()
    const isKnown = (schema: object) => known.size === known.add(JSON.stringify(schema)).size
    const parts = [...requests, ...answers].flatMap(([name, schema]) =>
      schema === undefined || isKnown(schema) ? [] : [[name, () => strict.compile(schema)] as const],
    )
    expect(broken(parts)).toEqual([])
  })
})
