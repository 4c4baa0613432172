// Creates issues about renames. Some refuse a rename; others warn about a removed and a new resource that look like a forgotten rename.
import type { Issue } from '../../base/errors/issue.ts'
import { deepEqual } from '../fields/differences.ts'
import { fieldRows } from '../fields/tables.ts'
import { resourceKinds, type ResourceKind } from '../kinds.ts'
import type { RefusedRename } from '../renames.ts'
import type { DesiredResource } from '../resource.ts'
import { planWarning, planError, type PlanState } from './state.ts'

export function mergedIssue(state: PlanState, { kind, to, from }: RefusedRename): Issue {
  const named = from.map((id) => `"${id}"`).join(' and ')
  return planError(
    state,
    { kind, configId: to },
    'previous_id_conflict',
    `${named} and "${to}" are both sold now: one item cannot take over the history of several.`,
    'Remove one of them and push. If its subscribers belong to the other one, then add its id to `previous_ids` there.',
    'previous_ids',
  )
}

/** Field by which the author recognizes a resource, by kind. For kinds that are not listed, the immutable fields are compared. */
const knownBy: Readonly<Partial<Record<ResourceKind, string>>> = {
  product: 'name',
  feature: 'name',
  webhook: 'url',
  promotion_code: 'code',
  portal: 'headline',
}

/**
 * Warns about a removed and a new resource that look like a rename. They are of the same kind and equal in the field of `knownBy`, in all
 * fields if that one is empty or, for other kinds, in their immutable fields.
 */
export function overlookedRenames(state: PlanState): Issue[] {
  const changes = resourceKinds.flatMap((kind) => {
    const removed = state.removed(kind)
    if (removed.length === 0) return []
    return (state.desired[kind] as readonly DesiredResource[])
      .filter(({ configId }) => state.changes.get(kind, configId)?.action === 'create')
      .map((resource) => ({ resource, removed }))
  })
  const taken = new Set<DesiredResource>()
  return changes.flatMap(({ resource, removed }) => {
    const former = removed.find((one) => !taken.has(one) && looksSame(one, resource))
    if (former === undefined) return []
    taken.add(former)
    return [
      planWarning(
        state,
        resource,
        'looks_like_rename',
        `The ${resource.kind} "${former.configId}" is removed and "${resource.configId}" with the same content is added: the new item does not take over the subscribers and the history of the old one.`,
        `If it is the same ${resource.kind} under a new id, add "previous_ids": ["${former.configId}"] to it.`,
      ),
    ]
  })
}

function looksSame(before: DesiredResource, after: DesiredResource): boolean {
  const { kind } = before
  const [a, b] = [before.fields, after.fields] as unknown as readonly Readonly<Record<string, unknown>>[]
  const field = knownBy[kind]
  // An optional text that both omit (e.g. `headline`) does not identify a resource, so all fields are compared.
  if (field !== undefined) return a?.[field] === '' ? deepEqual(a, b) : deepEqual(a?.[field], b?.[field])
  // References are not compared, because the resources that they refer to may have been renamed as well.
  return fieldRows[kind]
    .filter(
      ([, { mutability, reference }]) => mutability !== 'in_place' && mutability !== 'apart' && reference === null,
    )
    .every(([name]) => deepEqual(a?.[name], b?.[name]))
}
