// The interface to the database. Two engines (SQLite, PostgreSQL) implement it through the same repositories. records/ describes the tables
// column by column. Times are epoch milliseconds. Ids are lower-case texts that the service creates and that sort by time.
import type { PastRename, Rename } from '../catalog/renames.ts'
import type { MappingEntry, ConfigId, ProcessorId, ResourceKind } from '../catalog/resource.ts'
import type { Journal } from './journal.ts'
import type { LeaseToken } from './lease-token.ts'
import type { Page, PageQuery } from './records/page.ts'
import type { CreditStore } from './credit-store.ts'
import type { GrantStore, HoldingsStore, UsageComparisonStore, UsageStore } from './feature-store.ts'
import type { MirrorStore } from './mirror-store.ts'
import type { RevenueStore } from './revenue-store.ts'
import type { PaceLimits } from './pacing.ts'
import type { DashboardPassRecord, IdempotencyRecord, ServiceKeyRecord } from './records/auth.ts'
import type { ArchivedObject, PolicyRecord, VersionHead, VersionRecord } from './records/configuration.ts'
import type { PushHead, PushRecord, StepRecord } from './records/journal.ts'
import type { JobStore, LocalSubscriptionStore, SessionStore, TenantStore, UnbilledUsageStore } from './tenant-store.ts'
import type { WorkerLogStore, WorkerRunStore, WorkerStore } from './worker-store.ts'

export type { LeaseToken } from './lease-token.ts'
export type { DashboardPassRecord, IdempotencyRecord, ServiceKeyRecord } from './records/auth.ts'
export type { ArchivedObject, PolicyRecord, VersionHead, VersionRecord } from './records/configuration.ts'
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
  /** All steps in order, each as JSON. */
  readonly steps: readonly string[]
}

export interface MappingChange {
  readonly kind: ResourceKind
  readonly configId: ConfigId
  readonly processorId: ProcessorId
}

export interface VersionStore {
  /** Returns the current configuration; null before the first push and after a reset. */
  current(): Promise<VersionRecord | null>
  /** Returns the newest revision, which may be a reset. */
  latest(): Promise<VersionRecord | null>
  find(revision: number): Promise<VersionRecord | null>
  /** Returns a page of revisions, newest first, without their documents, because large documents would make the list slow. */
  list(page: PageQuery): Promise<Page<VersionHead>>
}

/**
 * Time (ms) for which the store counts as failing after a failed read or write, e.g. on a full disk. A ping does not detect such a failure.
 */
export const refusalMs = 60_000

export interface StoreRefusal {
  readonly access: 'read' | 'write'
  /** The database's own error code, e.g. `SQLITE_FULL`, `53100` or `ECONNREFUSED`. */
  readonly code: string
  /** Time of the failure, epoch milliseconds. */
  readonly at: number
  /**
   * Kind of the failed access. `connection`: the database was unreachable; the next successful connection ends this state. `condition`:
   * e.g. a full disk; the next read may succeed although writes fail, so this state lasts for `refusalMs`. `damage`: the check at start
   * found a damaged file; this state lasts until the next start.
   */
  readonly kind: 'connection' | 'condition' | 'damage'
}

export interface MappingStore {
  /** Returns the whole mapping history, ascending by sequence. */
  all(): Promise<readonly MappingEntry[]>
  /** Returns all mappings of the item that has or had this processor id; empty if the id is unknown. */
  byProcessorId(id: string): Promise<readonly MappingEntry[]>
  byConfigId(kind: ResourceKind, id: string): Promise<readonly MappingEntry[]>
  /** Returns all renames of configuration ids, oldest first. */
  renames(): Promise<readonly PastRename[]>
  /** Returns the last complete state of an object that can no longer be read at the processor; null if there is none. */
  archivedObject(processorId: string): Promise<ArchivedObject | null>
}

