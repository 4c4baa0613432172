import { documentOf, type Documents } from '../../catalog/document-tasks.ts'
import { readReport } from '../../catalog/change-report.ts'
import type { BillingConfig } from '../../document/schema/schema.ts'
import { ServiceError } from '../../base/errors/service-error.ts'
import { yieldToRequests } from '../../base/event-loop.ts'
import { byOf } from '../../store/records/actor.ts'
import { impactOfStored, type StoredPlan } from './stored-plan.ts'
import type { DocumentDifference } from '../../catalog/compare-documents.ts'
import type { HistoryEntry, RevisionDetail } from '../../api/push/revisions.ts'
import type { PageQuery } from '../../store/records/page.ts'
import type { VersionHead, VersionRecord } from '../../store/records/configuration.ts'
import type { Store } from '../../store/store.ts'

type Versions = Pick<Store['versions'], 'find' | 'list'>

/** Returns one page of the configuration history, newest first. */
export async function historyPage(versions: Versions, page: PageQuery) {
  const { items, total } = await versions.list(page)
  const entries: HistoryEntry[] = []
  for (const record of items) {
    entries.push(historyEntry(record))
    await yieldToRequests()
  }
  return { items: entries, total }
}

export async function readRevision(
  store: {
    readonly versions: Versions
    readonly writtenForms: Pick<Store['writtenForms'], 'ofPush'>
    readonly pushes: Pick<Store['pushes'], 'find'>
  },
  number: number,
): Promise<RevisionDetail> {
  const record = await findRevision(store.versions, number)
  const written = record.pushId === null ? null : await store.writtenForms.ofPush(record.pushId)
  return {
    ...historyEntry(record),
    document: documentOf(record.document),
    written: written === null ? null : (JSON.parse(written.document) as Record<string, unknown>),
    plan: await appliedPlan(store.pushes, record),
  }
}

/** Returns what the plan of a revision said when it was applied. Plans of earlier versions lack some of it. */
async function appliedPlan(
  pushes: Pick<Store['pushes'], 'find'>,
  { pushId }: Pick<VersionRecord, 'pushId'>,
): Promise<RevisionDetail['plan']> {
  const push = pushId === null ? null : await pushes.find(pushId)
  if (push === null) return null
  const { summary = '', who = [], violations = [], ...plan } = JSON.parse(push.plan) as StoredPlan
  return { summary, impact: impactOfStored(plan), who: [...who], violations: [...violations] }
}

/**
 * Returns the differences in content between two revisions; differences in formatting do not count. A reset counts as an empty document.
 */
export async function differenceBetween(
  { versions, documents }: { readonly versions: Versions; readonly documents: Documents },
  from: number,
  to: number,
): Promise<DocumentDifference[]> {
  const [before, after] = await Promise.all([findRevision(versions, from), findRevision(versions, to)])
  return documents.run('compare', { before: before.document, after: after.document })
}

/** Returns the newest document that was applied, even if a reset came after it; null if none was ever applied. */
export async function lastDocument(versions: Versions): Promise<BillingConfig | null> {
  for (let offset = 0; ; offset += 1) {
    const head = (await versions.list({ limit: 1, offset })).items[0]
    if (head === undefined) return null
    if (head.kind !== 'reset') return documentOf((await findRevision(versions, head.revision)).document)
  }
}

async function findRevision(versions: Versions, number: number): Promise<VersionRecord> {
  const record = await versions.find(number)
  if (record === null) throw new ServiceError('revision_not_found', `There is no revision ${String(number)}.`)
  return record
}

function historyEntry(record: VersionHead): HistoryEntry {
  const { revision, version, kind, createdAt, author, message, checksum, pushId } = record
  return {
    revision,
    version,
    kind,
    createdAt,
    author,
    by: byOf(record),
    message,
    checksum,
    pushId,
    ...readReport(record.changes),
  }
}
