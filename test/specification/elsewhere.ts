import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/**
 * A sentence of the specification whose test stands in another file, e.g. because it needs kills or a clock. It fails if that test is gone.
 * `title` is a part of the test's title.
 */
export function elsewhere(sentence: string, file: `test/${string}`, title: string): void {
  test(`${sentence} (${file})`, () => {
    expect(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')).toContain(title)
  })
}
