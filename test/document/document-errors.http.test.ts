import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { admin, startTestApp, type TestApp } from '../support/app.ts'
import { duplicates } from '../support/rules/rule-cases-other.ts'
import { prices } from '../support/rules/rule-cases-price.ts'
import { requiredFields } from '../support/rules/rule-cases-shape.ts'
import { cliWorld, type CliWorld } from '../cli/cli-world.ts'

let world: TestApp
let cli: CliWorld
beforeAll(async () => {
  world = await startTestApp()
  cli = cliWorld()
})
afterAll(async () => {
  cli.remove()
  await world.close()
})

interface Verdict {
  readonly valid: boolean
  readonly errors: readonly { readonly code: string; readonly pointer: string }[]
}

/** One case of each sort, because test/document/rules.test.ts has every rule. */
const cases = [requiredFields, prices, duplicates].flatMap(([first]) => first ?? [])

describe('a document that breaks only one rule', () => {
  test.each(cases.map((one) => [one.name, one] as const))(
    'is refused with the same error by the API’s validation, by a push and on the command line: %s',
    async (_name, one) => {
      const verdict = await world.asAdmin({ method: 'POST', url: `${admin}/config/validate`, payload: one.document })
      expect(verdict.statusCode).toBe(200)
      const { valid, errors } = verdict.json<Verdict>()
      expect(valid).toBe(false)
      expect(errors.map(({ code, pointer }) => [code, pointer])).toEqual([[one.code, one.pointer]])

      const push = await world.asAdmin({ method: 'POST', url: `${admin}/config`, payload: one.document })
      expect(push.statusCode).toBe(422)
      expect(push.json<{ code: string } & Verdict>()).toMatchObject({
        code: 'config_invalid',
        errors: [{ code: one.code, pointer: one.pointer }],
      })

      // The command line expands variables; `$${` writes a literal `${`.
      cli.write(
        'ratecard/billing/billing.json',
        JSON.stringify(one.document).replaceAll('${', () => '$${'),
      )
      const { exit, document } = await cli.json(['billing', 'validate'])
      expect(exit).toBe(1)
      expect(document.errors.map(({ code }) => code)).toEqual([one.code])
    },
  )

  test('is not stored', async () => {
    expect((await world.service.listPushes({ limit: 1, offset: 0 })).total).toBe(0)
    expect((await world.service.history({ limit: 1, offset: 0 })).total).toBe(0)
  })
})