export interface PushStore extends Journal<PushRecord, NewPush, StepRecord, 'failed' | 'interrupted' | 'abandoned'> {
  /** Sets the step's state to `begun`, increments its attempts and stores the resolved step. Call it before the step is sent. */
  begin(pushId: string, index: number, resolved: string, token: LeaseToken): Promise<StepRecord>
  /** Stores the result of a step in one transaction, together with the secret in its response and the last state of a deleted object. */
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
  /**
   * Stores the outcome of a step that did not succeed. `failed`: the processor refused it. `unknown`: it was sent and got no response.
   * `pending`: it was not executed.
   */
  settle(
    pushId: string,
    index: number,
    state: 'failed' | 'unknown' | 'pending' | 'skipped',
    error: string | null,
    token: LeaseToken,
  ): Promise<void>
  /**
   * Makes the push the current version: writes the version, the current pointer, the renames, the mappings and the end of the journal in
   * one transaction.
   */
  close(
    pushId: string,
    version: NewVersion,
    mappings: readonly MappingChange[],
    token: LeaseToken,
    renames?: readonly Rename[],
  ): Promise<VersionRecord>
  head(pushId: string): Promise<PushHead | null>
  /**
   * Returns steps that were sent, or may have been, by unfinished pushes that were planned on this revision. A push is unfinished until it
   * becomes a version.
   */
  stepsSince(revision: number): Promise<readonly StepRecord[]>
  list(page: PageQuery): Promise<Page<PushHead>>
  /**
   * Returns pushes with steps whose outcome must be found before the next plan, oldest first. These are pushes in state `planned`,
   * `running` or `interrupted`, and pushes in state `failed` with steps of unknown outcome.
   */
  unresolved(): Promise<readonly PushHead[]>
}

export interface SecretStore {
  /** Returns the signing secret of a webhook endpoint (processor id). Secrets are sealed at rest. */
  webhookSecret(endpoint: string): Promise<string | null>
  saveWebhookSecret(endpoint: string, secret: string): Promise<void>
  /**
   * Stores the key that signs session cookies, unless one is stored already. Returns the stored key, which is the same for all replicas.
   */
  bindSessionKey(fresh: string): Promise<string>
}

export interface ServiceKeyStore {
  add(key: ServiceKeyRecord): Promise<void>
  findByHash(hash: string): Promise<ServiceKeyRecord | null>
  find(id: string): Promise<ServiceKeyRecord | null>
  list(): Promise<readonly ServiceKeyRecord[]>
  /**
   * Revokes a key. Returns false if the key does not exist or was already revoked. `allow` is called before, with the key and all others that
   * are not revoked, and may throw; until the end no other call can revoke one of these.
   */
  revoke(
    id: string,
    at: number,
    allow?: (key: ServiceKeyRecord, others: readonly ServiceKeyRecord[]) => void,
  ): Promise<boolean>
  /** Revokes all valid keys of a worker. */
  revokeOfWorker(worker: string, at: number): Promise<void>
  touch(id: string, at: number): Promise<void>
}

export interface DashboardPassStore {
  /** Adds a dashboard pass (a sign-in link or a session), and deletes expired passes. */
  add(pass: DashboardPassRecord): Promise<void>
  /** Returns the dashboard pass (a sign-in link or a session) with this hash, even if it has expired or ended; the caller checks that. */
  find(hash: string): Promise<DashboardPassRecord | null>
  /**
   * Ends a valid dashboard pass. Returns true to exactly one of several concurrent callers, and false if the pass is unknown, expired or
   * ended.
   */
  end(hash: string, kind: DashboardPassRecord['kind'], at: number): Promise<boolean>
}

export interface IdempotencyStore {
  /**
   * Claims an idempotency key for a request and returns null. If the key is already claimed, returns the record of that claim. Records
   * older than 24 h are deleted first.
   */
  claim(key: string, fingerprint: string, now: number): Promise<IdempotencyRecord | null>
  /** Stores a heartbeat of the running request. A claim without recent heartbeats counts as abandoned. */
  refresh(key: string, now: number): Promise<void>
  /**
   * Takes over the claim of a dead process. `claimedAt` is the value that the caller read. Returns false if the process has sent a
   * heartbeat since then, or another caller has taken over the claim.
   */
  takeOver(key: string, claimedAt: number, now: number): Promise<boolean>
  finish(key: string, status: number, body: string): Promise<void>
  /** Deletes the claim of a request that failed or whose process died, so that the key is free again. */
  release(key: string): Promise<void>
}

export interface KeyValueStore {
  get(name: string): Promise<string | null>
  /** Stores the value under the name if the name has no value yet. Returns the stored value. */
  bind(name: string, value: string): Promise<string>
  set(name: string, value: string): Promise<void>
}

