import { emptyCatalog, desiredCatalog } from '../catalog/desired.ts'
import { same } from '../catalog/compare.ts'
import { displayOf } from '../catalog/display.ts'
import { documentName, documentValue } from '../catalog/document-fields.ts'
import type { ChangeReport } from '../catalog/change-report.ts'
import { resourceKinds } from '../catalog/resource.ts'
import type { DesiredResource } from '../catalog/resource.ts'
import type { BillingConfig } from '../config/schema.ts'
import { ServiceError } from '../errors/service-error.ts'
import type { DocumentDifference, HistoryEntry, Page } from '../service.ts'
import type { VersionRecord, VersionStore } from '../store/store.ts'

type Versions = Pick<VersionStore, 'find' | 'list'>

/** Newest first. */
export async function historyPage(versions: Versions, page: Page) {
  const { items, total } = await versions.list(page)
  return { items: items.map(historyEntry), total }
}

export async function revision(versions: Versions, number: number) {
  const record = await findRevision(versions, number)
  return { ...historyEntry(record), document: documentOf(record) }
}

/** What changed in meaning between two revisions; a reset counts as an empty document. */
export async function difference(versions: Versions, from: number, to: number): Promise<DocumentDifference[]> {
  const [before, after] = await Promise.all([findRevision(versions, from), findRevision(versions, to)])
  return compareDocuments(documentOf(before), documentOf(after))
}

/** The newest document that was applied, also when a reset came after it. */
export async function lastDocument(versions: Versions): Promise<BillingConfig | null> {
  for (let offset = 0; ; offset += 1) {
    const record = (await versions.list({ limit: 1, offset })).items[0]
    if (record === undefined) return null
    const document = documentOf(record)
    if (document !== null) return document
  }
}

/** One entry per configuration id that differs: creation order of the kinds, then document order, removed ones last. */
export function compareDocuments(before: BillingConfig | null, after: BillingConfig | null): DocumentDifference[] {
  const [earlier, later] = [before, after].map((config) => (config === null ? emptyCatalog : desiredCatalog(config)))
  const [showBefore, showAfter] = [displayOf(before), displayOf(after)]
  return resourceKinds.flatMap((kind) => {
    const old = new Map<string, DesiredResource>((earlier?.[kind] ?? []).map((item) => [item.configId, item]))
    const now = new Map<string, DesiredResource>((later?.[kind] ?? []).map((item) => [item.configId, item]))
    return [...new Set([...now.keys(), ...old.keys()])].flatMap((configId): DocumentDifference[] => {
      const fields = fieldDifferences(old.get(configId), now.get(configId))
      const change = !old.has(configId) ? 'added' : !now.has(configId) ? 'removed' : 'changed'
      if (change === 'changed' && fields.length === 0) return []
      return [
        {
          kind,
          configId,
          change,
          fields,
          display: { before: showBefore(kind, configId), after: showAfter(kind, configId) },
        },
      ]
    })
  })
}

function fieldDifferences(before: DesiredResource | undefined, after: DesiredResource | undefined) {
  const [old, now] = [bagOf(before), bagOf(after)]
  return [...new Set([...Object.keys(now), ...Object.keys(old)])]
    .filter((field) => !same(old[field], now[field]))
    .map((field) => ({
      field: documentName(field, old[field], now[field]),
      before: documentValue(field, old[field] ?? null),
      after: documentValue(field, now[field] ?? null),
    }))
}

/** Absent, null and empty mean the same in canonical fields, so they are left out. */
function bagOf(resource: DesiredResource | undefined): Record<string, unknown> {
  if (resource === undefined) return {}
  return Object.fromEntries(
    Object.entries({ ...resource.fields, ...resource.ours }).filter(([, value]) => value !== null && value !== ''),
  )
}

async function findRevision(versions: Versions, number: number): Promise<VersionRecord> {
  const record = await versions.find(number)
  if (record === null) throw new ServiceError('revision_not_found', `There is no revision ${String(number)}.`)
  return record
}

function documentOf(record: VersionRecord): BillingConfig | null {
  return record.document === null ? null : (JSON.parse(record.document) as BillingConfig)
}

function historyEntry(record: VersionRecord): HistoryEntry {
  const { revision, version, kind, createdAt, author, message, checksum } = record
  return {
    revision,
    version,
    kind,
    createdAt,
    author,
    message,
    checksum,
    changes: JSON.parse(record.changes) as ChangeReport,
  }
}
