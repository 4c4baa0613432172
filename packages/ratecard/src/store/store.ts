// The port to the database: what can be asked of it. Two engines (SQLite, PostgreSQL) sit beneath, through the same repositories.
// What is kept is described in records/, column by column.
// Times are epoch milliseconds. Ids are text made by us, lower case, sortable by time.
import type { PastRename, Rename } from '../catalog/renames.ts'
import type { MappingEntry, ConfigId, ProcessorId, ResourceKind } from '../catalog/resource.ts'
import type { Journal } from './journal.ts'
import type { LeaseToken } from './lease-token.ts'
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

interface PageQuery {
  readonly limit: number
  readonly offset: number
}

export interface VersionStore {
  /** The current configuration; null before the first push and after a reset. */
  current(): Promise<VersionRecord | null>
  /** The newest record, a reset included. */
  latest(): Promise<VersionRecord | null>
  find(revision: number): Promise<VersionRecord | null>
  /** Newest first, without the documents: a page of large ones would be much to read for a list. */
  list(page: PageQuery): Promise<{ readonly items: readonly VersionHead[]; readonly total: number }>
}

export interface StoreRefusal {
  readonly access: 'read' | 'write'
  /** The database's own code, e.g. `SQLITE_FULL`, `53100` or `ECONNREFUSED`. */
  readonly code: string
  /** Epoch milliseconds. */
  readonly at: number
  /**
   * `connection`: the database was not reached, which ends with the next connection. `condition`: e.g. a full disk, which the next
   * read does not show. `damage`: found in the file at start, and stays.
   */
  readonly kind: 'connection' | 'condition' | 'damage'
}

export interface MappingStore {
  /** The whole history, ascending by sequence. */
  all(): Promise<readonly MappingEntry[]>
  /** Every entry of the resource that this processor id stands or stood for; empty when unknown. */
  byProcessorId(id: string): Promise<readonly MappingEntry[]>
  byConfigId(kind: ResourceKind, id: string): Promise<readonly MappingEntry[]>
  /** Every rename that was pushed, oldest first. */
  renames(): Promise<readonly PastRename[]>
  /** Whole last objects of what cannot be read at the processor any more. */
  archivedObject(processorId: string): Promise<ArchivedObject | null>
}

export interface PushStore extends Journal<PushRecord, NewPush, StepRecord, 'failed' | 'interrupted' | 'abandoned'> {
  /** Before a step is sent: state `begun`, attempts + 1, and what is sent. */
  begin(pushId: string, index: number, resolved: string, token: LeaseToken): Promise<StepRecord>
  /** After it is answered, in one transaction with the secret that the answer carried and the object that it deleted. */
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
  /** `failed`: the processor refused. `unknown`: sent, no answer. `pending`: not sent after all. */
  settle(
    pushId: string,
    index: number,
    state: 'failed' | 'unknown' | 'pending' | 'skipped',
    error: string | null,
    token: LeaseToken,
  ): Promise<void>
  /** Version row, current pointer, renames, mappings and journal end in one transaction. */
  close(
    pushId: string,
    version: NewVersion,
    mappings: readonly MappingChange[],
    token: LeaseToken,
    renames?: readonly Rename[],
  ): Promise<VersionRecord>
  head(pushId: string): Promise<PushHead | null>
  /** Steps that were sent, or may have been, by pushes which were planned on top of this revision and did not become the next. */
  stepsSince(revision: number): Promise<readonly StepRecord[]>
  /** Newest first. */
  list(page: PageQuery): Promise<{ readonly items: readonly PushHead[]; readonly total: number }>
  /** Pushes that are `running` or `interrupted`, or `failed` with steps of unknown outcome: to be resolved before the next plan. Oldest first. */
  unresolved(): Promise<readonly PushRecord[]>
}

export interface SecretStore {
  /** Secrets are sealed at rest; bound to the endpoint's processor id. */
  webhookSecret(endpoint: string): Promise<string | null>
  saveWebhookSecret(endpoint: string, secret: string): Promise<void>
  /** The key that signs session cookies, one for all replicas: set when absent; the one that is there now. */
  bindSessionKey(fresh: string): Promise<string>
}

