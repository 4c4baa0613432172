import fc from 'fast-check'
import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import { compareResources } from '../../../packages/ratecard/src/catalog/compare-documents.ts'
import { liveEdits } from '../../../packages/ratecard/src/cli/files/live-edits.ts'
import { editSource } from '../../../packages/ratecard/src/document/edit/apply-edits.ts'
import type { BillingConfig } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { parseSource } from '../../../packages/ratecard/src/document/files/source.ts'
import { arbitraryConfig } from '../../support/generated/arbitrary-config.ts'

const ours = new Set([
  'ui',
  'subscription_group',
  'grandfather_features',
  'feature_limits',

  'trial_period_days',
  'attached_prices',
  'grants_credit',
  'public',
  'default',
  'enterprise_template',
  'enterprise_id',
  'base_price',
  'percent_off_base',
  'product',
  'metadata',
])

/** Members of a feature that the processor does not store. A product has a `type` that it stores. */
const ofFeatures = new Set(['type', 'meter', 'unit'])

/** Fields of an archived price stay in the file, including `default`. */
const holds = (kind: string, { field, after }: { readonly field: string; readonly after: unknown }) =>
  !ours.has(field) &&
  !(kind === 'feature' && ofFeatures.has(field)) &&
  !(field === 'default_price' && after === undefined)

test.each(['json', 'yaml'])(
  'after pull --update, a %s file contains the processor’s value of each field that the processor stores',
  (kind) => {
    fc.assert(
      fc.property(arbitraryConfig, arbitraryConfig, (config, live) => {
        // A literal `${` in a document, which a file would have to escape.
        fc.pre(!JSON.stringify([config, live]).includes('${'))
        const path = `billing.${kind}`
        const text = kind === 'json' ? JSON.stringify(config, null, 2) : stringify(config)
        const document: unknown = JSON.parse(JSON.stringify(config))
        const source = { file: `/${path}`, path, text, document, expanded: document }
        const { edits } = liveEdits([source], config, live, { all: true })
        const edited = parseSource({ path, text: editSource(source, edits) }).document as BillingConfig
        // An item that is archived stays in the file, and `"public"` then means its prices too.
        const open = new Set(
          (live.portal ?? []).flatMap(({ id, features }) =>
            features.subscription_update?.products === 'public' ? [id] : [],
          ),
        )
        const left = compareResources(edited, live)
          .filter(({ change }) => change !== 'removed')
          .map(({ fields, ...rest }) => ({
            ...rest,
            fields: fields.filter(
              (field) =>
                holds(rest.kind, field) &&
                !(rest.kind === 'portal' && open.has(rest.configId) && field.field === 'features.subscription_update'),
            ),
          }))
          .filter(({ change, fields }) => change === 'added' || fields.length > 0)
        expect(left).toEqual([])
        const defaults = edited.products.map(({ prices = [] }) => prices.filter((price) => price.default).length)
        expect(Math.max(...defaults)).toBeLessThan(2)
      }),
      { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 6) },
    )
  },
)