export interface WrittenForm {
  /** sha256 hex of the document's text. */
  readonly id: string
  /** JSON text of the document, with unexpanded variables such as `${NAME}`. */
  readonly document: string
}

/** Store of written forms. A written form is a document as its author wrote it, before variables such as `${NAME}` were expanded. */
export interface WrittenFormStore {
  /** Stores a text once and returns its id. Deletes texts that no push used within a day. */
  keep(document: string, at: number): Promise<string>
  find(id: string): Promise<string | null>
  /** Sets the written form (the document before variables were expanded) of a push, and of the version that the push becomes. */
  assign(pushId: string, id: string): Promise<void>
  ofPush(pushId: string): Promise<WrittenForm | null>
  /** Returns the written forms of these pushes, in any order; omits pushes without a written form. */
  usedBy(pushIds: readonly string[]): Promise<readonly { readonly pushId: string; readonly writtenId: string }[]>
}

/** Store of the policies. The newest record is in force; the earlier ones are its history. */
export interface PolicyStore {
  current(): Promise<PolicyRecord | null>
  /** Returns a page of records, newest first. */
  list(page: PageQuery): Promise<Page<PolicyRecord>>
  /** Adds a record with the next number and returns it. */
  add(record: Omit<PolicyRecord, 'number'>): Promise<PolicyRecord>
}

export interface SlotRequest {
  /** Name of the rate limit, which all callers with the same name share. */
  readonly name: string
  readonly operation: string
  readonly count: number
  readonly limits: PaceLimits
}

/** A slot that was granted for one call, as timestamps of this process's `performance.now()`. It must not be used after `until`. */
export interface GrantedSlot {
  readonly from: number
  readonly until: number
}

export interface PaceStore {
  /**
   * Reserves the next `count` free slots for this replica. If all replicas use their slots in time, no second contains more calls than the
   * rate limit allows.
   */
  reserve(ask: SlotRequest): Promise<readonly GrantedSlot[]>
}

export interface Store {
  readonly engine: 'sqlite' | 'postgres'
  readonly versions: VersionStore
  readonly mappings: MappingStore
  readonly pushes: PushStore
  readonly writtenForms: WrittenFormStore
  readonly policies: PolicyStore
  readonly secrets: SecretStore
  readonly serviceKeys: ServiceKeyStore
  readonly dashboardPasses: DashboardPassStore
  readonly idempotency: IdempotencyStore
  readonly tenants: TenantStore
  readonly sessions: SessionStore
  readonly localSubscriptions: LocalSubscriptionStore
  readonly grants: GrantStore
  readonly holdings: HoldingsStore
  readonly credits: CreditStore
  readonly usage: UsageStore
  readonly usageComparison: UsageComparisonStore
  readonly unbilledUsage: UnbilledUsageStore
  readonly jobs: JobStore
  readonly mirror: MirrorStore
  readonly revenue: RevenueStore
  readonly paces: PaceStore
  readonly workers: WorkerStore
  readonly workerRuns: WorkerRunStore
  readonly workerLogs: WorkerLogStore
  /**
   * Runs `work` while holding the named lease, which is renewed in the background. Throws ServiceError `push_in_progress` at once if
   * another process holds the lease. `signal` aborts when the lease is lost.
   */
  exclusively<T>(
    name: string,
    work: (lease: { readonly token: LeaseToken; readonly signal: AbortSignal }) => Promise<T>,
  ): Promise<T>
  /** True if a process holds the lease now. */
  held(name: string): Promise<boolean>
  /** Key-value store of this environment, e.g. for the processor account that the environment is bound to. */
  readonly facts: KeyValueStore
  /** Moves the write-ahead log of an embedded store into its file, as far as no reader needs it. Does nothing for PostgreSQL. */
  checkpoint(): Promise<void>
  /** Returns a counter that grows with every change of published data by any replica. Replicas poll it to invalidate their caches. */
  changeSequence(): Promise<number>
  /** Encrypts every text again that was encrypted with an older master key. Returns the number of changed secrets and stored responses. */
  resealSecrets(): Promise<number>
  /** Writes a complete and consistent copy of the store to a new file while the store is in use. SQLite only. */
  backup(file: string): Promise<void>
  ping(): Promise<void>
  /** Returns the last failure of a read or write at the database; null if there was none. */
  refusal(): StoreRefusal | null
  close(): Promise<void>
}
