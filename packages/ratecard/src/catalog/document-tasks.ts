// Long tasks on whole documents, as plain functions. The service runs tasks on large documents in a worker thread. So inputs and results
// must be structured-cloneable: documents as JSON text, no class instances, no functions.
import { checksum } from '../document/schema/canonical/checksum.ts'
import { readJson } from '../document/files/read-json.ts'
import type { BillingConfig } from '../document/schema/schema.ts'
import { whereNotExpanded } from '../document/files/written-form.ts'
import { validateConfig, type ConfigValidation } from '../document/validation/validate.ts'
import type { Issue } from '../base/errors/issue.ts'
import { compareDocuments, type DocumentDifference } from './compare-documents.ts'
import { meanTheSame } from './desired.ts'
import type { PulledCodes } from './pull/items.ts'
import { toDocument, type LiveDocument } from './pull/to-document.ts'
import { planChanges, planDigest, type Plan, type PlanInput } from './plan/plan-changes.ts'
import type { MappingEntry, Snapshot } from './resource.ts'

/** Result of parsing a JSON text: the parse issue, or the minified text that the store keeps. */
export type CompactJson =
  { readonly malformed: Issue; readonly text: null } | { readonly malformed: null; readonly text: string }

export type CheckedDocument = CompactJson & Omit<ConfigValidation, 'config'>

export type PlanTask = Omit<PlanInput, 'config' | 'previous'> & {
  /** JSON text of a valid document. `previous` is the JSON text of the document to compare with, or null. */
  readonly text: string
  readonly previous: string | null
}

export interface PlannedDocument {
  readonly plan: Plan
  readonly digest: string
  readonly checksum: string
  /** True if the document has the same content as the previous one. False if there is no previous document. */
  readonly sameContent: boolean
}

export const documentTasks = {
  compact: compactJson,
  check,
  plan,
  /**
   * Expands the variables (e.g. `${NAME}`) of the source document `written` and compares the result with the pushed document. Returns the
   * first place that differs; null if both are equal.
   */
  notExpanded: ({ written, text }: { readonly written: string; readonly text: string }): string | null =>
    whereNotExpanded(JSON.parse(written), JSON.parse(text)),
  /** Returns the differences in content between two documents. null stands for an empty document. */
  compare: ({ before, after }: { readonly before: string | null; readonly after: string | null }) =>
    compareDocuments(documentOf(before), documentOf(after)) satisfies DocumentDifference[],
  /** Builds a document from the active objects at the processor. */
  fromLive: ({ snapshot, mappings, current, codes }: LiveTask): LiveDocument =>
    toDocument(snapshot, mappings, documentOf(current), codes),
}

interface LiveTask {
  readonly snapshot: Snapshot
  readonly mappings: readonly MappingEntry[]
  /** JSON text of the last applied document; null if there is none. */
  readonly current: string | null
  readonly codes: PulledCodes
}

type Tasks = typeof documentTasks

export interface Documents {
  run<Name extends keyof Tasks>(name: Name, input: Parameters<Tasks[Name]>[0]): Promise<ReturnType<Tasks[Name]>>
}

/** Parses a stored document. */
export function documentOf(text: string | null): BillingConfig | null {
  return text === null ? null : (JSON.parse(text) as BillingConfig)
}

function compactJson({ text }: { readonly text: string }): CompactJson {
  const { value, issue } = readJson(text)
  return issue === null ? { malformed: null, text: JSON.stringify(value) } : { malformed: issue, text: null }
}

function check({ text }: { readonly text: string }): CheckedDocument {
  const { value, issue } = readJson(text)
  if (issue !== null) return { malformed: issue, text: null, valid: false, errors: [], warnings: [] }
  const { valid, errors, warnings } = validateConfig(value)
  return { malformed: null, text: JSON.stringify(value), valid, errors, warnings }
}

function plan({ text, previous: earlier, ...input }: PlanTask): PlannedDocument {
  const config = JSON.parse(text) as BillingConfig
  const previous = documentOf(earlier)
  const planned = planChanges({ ...input, config, previous })
  return {
    plan: planned,
    digest: planDigest(planned),
    checksum: checksum(config),
    sameContent: previous !== null && meanTheSame(previous, config),
  }
}
