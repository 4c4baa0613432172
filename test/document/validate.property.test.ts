import fc from 'fast-check'
import { expect, test } from 'vitest'
import { validateConfig } from '../../packages/ratecard/src/document/validation/validate.ts'
import { issueCodes } from '../../packages/ratecard/src/base/errors/codes.ts'
import { pathOf } from '../../packages/ratecard/src/base/errors/issue.ts'
import { interpolate } from '../../packages/ratecard/src/document/files/interpolate.ts'
import { parseSource } from '../../packages/ratecard/src/document/files/source.ts'
import { arbitraryConfig } from '../support/generated/arbitrary-config.ts'
import { edit, mutate } from '../support/generated/mutate.ts'
import { ruleCases, validDocument } from '../support/rules/rule-cases.ts'

function resolves(document: unknown, pointer: string): boolean {
  let value = document
  for (const token of pathOf(pointer)) {
    if (typeof value !== 'object' || value === null) return false
    // A key with a lone surrogate has no exact form in a pointer.
    const key = Object.keys(value).find((candidate) => candidate.toWellFormed() === token)
    if (key === undefined) return false
    value = Reflect.get(value, key)
  }
  return true
}

const seeds = [validDocument(), ...ruleCases.map(({ document }) => document)]

test('validating mutated documents never throws, and each issue has a known code and a valid pointer', () => {
  let invalid = 0
  fc.assert(
    fc.property(fc.constantFrom(...seeds), fc.array(edit, { minLength: 1, maxLength: 6 }), (seed, edits) => {
      const document = mutate(seed, edits)
      const { valid, errors, warnings, config } = validateConfig(document)
      expect(valid).toBe(errors.length === 0)
      expect(config).toBe(valid ? document : null)
      if (!valid) invalid++
      for (const issue of [...errors, ...warnings]) {
        if (!resolves(document, issue.pointer) || !Object.hasOwn(issueCodes, issue.code))
          throw new Error(`${issue.code} at ${issue.pointer}: ${issue.detail}`)
      }
      const said = [...errors, ...warnings].map(({ code, pointer, detail }) => `${code} ${pointer} ${detail}`)
      expect(new Set(said).size).toBe(said.length)
    }),
    { numRuns: Number(process.env['MUTATION_RUNS'] ?? 2000) },
  )
  expect(invalid).toBeGreaterThan(1_000)
})

test('all generated documents are valid', () => {
  fc.assert(
    fc.property(arbitraryConfig, (document) => {
      expect(validateConfig(document).errors).toEqual([])
    }),
    { numRuns: 200 },
  )
})

test('a document that is written as JSON or YAML is read back equal, with a source location for each part', () => {
  fc.assert(
    fc.property(arbitraryConfig, (document) => {
      for (const path of ['a.json', 'a.jsonc', 'a.yaml']) {
        // The YAML parser reads JSON too.
        const source = parseSource({ path, text: JSON.stringify(document, null, 1) })
        expect(source.document).toEqual(document)
        expect(source.locate('#/version')).toMatchObject({ line: expect.any(Number) as number })
      }
    }),
    { numRuns: 50 },
  )
})

test('text without a dollar sign is not changed by interpolation', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const plain: unknown = JSON.parse(JSON.stringify(value).replaceAll('$', 'S'))
      expect(interpolate(plain, () => 'never')).toEqual({ value: plain, issues: [], used: new Map() })
    }),
  )
})
