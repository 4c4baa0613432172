import fc from 'fast-check'
import { expect, test } from 'vitest'
import { admin, startTestApp } from '../../support/app.ts'
import { edit, mutate } from '../../support/generated/mutate.ts'
import { ruleCases, validDocument } from '../../support/rules/rule-cases.ts'
import { startedForAll } from '../../support/started.ts'

const world = startedForAll(startTestApp)

const runs = Number(process.env['MUTATION_RUNS'] ?? 300)
const seeds = [validDocument(), ...ruleCases.map(({ document }) => document)]

test(
  'documents with random damage never cause a 5xx, and each reported error has a pointer',
  { timeout: 300_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...seeds),
        fc.array(edit, { minLength: 1, maxLength: 6 }),
        async (seed, edits) => {
          const payload = JSON.stringify(mutate(seed, edits))
          const headers = { 'content-type': 'application/json' }
          const answer = await world.asAdmin({ method: 'POST', url: `${admin}/config/validate`, payload, headers })
          expect([200, 400]).toContain(answer.statusCode)
          const { errors = [] } = answer.json<{ errors?: { pointer: string }[] }>()
          for (const { pointer } of errors) expect(pointer).toMatch(/^#/)
        },
      ),
      { numRuns: runs },
    )
  },
)

test(
  'request bodies with damage never cause a 5xx: truncated text, changed bytes, other media types',
  { timeout: 300_000 },
  async () => {
    const text = JSON.stringify(validDocument())
    await fc.assert(
      fc.asyncProperty(
        fc.nat(text.length),
        fc.uint8Array({ maxLength: 4 }),
        fc.constantFrom(
          'application/json',
          'application/json; charset=utf-8',
          'text/plain',
          'application/x-www-form-urlencoded',
          '',
        ),
        fc.constantFrom('/config', '/config/validate', '/config/rollback', '/keys'),
        async (cut, noise, type, path) => {
          const payload = Buffer.concat([Buffer.from(text.slice(0, cut)), Buffer.from(noise)])
          const answer = await world.asAdmin({
            method: 'POST',
            url: `${admin}${path}?`,
            payload,
            headers: type === '' ? {} : { 'content-type': type },
          })
          expect(answer.statusCode).toBeLessThan(500)
        },
      ),
      { numRuns: Math.ceil(runs / 3) },
    )
  },
)
