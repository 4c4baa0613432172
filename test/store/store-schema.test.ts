import fc from 'fast-check'
import { expect, test } from 'vitest'
import { continuesHistory, genesis, hashVersion } from '../../packages/ratecard/src/store/history-chain.ts'
import { schemaText } from '../../packages/ratecard/src/store/sql/schema-migrations/apply-schema.ts'
import { searchIndex } from '../../packages/ratecard/src/store/sql/schema-migrations/search-index.ts'
import { storableText } from '../../packages/ratecard/src/store/sql/database/queries.ts'
import type { VersionRecord } from '../../packages/ratecard/src/store/records/configuration.ts'

test('the schemas of the two engines differ only in the collation of keys, two indexes and the search index', () => {
  const alike = (engine: 'sqlite' | 'postgres') =>
    searchIndex[engine]
      .reduce((schema, statement) => schema.replace(`${statement};\n`, () => ''), schemaText(engine))
      .replaceAll(' collate "C"', '')
      .replaceAll(/create index \w+_without_documents [^;]+;\n/g, '')
  expect(alike('postgres')).toBe(alike('sqlite'))
})

const text = fc.string({ unit: 'grapheme' })
const record = fc
  .record({
    revision: fc.constant(1),
    version: text,
    kind: fc.constantFrom('push' as const, 'rollback' as const),
    document: text,
    checksum: text,
    author: fc.option(text),
    message: fc.option(text),
    keyId: fc.option(text),
    keyName: fc.option(text),
    changes: text,
    createdAt: fc.nat(),
    pushId: fc.constant('push_1'),
    previousHash: fc.constant(genesis.hash),
  })
  .map((content): VersionRecord => ({ ...content, hash: hashVersion(content) }))

test('any edit of a record in the stored history is detected', () => {
  const edits = fc.record({
    field: fc.constantFrom('version', 'document', 'checksum', 'author', 'message', 'keyId', 'changes'),
    value: fc.option(text),
  })
  fc.assert(
    fc.property(record, edits, (whole, { field, value }) => {
      expect(continuesHistory(genesis, whole)).toBe(true)
      const edited = { ...whole, [field]: value }
      fc.pre(JSON.stringify(edited) !== JSON.stringify(whole))
      expect(continuesHistory(genesis, edited)).toBe(false)
    }),
  )
})

test('a record with a valid hash at another position of the stored history is detected', () => {
  fc.assert(
    fc.property(record, (whole) => {
      expect(continuesHistory({ revision: 1, hash: genesis.hash }, whole)).toBe(false)
      expect(continuesHistory({ revision: 0, hash: whole.hash }, whole)).toBe(false)
    }),
  )
})

test('storable() returns text that can be stored without a loss, and returns storable text unchanged', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (any) => {
      const kept = storableText(any)
      expect(storableText(kept)).toBe(kept)
      expect(Buffer.from(kept, 'utf8').toString('utf8')).toBe(kept)
      expect(kept).not.toContain('\0')
      if (any.isWellFormed() && !any.includes('\0')) expect(kept).toBe(any)
    }),
  )
})
