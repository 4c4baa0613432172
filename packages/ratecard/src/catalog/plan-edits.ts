// What the author changed since the version that was applied last, whatever the processor says.
import { differences, same } from './compare.ts'
import { fieldChange } from './plan-context.ts'
import type { PlanContext } from './plan-context.ts'
import type { FieldChange } from './plan.ts'
import type { DesiredResource, FieldsOf, ResourceKind } from './resource.ts'

/** Differences between the last applied version and this document, in fields the processor holds. */
export function editsSince<K extends ResourceKind>(context: PlanContext, want: DesiredResource<K>): FieldChange[] {
  const known = context.known.get(want.kind, want.configId) as DesiredResource<K> | undefined
  if (known === undefined) return []
  const [before, after] = [known.fields as FieldsOf<K, never>, want.fields as FieldsOf<K, never>]
  return [
    ...differences(want.kind, after, before, before).map((difference) => fieldChange(context, want.kind, difference)),
    ...ourEdits(context, want),
  ]
}

/** Differences in the fields that are ours alone: no processor write. */
export function ourEdits(context: PlanContext, want: DesiredResource): FieldChange[] {
  const known = context.known.get(want.kind, want.configId)
  if (known === undefined) return []
  if (same(want.ours, known.ours)) return []
  return [...new Set([...Object.keys(want.ours), ...Object.keys(known.ours)])]
    .filter((field) => !same(want.ours[field], known.ours[field]))
    .map((field) => ({ field, before: known.ours[field], after: want.ours[field], origin: 'edit' as const }))
}
