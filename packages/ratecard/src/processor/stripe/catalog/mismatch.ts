// Compares an object with the step that wrote it. Used after each write, and to find the outcome of a step.
import { isDeepStrictEqual } from 'node:util'
import { hasRoomForMark } from '../../../catalog/mark.ts'
import { isUnmanaged } from '../../../catalog/fields/differences.ts'
import { rowOf, type FieldsOf } from '../../../catalog/fields/tables.ts'
import {
  connectKey,
  type MetadataMap,
  type ObservedResource,
  type ProcessorId,
  type ResourceKind,
} from '../../../catalog/resource.ts'
import type { ArchiveStep, CreateStep, UpdateStep } from '../../../catalog/steps.ts'

type Creation = CreateStep<ProcessorId>
type UpdatedObject = UpdateStep<ProcessorId>

/** Returns the name of the first field whose value at the processor differs from the step's request, or null. */
export function firstMismatch(step: Creation | UpdatedObject | ArchiveStep, observed: ObservedResource): string | null {
  switch (step.op) {
    case 'create':
      return createMismatch(step, observed)
    case 'update':
      return updateMismatch(step, observed)
    case 'archive':
      return archiveMismatch(observed)
  }
}

function createMismatch(step: Creation, observed: ObservedResource): string | null {
  const { metadata, ...fields } = withMetadata(step.fields)
  const active = 'active' in step.fields ? step.fields.active : true
  return (
    fieldMismatch(spokenOf(step.kind, fields), observed) ??
    (isDeepStrictEqual(withoutEmptyValues(metadata ?? {}), withMetadata(observed.fields).metadata ?? {})
      ? null
      : 'metadata') ??
    (step.kind === 'meter' || observed.mark === step.configId || !markFitsInto(metadata, observed) ? null : 'mark') ??
    (step.id === null || observed.processorId === step.id ? null : 'id') ??
    (observed.carried === step.carried ? null : 'carried') ??
    (observed.active === active ? null : 'active') ??
    observed.unrepresentable[0] ??
    null
  )
}

function markFitsInto(metadata: MetadataMap = {}, { companions }: ObservedResource): boolean {
  return hasRoomForMark(Object.keys(withoutEmptyValues(metadata)).length + companions)
}

function updateMismatch(step: UpdatedObject, observed: ObservedResource): string | null {
  const { metadata, ...set } = withMetadata(step.set)
  const live = { ...withMetadata(observed.fields).metadata, ...connectFlag(observed) }
  const lost = Object.entries(withoutEmptyValues(metadata ?? {})).find(([key, value]) => ownValue(live, key) !== value)
  const kept = step.unset.find((key) => Object.hasOwn(live, key))
  return (
    fieldMismatch(set, observed) ??
    (lost === undefined ? null : `metadata.${lost[0]}`) ??
    (kept === undefined ? null : `metadata.${kept}`) ??
    (!step.mark || step.kind === 'meter' || observed.mark === step.configId ? null : 'mark') ??
    (!step.activate || observed.active ? null : 'active')
  )
}

function archiveMismatch(observed: ObservedResource): string | null {
  if (observed.kind === 'coupon' || observed.active) return 'active'
  return 'defaultPrice' in observed.fields && observed.fields.defaultPrice !== null ? 'defaultPrice' : null
}

/** Returns the fields to compare after a creation. Omits fields that the step left empty and whose value the processor chooses. */
function spokenOf(kind: ResourceKind, fields: object): object {
  return Object.fromEntries(
    Object.entries(fields).filter(([field, value]) => {
      const row = rowOf(kind, field)
      return row?.leftOut !== 'kept' || !isUnmanaged(row, value)
    }),
  )
}

function fieldMismatch(wanted: object, observed: ObservedResource): string | null {
  const live = new Map<string, unknown>(Object.entries(observed.fields))
  const wrong = Object.entries(wanted).find(
    ([field, value]) => value !== undefined && !isDeepStrictEqual(sortTextList(value), sortTextList(live.get(field))),
  )
  return wrong === undefined ? null : wrong[0]
}

/**
 * Sorts lists of ids or names before they are compared. Their order has no meaning: a plan sorts ids by configuration id, the adapter by
 * processor id.
 */
function sortTextList(value: unknown): unknown {
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? [...value].sort() : value
}

/** Returns the flag `connect` of a webhook endpoint as metadata. An adoption writes it as metadata, and it is read as a field. */
function connectFlag({ kind, fields }: ObservedResource): MetadataMap {
  return kind === 'webhook' ? { [connectKey]: String((fields as FieldsOf<'webhook'>).connect) } : {}
}

/** Adds the optional member `metadata` to the type of the fields, because some kinds have no metadata. */
function withMetadata(fields: object): { readonly metadata?: MetadataMap } {
  return fields
}

/** Returns the metadata without empty values, because an empty value deletes the key at Stripe. */
function withoutEmptyValues(metadata: MetadataMap): MetadataMap {
  return Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== ''))
}

function ownValue(map: MetadataMap, key: string): string | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined
}
