// The port to the database. Two engines (SQLite, PostgreSQL) implement it through the same repositories; records/ describes the tables,
// column by column.
// Times are epoch milliseconds. Ids are text created by the service, lower case, sortable by time.
import type { PastRename, Rename } from '../catalog/renames.ts'
import type { MappingEntry, ConfigId, ProcessorId, ResourceKind } from '../catalog/resource.ts'
import type { Journal } from './journal.ts'
import type { LeaseToken } from './lease-token.ts'
import type { Page, PageQuery } from './page.ts'
import type { MirrorStore } from './mirror-store.ts'
import type { RevenueStore } from './revenue-store.ts'
import type { PaceLimits } from './pacing.ts'
import type { DashboardPassRecord, IdempotencyRecord, ServiceKeyRecord } from './records/auth.ts'
import type { ArchivedObject, VersionHead, VersionRecord } from './records/configuration.ts'
import type { PushHead, PushRecord, StepRecord } from './records/journal.ts'
import type { JobStore, LocalSubscriptionStore, SessionStore, TenantStore } from './tenant-store.ts'
import type { WorkerLogStore, WorkerRunStore, WorkerStore } from './worker-store.ts'

export type { LeaseToken } from './lease-token.ts'
export type { DashboardPassRecord, IdempotencyRecord, ServiceKeyRecord } from './records/auth.ts'
export type { ArchivedObject, VersionHead, VersionRecord } from './records/configuration.ts'
export type { PushHead, PushRecord, PushState, StepRecord } from './records/journal.ts'

export type NewVersion = Omit<VersionRecord, 'revision' | 'hash' | 'previousHash'>

export type NewPush = Pick<
  PushRecord,
  | 'id'
  | 'kind'
  | 'document'
  | 'version'
  | 'author'
  | 'message'
  | 'keyId'
  | 'keyName'
  | 'plan'
  | 'baseRevision'
  | 'createdAt'
> & {
  /** JSON of each step, in order. */
  readonly steps: readonly string[]
}

export interface MappingChange {
  readonly kind: ResourceKind
  readonly configId: ConfigId
  readonly processorId: ProcessorId
}

export interface VersionStore {
  /** The current configuration; null before the first push and after a reset. */
  current(): Promise<VersionRecord | null>
  /** The newest record, a reset included. */
  latest(): Promise<VersionRecord | null>
  find(revision: number): Promise<VersionRecord | null>
  /** Returns a page, newest first, without the documents: a page of large documents would be slow to read for a list. */
  list(page: PageQuery): Promise<Page<VersionHead>>
}

/** Time (ms) for which a refused read or write counts, e.g. because of a full disk, which a ping does not detect. */
export const refusalMs = 60_000

export interface StoreRefusal {
  readonly access: 'read' | 'write'
  /** The database's own code, e.g. `SQLITE_FULL`, `53100` or `ECONNREFUSED`. */
  readonly code: string
  /** Epoch milliseconds. */
  readonly at: number
  /**
   * `connection`: the database was unreachable, which the next successful connection ends. `condition`: e.g. a full disk, which the next
   * read does not reveal. `damage`: found in the file at start, and stays.
   */
  readonly kind: 'connection' | 'condition' | 'damage'
}

export interface MappingStore {
  /** Returns the whole history, ascending by sequence. */
  all(): Promise<readonly MappingEntry[]>
  /** Returns every entry of the resource that this processor id is or was mapped to; empty if unknown. */
  byProcessorId(id: string): Promise<readonly MappingEntry[]>
  byConfigId(kind: ResourceKind, id: string): Promise<readonly MappingEntry[]>
  /** Returns all renames, oldest first. */
  renames(): Promise<readonly PastRename[]>
  /** Returns the last complete object of a resource that can no longer be read at the processor; null if there is none. */
  archivedObject(processorId: string): Promise<ArchivedObject | null>
}

export interface PushStore extends Journal<PushRecord, NewPush, StepRecord, 'failed' | 'interrupted' | 'abandoned'> {
  /** Called before a step is sent: sets state `begun`, increments attempts and stores the resolved step. */
  begin(pushId: string, index: number, resolved: string, token: LeaseToken): Promise<StepRecord>
  /** Called after the response. One transaction stores the result, the secret in the response and the last state of a deleted object. */
  succeed(
    pushId: string,
    index: number,
    result: {
      readonly processorId: string | null
      readonly requestId: string | null
      readonly secret?: string
      readonly archived?: ArchivedObject
    },
    token: LeaseToken,
  ): Promise<void>
  /** `failed`: the processor refused. `unknown`: sent without a response. `pending`: not carried out. */
  settle(
    pushId: string,
    index: number,
    state: 'failed' | 'unknown' | 'pending' | 'skipped',
    error: string | null,
    token: LeaseToken,
  ): Promise<void>
  /** Writes the version, the current pointer, renames, mappings and the end of the journal in one transaction. */
  close(
    pushId: string,
    version: NewVersion,
    mappings: readonly MappingChange[],
    token: LeaseToken,
    renames?: readonly Rename[],
  ): Promise<VersionRecord>
  head(pushId: string): Promise<PushHead | null>
  /** Returns steps that were or may have been sent by pushes planned on top of this revision that did not become the next one. */
  stepsSince(revision: number): Promise<readonly StepRecord[]>
  list(page: PageQuery): Promise<Page<PushHead>>
  /** Returns pushes to resolve before the next plan, oldest first: `running`, `interrupted`, or `failed` with steps of unknown outcome. */
  unresolved(): Promise<readonly PushRecord[]>
}

