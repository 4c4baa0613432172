import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const folder = new URL('../../docs/reference/', import.meta.url)
/** The matrix of sandbox modes: each of its cells is a word or two, and its columns are compared with each other. */
const matrix = '| Mode '

test('tables of the reference have at most three columns, so that the meaning is in view on a phone', () => {
  const wide = globSync('*.md', { cwd: folder }).flatMap((file) => {
    const lines = readFileSync(new URL(file, folder), 'utf8').split('\n')
    const heads = lines.filter((line, index) => line.startsWith('|') && lines[index - 1] === '')
    expect(heads, file).not.toEqual([])
    return heads
      .filter((head) => head.split('|').length - 2 > 3 && !head.startsWith(matrix))
      .map((head) => `${file}: ${head}`)
  })
  expect(wide).toEqual([])
})
