import { describe, expect, it } from 'vitest'
import { mergeFiles } from '../../packages/ratecard/src/document/files/merge-files.ts'
import { parseSource } from '../../packages/ratecard/src/document/files/source.ts'

describe('a file with a malformed version', () => {
  const file = (path: string, version: unknown) =>
    parseSource({ path, text: JSON.stringify({ version, products: [] }) })

  it.each([
    ['first', [file('a.json', '1.0'), file('b.json', '1.2.0')]],
    ['last', [file('a.json', '1.2.0'), file('b.json', 'v1.0.0')]],
  ])(
    'is reported even if another file has a valid version (position of the malformed version: %s)',
    (_where, sources) => {
      expect(mergeFiles(sources).document).not.toMatchObject({ version: '1.2.0' })
    },
  )
})
