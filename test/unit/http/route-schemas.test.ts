// The server compiles a schema when its route is first asked for, and never one of an answer. Here all of them are compiled, so
// that a broken one is named before anybody calls its route: a pattern that is none, a reference to nothing, a misspelt keyword.
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { describeRoute } from '../../../packages/ratecard/src/http/contract/describe-route.ts'
import { compileValidator } from '../../../packages/ratecard/src/http/contract/validator.ts'
import { components, contract } from '../../../packages/ratecard/src/api/contract.ts'
import type { Operation } from '../../../packages/ratecard/src/api/notation/operation.ts'

/** Every keyword has to be known; which types stand beside which keyword is left to the author. */
const strict = new Ajv2020({ strict: true, strictTypes: false, strictTuples: false, strictRequired: false })
addFormats.default(strict)
for (const [name, schema] of Object.entries(components)) strict.addSchema({ ...schema, $id: `${name}#` })

type Answers = Readonly<Record<string, { readonly content?: Readonly<Record<string, { readonly schema: object }>> }>>
const httpParts = ['params', 'querystring', 'headers', 'body'] as const

const routes = Object.entries<Operation>(contract).map(([id, row]) => ({ id, ...describeRoute(id, row) }))

/** What does not compile, each with the route and the part that it belongs to. */
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

describe('the schemas of all routes', () => {
  it('compile for requests as the server compiles them', () => {
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
    // Many answers are the same, and compiling is slow.
    const known = new Set<string>()
    const isKnown = (schema: object) => known.size === known.add(JSON.stringify(schema)).size
    const parts = [...requests, ...answers].flatMap(([name, schema]) =>
      schema === undefined || isKnown(schema) ? [] : [[name, () => strict.compile(schema)] as const],
    )
    expect(broken(parts)).toEqual([])
  })
})
