import { describe, expect, it } from 'vitest'
import { reportText, readReport } from '../../../packages/ratecard/src/catalog/change-report.ts'
import { configId } from '../../../packages/ratecard/src/catalog/resource.ts'
import { countedChanges, driftText, reportedChanges } from '../../../packages/ratecard/src/base/wording/change-words.ts'
import type { ChangeAction } from '../../../packages/ratecard/src/base/wording/change-words.ts'

const change = (action: ChangeAction, id = 'a') => ({ kind: 'price', configId: configId(id), action })

describe('the words for changes of a plan', () => {
  it('exist in three forms (before a change, after it, and for an edit at the processor) and follow the order of a summary', () => {
    const changes = (['archive', 'replace', 'create', 'replace', 'keep', 'reactivate'] as const).map((one) =>
      change(one),
    )
    expect(countedChanges(changes, 'todo')).toEqual(['1 to create', '1 to bring back', '2 to replace', '1 to archive'])
    expect(countedChanges(changes, 'done')).toEqual(['1 created', '1 brought back', '2 replaced', '1 archived'])
    expect(countedChanges(changes, 'drift')).toEqual(['1 missing', '1 switched off', '3 edited'])
  })

  it('contain the number of edited fields, and list missing and switched-off objects separately', () => {
    const text = (...actions: readonly ChangeAction[]) => {
      const differences = actions.map((action) => ({ action, fields: action === 'update' ? ['a', 'b', 'c'] : [] }))
      return driftText({ inSync: actions.length === 0, differences }, 'revision 3')
    }
    expect([
      text(),
      text('update'),
      text('update', 'replace'),
      text('create'),
      text('reactivate', 'create', 'create'),
      text('create', 'update'),
    ]).toEqual([
      'There is no drift: nothing was edited at the processor since revision 3.',
      '3 fields of 1 object were edited at the processor since revision 3.',
      '4 fields of 2 objects were edited at the processor since revision 3.',
      '1 object differs at the processor since revision 3: 1 missing.',
      '3 objects differ at the processor since revision 3: 2 missing, 1 switched off.',
      '2 objects differ at the processor since revision 3: 1 missing, 1 edited (3 fields).',
    ])
  })

  it('describe a replaced price in the history as in its plan, although the stored report lists the price as updated', () => {
    const display = { before: null, after: null }
    const planned = [
      { ...change('replace', 'pro'), display },
      { ...change('update', 'solo'), display },
      { ...change('adopt', 'team'), foreign: true, display },
    ]
    const kept = readReport(reportText(planned as unknown as Parameters<typeof reportText>[0]))
    expect(kept.changes.prices.updated).toEqual(['pro', 'solo'])
    expect(reportedChanges(kept)).toEqual([
      { kind: 'price', configId: 'team', action: 'adopt' },
      { kind: 'price', configId: 'pro', action: 'replace' },
      { kind: 'price', configId: 'solo', action: 'update' },
    ])
    expect(reportedChanges({ changes: { prices: { updated: ['old'] } }, archivedWebhooks: ['hook'] })).toEqual([
      { kind: 'price', configId: 'old', action: 'update' },
      { kind: 'webhook', configId: 'hook', action: 'archive' },
    ])
  })
})
