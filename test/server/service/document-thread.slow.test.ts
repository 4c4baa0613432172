import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { documentTasks } from '../../../packages/ratecard/src/catalog/document-tasks.ts'
import { emptyCatalog } from '../../../packages/ratecard/src/catalog/desired.ts'
import type { Snapshot } from '../../../packages/ratecard/src/catalog/resource.ts'
import { createDocuments } from '../../../packages/ratecard/src/server/service/document-thread.ts'
import { Assembly, piecesOf } from '../../../packages/ratecard/src/server/service/message-pieces.ts'

const product = (index: number, cents: number) => ({
  id: `product_${String(index)}`,
  name: `Product ${String(index)}`,
  prices: [{ id: `price_${String(index)}`, currency: 'eur', amount: cents + index, interval: 'month' }],
})
const textOf = (products: number, cents = 1_000) =>
  JSON.stringify({ version: '1.0.0', products: Array.from({ length: products }, (_, index) => product(index, cents)) })
const noObjects = emptyCatalog as unknown as Snapshot

function started() {
  const documents = createDocuments()
  onTestFinished(() => documents.close())
  return documents
}

describe('a large document that is processed in a worker thread', () => {
  it('has the same validation result, plan and comparison as in the main thread', async () => {
    const documents = started()
    const [text, later] = [textOf(2_000), textOf(2_000, 1_200)]
    const plan = { text, previous: null, snapshot: noObjects, mappings: [], retiring: new Set<never>() }
    const compare = { before: text, after: later }
    const broken = { text: text.replace('"eur"', '"euro"') }
    const [planned, compared, checked, refused] = await Promise.all([
      documents.run('plan', plan),
      documents.run('compare', compare),
      documents.run('check', broken),
      documents.run('compact', { text: text.slice(0, -1) }),
    ])
    expect(planned).toEqual(documentTasks.plan(plan))
    expect(compared).toEqual(documentTasks.compare(compare))
    expect(compared).toHaveLength(2_000)
    expect(checked).toEqual(documentTasks.check(broken))
    expect(refused.malformed?.detail).toBe('The body is not JSON: it ends too early.')
  })

  it('rejects with its own error if its task fails, and does not affect the next task', async () => {
    const documents = started()
    const text = `${textOf(2_000)}}`
    await expect(documents.run('compare', { before: text, after: null })).rejects.toThrow('JSON')
    expect((await documents.run('check', { text: textOf(2_000) })).valid).toBe(true)
  })

  it('rejects with an error if the thread ends, and the next task starts another thread', async () => {
    const documents = started()
    const lost = documents.run('check', { text: textOf(2_000) })
    const refusal = expect(lost).rejects.toThrow('The thread for large documents ended')
    await documents.close()
    await refusal
    expect((await documents.run('check', { text: textOf(2_000) })).valid).toBe(true)
  })
})

describe('a value that is sent to a worker thread in parts', () => {
  it('is unchanged after its parts are joined', () => {
    const items = fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 1_200, size: 'max' })
    const plain = <T>(members: { [Name in keyof T]: fc.Arbitrary<T[Name]> }) =>
      fc.record(members, { noNullPrototype: true })
    const value = fc.oneof(items, plain({ text: fc.string(), items, more: plain({ items, none: fc.constant([]) }) }))
    fc.assert(
      fc.property(value, (given) => {
        const assembly = new Assembly()
        const pieces = [...piecesOf(given)]
        for (const piece of structuredClone(pieces)) assembly.add(piece)
        expect(assembly.value).toStrictEqual(given)
        expect(Math.max(...pieces.map((piece) => piece.items?.length ?? 0))).toBeLessThanOrEqual(500)
      }),
      { numRuns: 20 },
    )
  })
})
