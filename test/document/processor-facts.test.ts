// Every sentence of the schema that says what the processor does has a page of its documentation, or is marked in the reference.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { BillingConfig } from '../../packages/ratecard/src/document/schema/schema.ts'
import { ownSentences, processorFacts, sentencesOf } from '../../scripts/reference/processor-facts.ts'

/** Returns the sentences of all descriptions of a JSON Schema. */
function sentencesIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return []
  return Object.entries(node).flatMap(([key, value]: [string, unknown]) =>
    key === 'description' && typeof value === 'string' ? sentencesOf(value) : sentencesIn(value),
  )
}

const sentences = new Set(sentencesIn(BillingConfig))

test('each sentence of the document schema about the processor has a source, or is marked as unconfirmed', () => {
  const known = new Set([...Object.keys(processorFacts), ...ownSentences])
  const naming = [...sentences].filter((sentence) => /Stripe|processor\b/.test(sentence))
  expect(naming.length).toBeGreaterThan(10)
  expect(naming.filter((sentence) => !known.has(sentence))).toEqual([])
})

test('each sentence in the list of sources is in the document schema', () => {
  expect([...Object.keys(processorFacts), ...ownSentences].filter((sentence) => !sentences.has(sentence))).toEqual([])
})

test('each source is a page of the processor’s documentation', () => {
  const sources = Object.values(processorFacts).filter((source) => source !== null)
  expect(sources.filter((source) => !/^https:\/\/docs\.stripe\.com\/[a-z\d_/-]+$/.test(source))).toEqual([])
})

test('the reference marks each sentence without a source, wherever the sentence occurs', () => {
  const page = readFileSync(new URL('../../docs/reference/config.md', import.meta.url), 'utf8')
  const [tables = ''] = page.split('## what the processor does')
  const unconfirmed = Object.entries(processorFacts).flatMap(([sentence, source]) =>
    source === null ? [sentence] : [],
  )
  const shown = unconfirmed.filter((sentence) => tables.includes(sentence))
  expect(shown.length).toBeGreaterThan(0)
  for (const sentence of shown) {
    const marks = tables.split(`${sentence} [Unconfirmed](#what-the-processor-does).`).length
    expect([sentence, marks]).toEqual([sentence, tables.split(sentence).length])
  }
})
