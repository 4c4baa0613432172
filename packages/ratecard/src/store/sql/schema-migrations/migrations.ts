// Ordered list of schema changes. A released change is never edited; append a new one instead. The same text serves both engines; `key` is
// the SQL type of columns that are compared and sorted byte by byte.

import type { Dialect, Migration } from './migration.ts'
import { mirrorTables } from './mirror-tables.ts'
import { searchIndex } from './search-index.ts'
import { tenantTables } from './tenant-tables.ts'
import { workerLogTables, workerTables } from './worker-tables.ts'

/** The schema version of a change is its position in the list plus one. */
export const migrations: readonly Migration[] = [
  {
    name: 'the schema of 0.1.0',
    statements: (dialect) => [
      ...configurationTables(dialect),
      ...journalTables(dialect),
      ...serviceTables(dialect),
      ...tenantTables(dialect),
      ...mirrorTables(dialect),
      ...workerTables(dialect),
      ...workerLogTables(dialect),
      ...searchIndex[dialect.engine],
      ...(dialect.engine === 'sqlite' ? indexesBesideDocuments : []),
    ],
  },
  {
    name: 'purchases with their amounts',
    // The lists from purchases on are read again. The export waits for that.
    statements: () => [
      `update mirror_state set filling = '{"kind":"purchase","after":null,"objects":0}' where filling is null`,
    ],
  },
]

/** Schema of the separate file for worker log lines beside an embedded store. */
export const workerLogMigrations: readonly Migration[] = [{ name: 'worker logs', statements: workerLogTables }]

const configurationTables = ({ key }: Dialect) => [
  `create table versions (
  revision bigint primary key check (revision > 0),
  version text not null,
  kind text not null check (kind in ('push', 'rollback', 'reset')),
  document text,
  checksum text not null,
  author text,
  message text,
  changes text not null,
  created_at bigint not null,
  push_id ${key} unique,
  hash ${key} not null unique,
  previous_hash ${key} not null unique,
  key_id text,
  key_name text,
  check ((kind = 'reset') = (document is null))
)`,
  `create table published (
  id bigint primary key check (id = 1),
  revision bigint references versions (revision),
  sequence bigint not null
)`,
  `insert into published (id, revision, sequence) values (1, null, 0)`,
  `create table mappings (
  sequence bigint primary key,
  kind ${key} not null,
  config_id ${key} not null,
  processor_id ${key} not null,
  revision bigint not null references versions (revision)
)`,
  `create index mappings_by_config_id on mappings (kind, config_id, sequence)`,
  `create index mappings_by_processor_id on mappings (processor_id, sequence)`,
  `create table archived_objects (
  processor_id ${key} primary key,
  kind ${key} not null,
  config_id ${key} not null,
  object text not null,
  archived_at bigint not null
)`,
  `create table renames (
  revision bigint not null references versions (revision),
  kind ${key} not null,
  from_id ${key} not null,
  to_id ${key} not null,
  carries text not null check (carries in ('item', 'past')),
  entries text not null,
  primary key (revision, kind, from_id, to_id)
)`,
  `create table written_forms (
  id ${key} primary key,
  document text not null,
  created_at bigint not null
)`,
  `create table written_form_uses (
  push_id ${key} primary key,
  written_id ${key} not null references written_forms (id)
)`,
  `create table policies (
  number bigint primary key check (number > 0),
  rules text not null,
  author text,
  message text,
  key_id text,
  key_name text,
  created_at bigint not null
)`,
]

const journalTables = ({ key }: Dialect) => [
  `create table pushes (
  id ${key} primary key,
  kind text not null check (kind in ('push', 'rollback', 'reset')),
  state text not null check (state in ('planned', 'running', 'interrupted', 'applied', 'failed', 'abandoned')),
  document text,
  version text not null,
  author text,
  message text,
  plan text not null,
  base_revision bigint references versions (revision),
  steps_total bigint not null,
  steps_done bigint not null,
  error text,
  created_at bigint not null,
  updated_at bigint not null,
  finished_at bigint,
  revision bigint unique references versions (revision),
  key_id text,
  key_name text,
  check ((state = 'applied') = (revision is not null))
)`,
  `create index pushes_by_time on pushes (created_at, id)`,
  `create index pushes_by_state on pushes (state)`,
  `create table steps (
  push_id ${key} not null references pushes (id),
  position bigint not null,
  step text not null,
  state text not null check (state in ('pending', 'begun', 'succeeded', 'failed', 'unknown', 'skipped')),
  attempts bigint not null,
  resolved text,
  processor_id text,
  request_id text,
  error text,
  began_at bigint,
  ended_at bigint,
  primary key (push_id, position)
)`,
]

const serviceTables = ({ key }: Dialect) => [
  `create table secrets (
  scope ${key} not null,
  id ${key} not null,
  sealed text not null,
  primary key (scope, id)
)`,
  `create table service_keys (
  id ${key} primary key,
  name text not null,
  hash ${key} not null unique,
  hint text not null,
  created_at bigint not null,
  last_used_at bigint,
  revoked_at bigint,
  scope text not null default 'write' check (scope in ('read', 'write', 'owner')),
  worker text,
  expires_at bigint
)`,
  `create table idempotency_keys (
  key ${key} primary key,
  fingerprint text not null,
  status bigint,
  body text,
  created_at bigint not null
)`,
  `create index idempotency_keys_by_time on idempotency_keys (created_at)`,
  `create table leases (
  name ${key} primary key,
  fence bigint not null,
  expires_at bigint not null,
  holder text
)`,
  `create table facts (
  name ${key} primary key,
  value text not null
)`,
  `create table paces (
  name ${key} primary key,
  slots text not null
)`,
  `create table dashboard_passes (
  hash ${key} primary key,
  kind text not null check (kind in ('link', 'session')),
  key_id ${key} not null references service_keys (id),
  created_at bigint not null,
  expires_at bigint not null,
  ended_at bigint
)`,
  `create index dashboard_passes_by_end on dashboard_passes (expires_at)`,
]

/**
 * Indexes for lists without documents. SQLite stores a row in one piece, so reading a column that follows a document reads through the
 * whole document. PostgreSQL needs no such indexes, because it stores long values outside their row.
 */
const indexesBesideDocuments = [
  `create index versions_without_documents on versions (
  revision, version, kind, checksum, author, message, changes, created_at, push_id, hash, previous_hash, key_id, key_name
)`,
  `create index pushes_without_documents on pushes (
  created_at, id, kind, state, version, author, message, key_id, key_name, steps_total, steps_done, error, updated_at, finished_at, base_revision, revision
)`,
]