export interface SecretStore {
  /** Returns the signing secret of an endpoint (processor id). Secrets are sealed at rest. */
  webhookSecret(endpoint: string): Promise<string | null>
  saveWebhookSecret(endpoint: string, secret: string): Promise<void>
  /** Stores the key that signs session cookies, if absent. Returns the stored key, the same for all replicas. */
  bindSessionKey(fresh: string): Promise<string>
}

export interface ServiceKeyStore {
  add(key: ServiceKeyRecord): Promise<void>
  findByHash(hash: string): Promise<ServiceKeyRecord | null>
  find(id: string): Promise<ServiceKeyRecord | null>
  list(): Promise<readonly ServiceKeyRecord[]>
  /** False if the key does not exist or was revoked before. */
  revoke(id: string, at: number): Promise<boolean>
  /** Revokes every valid key of a worker. */
  revokeOfWorker(worker: string, at: number): Promise<void>
  touch(id: string, at: number): Promise<void>
}

export interface DashboardPassStore {
  /** Adds a pass, and deletes expired ones. */
  add(pass: DashboardPassRecord): Promise<void>
  /** Returns the pass even if it has expired or ended; the caller checks that. */
  find(hash: string): Promise<DashboardPassRecord | null>
  /** Ends a valid pass. True for exactly one of several concurrent callers; false if the pass is unknown, expired or ended. */
  end(hash: string, kind: DashboardPassRecord['kind'], at: number): Promise<boolean>
}

export interface IdempotencyStore {
  /**
   * Claims the key and returns null. If the key was claimed before, returns the present record. Records older than 24 h are deleted first.
   */
  claim(key: string, fingerprint: string, now: number): Promise<IdempotencyRecord | null>
  /** Heartbeat of the running request: a claim without heartbeats counts as abandoned after a while. */
  refresh(key: string, now: number): Promise<void>
  /** Takes over the claim of a dead process, as it was read with `claimedAt`. False if its heartbeat went on or another caller was first. */
  takeOver(key: string, claimedAt: number, now: number): Promise<boolean>
  finish(key: string, status: number, body: string): Promise<void>
  /** Deletes a claim whose request failed or whose process died, so that the key is free again. */
  release(key: string): Promise<void>
}

export interface KeyValueStore {
  get(name: string): Promise<string | null>
  /** Sets the value if absent and returns the stored value. */
  bind(name: string, value: string): Promise<string>
  set(name: string, value: string): Promise<void>
}

export interface WrittenForm {
  /** sha256 hex of the text. */
  readonly id: string
  /** JSON text of the document, with `${NAME}` in it. */
  readonly document: string
}

/** Written forms: documents as their authors wrote them, before variables were expanded. */
export interface WrittenFormStore {
  /** Stores a text once and returns its id. Texts that no push used within a day are deleted. */
  keep(document: string, at: number): Promise<string>
  find(id: string): Promise<string | null>
  /** Sets the written form of the push, and so of the version that it becomes. */
  assign(pushId: string, id: string): Promise<void>
  ofPush(pushId: string): Promise<WrittenForm | null>
  /** Returns the written forms of these pushes, in no order; pushes without a written form are omitted. */
  usedBy(pushIds: readonly string[]): Promise<readonly { readonly pushId: string; readonly writtenId: string }[]>
}

export interface SlotRequest {
  /** Name of the rate: all callers with one name share its limits. */
  readonly name: string
  readonly operation: string
  readonly count: number
  readonly limits: PaceLimits
}

/** A slot for one call, in timestamps of this process's `performance.now()`. After `until` it must not be used. */
export interface GrantedSlot {
  readonly from: number
  readonly until: number
}

export interface PaceStore {
  /** Reserves the next `count` free slots of all replicas together. If used in time, no second exceeds the limits. */
  reserve(ask: SlotRequest): Promise<readonly GrantedSlot[]>
}

export interface Store {
  readonly engine: 'sqlite' | 'postgres'
  readonly versions: VersionStore
  readonly mappings: MappingStore
  readonly pushes: PushStore
  readonly writtenForms: WrittenFormStore
  readonly secrets: SecretStore
  readonly serviceKeys: ServiceKeyStore
  readonly dashboardPasses: DashboardPassStore
  readonly idempotency: IdempotencyStore
  readonly tenants: TenantStore
  readonly sessions: SessionStore
  readonly localSubscriptions: LocalSubscriptionStore
  readonly jobs: JobStore
  readonly mirror: MirrorStore
  readonly revenue: RevenueStore
  readonly paces: PaceStore
  readonly workers: WorkerStore
  readonly workerRuns: WorkerRunStore
  readonly workerLogs: WorkerLogStore
  /**
   * Runs `work` while holding the named lease, which is renewed in the background. Throws ServiceError `push_in_progress` at once if
   * another process holds it. `signal` aborts when the lease is lost.
   */
  exclusively<T>(
    name: string,
    work: (lease: { readonly token: LeaseToken; readonly signal: AbortSignal }) => Promise<T>,
  ): Promise<T>
  /** True if a process holds the lease now. */
  held(name: string): Promise<boolean>
  /** Key-value store of this environment, for example for the processor account that it is bound to. */
  readonly facts: KeyValueStore
  /** Grows with every change of published data, by any replica. Polled to invalidate caches. */
  changeSequence(): Promise<number>
  /** Reseals everything that an older master key sealed. Returns the number of resealed secrets and stored responses. */
  resealSecrets(): Promise<number>
  /** Writes a complete and consistent copy to a new file, while the store is in use. SQLite only. */
  backup(file: string): Promise<void>
  ping(): Promise<void>
  /** The last read or write that the database refused; null if there was none. */
  refusal(): StoreRefusal | null
  close(): Promise<void>
}
