// Rules about features: their types, and their limits in products.
import type { Issue } from '../../base/errors/issue.ts'
import { idsOf, undefinedReference } from './document-rules.ts'
import { isObject, entryName, errorIssue, quoteValue, type Draft, type Entry, type Rule } from './draft.ts'

type FeatureType = 'switch' | 'limit' | 'metered'

const typeOf = (feature: Entry): FeatureType => {
  const type = feature.text('type')
  return type === 'limit' || type === 'metered' ? type : 'switch'
}

/**
 * Checks features against meters: a metered feature must name a defined meter, and other features must not name one. A feature that is only
 * on or off (a switch) must not have a unit.
 */
export const featureMeters: Rule = (draft) => {
  const meters = idsOf(draft.meters)
  return draft.features.flatMap((feature) => {
    const [type, meter] = [typeOf(feature), feature.text('meter')]
    if (type === 'switch' && feature.has('unit'))
      return [
        errorIssue(
          'value_invalid',
          feature.at('unit'),
          'A feature of type `switch` counts nothing, so it cannot have a `unit`.',
          'Remove `unit`, or set `type` to `limit` or `metered`.',
        ),
      ]
    if (type !== 'metered')
      return feature.has('meter')
        ? [
            errorIssue(
              'meter_unused_field',
              feature.at('meter'),
              `${entryName('feature', feature)} is not metered and names a meter.`,
              'Remove `meter`, or set `type: metered`.',
            ),
          ]
        : []
    const hint = 'Set `meter` to the meter that counts the usage of the feature.'
    if (!feature.has('meter'))
      return [
        errorIssue(
          'meter_missing',
          feature.pointer,
          `${entryName('feature', feature)} is metered but names no meter.`,
          hint,
        ),
      ]
    return meter === undefined || meters.includes(meter)
      ? []
      : [undefinedReference(draft, 'meter_undefined', feature.at('meter'), { kind: 'meter', id: meter, known: meters })]
  })
}

/**
 * Checks the features of a product: each must be defined, and listed only once. A feature of type `limit` or `metered` must have a limit. A
 * feature that is only on or off (a switch) must not.
 */
export const productFeatures: Rule = (draft) => {
  const features = new Map(draft.features.flatMap((feature) => [[feature.text('id') ?? '', typeOf(feature)]]))
  return draft.products.flatMap(({ product }) => {
    const seen = new Set<string>()
    return product.list('features').flatMap((value, index) => {
      const pointer = `${product.at('features')}/${index}`
      const id = isObject(value) ? value['id'] : value
      if (typeof id !== 'string') return []
      const at = isObject(value) ? `${pointer}/id` : pointer
      const type = features.get(id)
      if (type === undefined) return [undefinedFeature(draft, at, id)]
      const repeated = seen.has(id)
      seen.add(id)
      if (repeated)
        return [
          errorIssue('value_invalid', at, `The feature ${quoteValue(id)} is listed twice.`, 'Remove one of the two.'),
        ]
      return limitIssues(type, { id, value, pointer })
    })
  })
}

function limitIssues(
  type: FeatureType,
  { id, value, pointer }: { readonly id: string; readonly value: unknown; readonly pointer: string },
): Issue[] {
  if (!isObject(value))
    return type === 'switch'
      ? []
      : [
          errorIssue(
            'feature_limit_missing',
            pointer,
            `The feature ${quoteValue(id)} has the type "${type}", but the product sets no limit for it.`,
            `Write { "id": ${quoteValue(id)}, "limit": 10 }, or "limit": "unlimited".`,
          ),
        ]
  if (type === 'switch')
    return [
      errorIssue(
        'feature_limit_unused',
        pointer,
        `The feature ${quoteValue(id)} is a switch, so it has no limit.`,
        `Write ${quoteValue(id)} alone, or give the feature "type": "limit".`,
      ),
    ]
  if (type === 'metered' || value['resets'] === undefined) return []
  return [
    errorIssue(
      'value_invalid',
      `${pointer}/resets`,
      `The feature ${quoteValue(id)} is not metered: your program counts it, so nothing resets here.`,
      'Remove `resets`, or give the feature "type": "metered".',
    ),
  ]
}

const undefinedFeature = (draft: Draft, pointer: string, id: string): Issue =>
  undefinedReference(draft, 'feature_undefined', pointer, { kind: 'feature', id, known: idsOf(draft.features) })
