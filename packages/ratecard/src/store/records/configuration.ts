// Records of the applied configuration. Documents are stored byte for byte as they were hashed.
import type { ConfigId, ProcessorId, ResourceKind } from '../../catalog/resource.ts'
import { oneOf, text, textOf, textOrNull, time, whole, wholeOrNull, type Columns, type RecordOf } from './columns.ts'
import { keyColumns } from './actor.ts'

export const changeKinds = ['push', 'rollback', 'reset'] as const

export const versionColumns = {
  revision: whole('shown'),
  version: text('shown'),
  kind: oneOf(changeKinds, 'shown'),
  /** The document as JSON text; null for a reset. */
  document: textOrNull(),
  /** sha256 hex of the document's canonical JSON; '' for a reset. */
  checksum: text('shown'),
  author: textOrNull('shown'),
  message: textOrNull('shown'),
  ...keyColumns,
  /** JSON of the change report. */
  changes: text('shown'),
  createdAt: time('shown'),
  pushId: textOrNull('shown'),
  /** Hash of this record in the hash chain: sha256 over the hash of the previous record and the content of this one. */
  hash: text(),
  previousHash: text(),
} satisfies Columns

export type VersionRecord = RecordOf<typeof versionColumns>
/** A version without its document, so that lists do not read large documents. */
export type VersionHead = Omit<VersionRecord, 'document'>
export const versionHeadColumns = Object.keys(versionColumns).filter(
  (name): name is keyof VersionHead => name !== 'document',
)

/** Policies: rules that every plan must comply with. Each time they are set, a record is added. */
export const policyColumns = {
  number: whole('shown'),
  /** JSON list of the rules. */
  rules: text(),
  author: textOrNull('shown'),
  message: textOrNull('shown'),
  ...keyColumns,
  createdAt: time('shown'),
} satisfies Columns

export type PolicyRecord = RecordOf<typeof policyColumns>

/**
 * Written forms. A written form is a document as its author wrote it, before variables were expanded. Its id is the sha256 hex of its text.
 */
export const writtenFormColumns = { id: text(), document: text(), createdAt: time() } satisfies Columns

/** The written form of each push, and of the version that the push became. */
export const writtenFormUseColumns = { pushId: text(), writtenId: text() } satisfies Columns

/** A single row. It contains the current revision, and a counter that grows with each change of published data. */
export const publishedColumns = { id: whole(), revision: wholeOrNull(), sequence: whole() } satisfies Columns

export const mappingColumns = {
  sequence: whole(),
  kind: textOf<ResourceKind>(),
  configId: textOf<ConfigId>(),
  processorId: textOf<ProcessorId>(),
  revision: whole(),
} satisfies Columns

/** Renames in a push: each moves entries of the mapping history to another configuration id. */
export const renameColumns = {
  revision: whole(),
  kind: textOf<ResourceKind>(),
  fromId: textOf<ConfigId>(),
  toId: textOf<ConfigId>(),
  /**
   * `item`: the item itself got the new id. `past`: the item was removed earlier, and its history was merged into the history of a present
   * item.
   */
  carries: oneOf(['item', 'past']),
  /** JSON list of the entries' sequence numbers. */
  entries: text(),
} satisfies Columns

export const archivedObjectColumns = {
  processorId: textOf<ProcessorId>(),
  kind: textOf<ResourceKind>(),
  configId: textOf<ConfigId>(),
  /** JSON of the complete object as it last was at the processor. */
  object: text(),
  archivedAt: time(),
} satisfies Columns

export type ArchivedObject = RecordOf<typeof archivedObjectColumns>

export type NewVersion = Omit<VersionRecord, 'revision' | 'hash' | 'previousHash'>

export interface MappingChange {
  readonly kind: ResourceKind
  readonly configId: ConfigId
  readonly processorId: ProcessorId
}

export interface WrittenForm {
  /** sha256 hex of the document's text. */
  readonly id: string
  /** JSON text of the document, with unexpanded variables such as `${NAME}`. */
  readonly document: string
}