export interface ServiceKeyStore {
  add(key: ServiceKeyRecord): Promise<void>
  findByHash(hash: string): Promise<ServiceKeyRecord | null>
  find(id: string): Promise<ServiceKeyRecord | null>
  list(): Promise<readonly ServiceKeyRecord[]>
  /** False when no such key, or revoked already. */
  revoke(id: string, at: number): Promise<boolean>
  /** Every valid key of a worker. */
  revokeOfWorker(worker: string, at: number): Promise<void>
  touch(id: string, at: number): Promise<void>
}

export interface DashboardPassStore {
  /** Also forgets passes that ran out. */
  add(pass: DashboardPassRecord): Promise<void>
  /** Whether it ran out or ended is for the caller to see. */
  find(hash: string): Promise<DashboardPassRecord | null>
  /** True for one of all that try: the pass was there, had neither run out nor ended, and ends now. */
  end(hash: string, kind: DashboardPassRecord['kind'], at: number): Promise<boolean>
}

export interface IdempotencyStore {
  /** Claims the key. The present record when it was claimed before (records older than 24 h are replaced). */
  claim(key: string, fingerprint: string, now: number): Promise<IdempotencyRecord | null>
  /** Its work goes on: a claim that is not refreshed counts as abandoned after a while. */
  refresh(key: string, now: number): Promise<void>
  finish(key: string, status: number, body: string): Promise<void>
  /** Forgets a claim whose request failed before it did anything. */
  release(key: string): Promise<void>
}

export interface FactStore {
  get(name: string): Promise<string | null>
  /** Sets it when absent; the value that is there now. */
  bind(name: string, value: string): Promise<string>
  set(name: string, value: string): Promise<void>
}

export interface WrittenForm {
  /** sha256 hex of the text. */
  readonly id: string
  /** JSON text, with `${NAME}` in it. */
  readonly document: string
}

/** Documents as their authors wrote them, before their variables were expanded. */
export interface WrittenFormStore {
  /** Keeps a text, once, and answers its id. What no push used within a day is forgotten. */
  keep(document: string, at: number): Promise<string>
  find(id: string): Promise<string | null>
  /** The push, and the version that it becomes, was written like this. */
  assign(pushId: string, id: string): Promise<void>
  ofPush(pushId: string): Promise<WrittenForm | null>
  /** Which of these pushes were written like what, in no order; those without a written form are left out. */
  usedBy(pushIds: readonly string[]): Promise<readonly { readonly pushId: string; readonly writtenId: string }[]>
}

export interface PaceAsk {
  /** All that ask under one name share its limits. */
  readonly name: string
  readonly operation: string
  readonly count: number
  readonly limits: PaceLimits
}

/** A moment for one call, on the clock of this process's `performance.now()`. After `until` it must not be used. */
export interface Moment {
  readonly from: number
  readonly until: number
}

export interface PaceStore {
  /** The next `count` moments that all replicas together have left. Used in time, they keep every second to the limits. */
  reserve(ask: PaceAsk): Promise<readonly Moment[]>
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
  readonly paces: PaceStore
  readonly workers: WorkerStore
  readonly workerRuns: WorkerRunStore
  readonly workerLogs: WorkerLogStore
  /**
   * Runs `work` while holding the named lease, renewed in the background by the database's clock. When another holder has it,
   * fails at once with ServiceError `push_in_progress`. `signal` aborts when the lease is lost.
   */
  exclusively<T>(
    name: string,
    work: (lease: { readonly token: LeaseToken; readonly signal: AbortSignal }) => Promise<T>,
  ): Promise<T>
  /** Whether somebody holds the lease now. */
  held(name: string): Promise<boolean>
  /** Small facts about this environment, for example the processor account that it is bound to. */
  readonly facts: FactStore
  /** Grows with every change of published data, by any replica. Polled for cache invalidation. */
  changeSequence(): Promise<number>
  /** Seals everything anew that an older master key sealed. How many secrets and kept answers that were. */
  resealSecrets(): Promise<number>
  /** Writes a whole and consistent copy to a new file, while the store is in use. SQLite only. */
  backup(file: string): Promise<void>
  ping(): Promise<void>
  /** The last read or write that the database refused; null if there was none. */
  refusal(): StoreRefusal | null
  close(): Promise<void>
}
