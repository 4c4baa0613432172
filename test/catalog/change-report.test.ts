import { expect, test } from 'vitest'
import { readReport, reportText } from '../../packages/ratecard/src/catalog/change-report.ts'
import type { PlannedChange } from '../../packages/ratecard/src/catalog/change.ts'

const change = (
  of: Omit<Partial<PlannedChange>, 'configId'> & { readonly configId?: string },
  before: string | null = null,
  after: string | null = null,
): PlannedChange =>
  ({
    ...{ action: 'update', kind: 'product', configId: 'solo', home: 'processor', because: [] },
    ...{ processorIdBefore: null, processorIdAfter: null, display: { before, after } },
    ...of,
  }) as PlannedChange
const headline = (...changes: readonly PlannedChange[]) => readReport(reportText(changes)).headline

test('the headline of a revision is a price that got another amount, whatever else changed', () => {
  const moved = change(
    { kind: 'price', configId: 'solo_monthly', action: 'replace' },
    '€16.00 / month',
    '€17.00 / month',
  )
  const others = [change({}), change({ kind: 'price', configId: 'new', action: 'create' }, null, '€1.00 / month')]
  expect(headline(...others, moved)).toEqual({
    kind: 'price',
    configId: 'solo_monthly',
    action: 'replace',
    before: '€16.00 / month',
    after: '€17.00 / month',
  })
})

test('without one it is a price that is new or goes, else the first change, and none if nothing changed', () => {
  const kept = change({ action: 'keep', configId: 'kept' })
  const created = change({ kind: 'price', configId: 'new', action: 'create' }, null, '€1.00 / month')
  expect(headline(kept, change({}), created)).toMatchObject({ configId: 'new', action: 'create', before: null })
  expect(headline(kept, change({ configId: 'first' }), change({}))).toMatchObject({ configId: 'first' })
  expect(headline(kept)).toBeNull()
})

test('a headline is short, also that of a price with many tiers', () => {
  const tiers = change({ kind: 'price', configId: 'calls', action: 'replace' }, 'up to 10 €5.00, '.repeat(40), '€1.00')
  expect(headline(tiers)?.before).toHaveLength(161)
})

test('the report of a revision of before has no headline', () => {
  expect(readReport('{"products":{"created":["solo"],"updated":[],"archived":[]}}').headline).toBeNull()
})
