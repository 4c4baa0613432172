// The ordered list of schema changes. A step that was released is never edited: a new one is added at the end.
// One text serves both engines; `key` is the type of columns that are compared and sorted byte by byte.

import type { Migration } from './migration.ts'
import { tenantMigrations, waitingJobs } from './migrations-tenants.ts'

/** Lines of workers: here on PostgreSQL, in a file of their own when the store is embedded. */
const workerLogStatements = ({ key }: { readonly key: string }) => [
  `create table worker_logs (
  id ${key} primary key,
  worker ${key} not null,
  deployment_id ${key} not null,
  time bigint not null,
  level text not null,
  message text not null,
  request_id text,
  run_id text
)`,
  `create index worker_logs_by_worker on worker_logs (worker, id)`,
]

/** How much each worker has of them, so that no write has to count. */
const workerLogSizeStatements: Migration['statements'] = ({ key }) => [
  `create table worker_log_sizes (
  worker ${key} primary key,
  lines bigint not null,
  bytes bigint not null
)`,
]

/** The schema of the file of its own. */
export const workerLogMigrations: readonly Migration[] = [
  { name: 'worker logs', statements: (types) => [...workerLogStatements(types), ...workerLogSizeStatements(types)] },
]

/** Position in the list plus one is the schema's version. */
export const migrations: readonly Migration[] = [
  {
    name: 'configuration',
    statements: ({ key }) => [
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
    ],
  },
  {
    name: 'push journal',
    statements: ({ key }) => [
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
    ],
  },
  {
    name: 'secrets, keys and coordination',
    statements: ({ key }) => [
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
  revoked_at bigint
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
    ],
  },
  ...tenantMigrations,
  {
    name: 'workers',
    statements: ({ key }) => [
      `create table worker_deployments (
  id ${key} primary key,
  worker ${key} not null,
  checksum text not null,
  author text,
  message text,
  environment text,
  variables text not null,
  crons text not null,
  hosts text not null,
  size_bytes bigint not null,
  created_at bigint not null
)`,
      `create index worker_deployments_by_time on worker_deployments (worker, created_at, id)`,
      `create table worker_bundles (
  deployment_id ${key} primary key references worker_deployments (id),
  modules text not null,
  main text not null,
  source_map text,
  compatibility_date text not null,
  compatibility_flags text not null,
  cpu_ms bigint not null
)`,
      `create table workers (
  name ${key} primary key,
  deployment_id ${key} not null references worker_deployments (id),
  updated_at bigint not null
)`,
      `create table worker_hosts (
  host ${key} primary key,
  worker ${key} not null references workers (name)
)`,
      `create table worker_schedules (
  worker ${key} not null references workers (name),
  cron ${key} not null,
  next_at bigint not null,
  primary key (worker, cron)
)`,
      `create index worker_schedules_by_time on worker_schedules (next_at)`,
      `create table worker_runs (
  id ${key} primary key,
  worker ${key} not null,
  cron ${key} not null,
  scheduled_time bigint not null,
  deployment_id ${key} not null,
  started_at bigint,
  finished_at bigint,
  outcome text not null check (outcome in ('running', 'ok', 'exception', 'exceeded_cpu', 'exceeded_memory', 'timed_out', 'skipped', 'missed', 'lost')),
  error text,
  cpu_ms double precision,
  instance text,
  heartbeat_at bigint,
  unique (worker, cron, scheduled_time)
)`,
      `create unique index worker_runs_running on worker_runs (worker, cron) where outcome = 'running'`,
      `create index worker_runs_by_time on worker_runs (worker, scheduled_time, id)`,
      `create index worker_runs_heartbeat on worker_runs (heartbeat_at) where outcome = 'running'`,
      ...workerLogStatements({ key }),
      `create table worker_changes (
  id bigint primary key check (id = 1),
  sequence bigint not null
)`,
      `insert into worker_changes (id, sequence) values (1, 0)`,
    ],
  },
  {
    name: 'shared rates',
    statements: ({ key }) => [
      `create table paces (
  name ${key} primary key,
  slots text not null
)`,
    ],
  },
  {
    name: 'scope and expiry of service keys',
    statements: () => [
      `alter table service_keys add column scope text not null default 'write' check (scope in ('read', 'write'))`,
      `alter table service_keys add column expires_at bigint`,
    ],
  },
  { name: 'sizes of worker logs', statements: workerLogSizeStatements },
  {
    name: 'documents as written',
    statements: ({ key }) => [
      `create table written_forms (
  id ${key} primary key,
  document text not null,
  created_at bigint not null
)`,
      `create table written_form_uses (
  push_id ${key} primary key,
  written_id ${key} not null references written_forms (id)
)`,
    ],
  },
  waitingJobs,
  {
    name: 'renames of configuration ids',
    statements: ({ key }) => [
      `create table renames (
  revision bigint not null references versions (revision),
  kind ${key} not null,
  from_id ${key} not null,
  to_id ${key} not null,
  carries text not null check (carries in ('item', 'past')),
  entries text not null,
  primary key (revision, kind, from_id, to_id)
)`,
    ],
  },
  {
    name: 'service keys of workers',
    statements: () => [
      `alter table service_keys add column worker text`,
      `alter table worker_bundles add column service_key text check (service_key in ('read', 'write'))`,
      `alter table worker_bundles add column pass_credentials bigint not null default 0`,
    ],
  },
  {
    name: 'who did it',
    statements: () => [
      ...['versions', 'pushes', 'jobs'].flatMap((table) =>
        ['key_id', 'key_name'].map((column) => `alter table ${table} add column ${column} text`),
      ),
      `alter table tenant_audit add column key_name text`,
      `update tenant_audit set key_name = (select name from service_keys where service_keys.id = tenant_audit.key_id)`,
    ],
  },
  {
    name: 'passes of the dashboard',
    statements: ({ key }) => [
      `create table dashboard_passes (
  hash ${key} primary key,
  kind text not null check (kind in ('link', 'session')),
  key_id ${key} not null references service_keys (id),
  created_at bigint not null,
  expires_at bigint not null,
  ended_at bigint
)`,
      `create index dashboard_passes_by_end on dashboard_passes (expires_at)`,
    ],
  },
  {
    name: 'history beside the documents',
    // SQLite keeps a row in one piece: what stands behind a document is found by walking through all of it. PostgreSQL keeps it apart.
    statements: ({ engine }) =>
      engine === 'sqlite'
        ? [
            `create index versions_without_documents on versions (
  revision, version, kind, checksum, author, message, changes, created_at, push_id, hash, previous_hash, key_id, key_name
)`,
          ]
        : [],
  },
  {
    name: 'pushes beside their documents',
    statements: ({ engine }) =>
      engine === 'sqlite'
        ? [
            `create index pushes_without_documents on pushes (
  created_at, id, kind, state, version, author, message, key_id, key_name, steps_total, steps_done, error, updated_at, finished_at, base_revision, revision
)`,
          ]
        : [],
  },
  {
    name: 'unanswered steps of jobs',
    statements: () => [
      `create index job_steps_unanswered on job_steps (job_id, position) where state in ('begun', 'unknown')`,
    ],
  },
]
