import fc from 'fast-check'
import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import { compareDocuments } from '../../packages/ratecard/src/catalog/compare-documents.ts'
import { liveEdits } from '../../packages/ratecard/src/cli/live-edits.ts'
import { editSource } from '../../packages/ratecard/src/config/edit-source.ts'
import type { BillingConfig } from '../../packages/ratecard/src/config/schema.ts'
import { parseSource } from '../../packages/ratecard/src/config/source.ts'
import { arbitraryConfig } from '../support/arbitrary-config.ts'

const ours = new Set([
  'ui',
  'public',
  'default',
  'enterprise_template',
  'enterprise_id',
  'base_price',
  'product',
  'metadata',
])

test.each(['json', 'yaml'])(
  'law: a %s file that is edited to what is live says it, for everything that the processor holds',
  (kind) => {
    fc.assert(
      fc.property(arbitraryConfig, arbitraryConfig, (config, live) => {
        const path = `billing.${kind}`
        const text = kind === 'json' ? JSON.stringify(config, null, 2) : stringify(config)
        const document: unknown = JSON.parse(JSON.stringify(config))
        const source = { file: `/${path}`, path, text, document, expanded: document }
        const { edits } = liveEdits([source], config, live, { all: true })
        const edited = parseSource({ path, text: editSource(source, edits) }).document as BillingConfig
        const left = compareDocuments(edited, live)
          .filter(({ change }) => change !== 'removed')
          .map(({ fields, ...rest }) => ({ ...rest, fields: fields.filter(({ field }) => !ours.has(field)) }))
          .filter(({ change, fields }) => change === 'added' || fields.length > 0)
        expect(left).toEqual([])
      }),
      { numRuns: 60 },
    )
  },
)
