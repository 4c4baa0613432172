import { referTo } from './fields/field.ts'
import { rowOf } from './fields/tables.ts'
import type { ConfigId, ProcessorId, ResourceKind } from './kinds.ts'
import type { ResolvedStep, Step } from './steps.ts'

/** Replaces the configuration ids in a step by processor ids. Throws on an unknown reference, which is a bug in the plan. */
export function resolveStep(
  step: Step,
  lookup: (kind: ResourceKind, id: ConfigId) => ProcessorId | undefined,
): ResolvedStep {
  const resolve = (kind: ResourceKind, id: ConfigId): ProcessorId => {
    const found = lookup(kind, id)
    if (found === undefined) throw new Error(`The plan refers to ${kind} "${id}", which no step made`)
    return found
  }
  const replace = (fields: object): object =>
    Object.fromEntries(
      Object.entries(fields).map(([field, value]: [string, unknown]) => {
        const row = rowOf(step.kind, field)
        return [field, row === undefined ? value : referTo(row, value, (kind, id) => resolve(kind, id as ConfigId))]
      }),
    )
  if (step.op === 'create') return { ...step, fields: replace(step.fields) } as ResolvedStep
  if (step.op === 'update') return { ...step, set: replace(step.set) }
  if (step.op === 'attach') return { ...step, feature: resolve('feature', step.feature) }
  return step
}
