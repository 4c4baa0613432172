-- Made by scripts/store-schema.ts. Do not edit.

-- SQLite

create table if not exists schema_migrations (
  version bigint primary key,
  name text not null,
  applied_at bigint not null
);

-- 1: configuration
create table versions (
  revision bigint primary key check (revision > 0),
  version text not null,
  kind text not null check (kind in ('push', 'rollback', 'reset')),
  document text,
  checksum text not null,
  author text,
  message text,
  changes text not null,
  created_at bigint not null,
  push_id text unique,
  hash text not null unique,
  previous_hash text not null unique,
  check ((kind = 'reset') = (document is null))
);
create table published (
  id bigint primary key check (id = 1),
  revision bigint references versions (revision),
  sequence bigint not null
);
insert into published (id, revision, sequence) values (1, null, 0);
create table mappings (
  sequence bigint primary key,
  kind text not null,
  config_id text not null,
  processor_id text not null,
  revision bigint not null references versions (revision)
);
create index mappings_by_config_id on mappings (kind, config_id, sequence);
create index mappings_by_processor_id on mappings (processor_id, sequence);
create table archived_objects (
  processor_id text primary key,
  kind text not null,
  config_id text not null,
  object text not null,
  archived_at bigint not null
);

-- 2: push journal
create table pushes (
  id text primary key,
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
);
create index pushes_by_time on pushes (created_at, id);
create index pushes_by_state on pushes (state);
create table steps (
  push_id text not null references pushes (id),
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
);

-- 3: secrets, keys and coordination
create table secrets (
  scope text not null,
  id text not null,
  sealed text not null,
  primary key (scope, id)
);
create table service_keys (
  id text primary key,
  name text not null,
  hash text not null unique,
  hint text not null,
  created_at bigint not null,
  last_used_at bigint,
  revoked_at bigint
);
create table idempotency_keys (
  key text primary key,
  fingerprint text not null,
  status bigint,
  body text,
  created_at bigint not null
);
create index idempotency_keys_by_time on idempotency_keys (created_at);
create table leases (
  name text primary key,
  fence bigint not null,
  expires_at bigint not null,
  holder text
);
create table facts (
  name text primary key,
  value text not null
);

-- PostgreSQL

create table if not exists schema_migrations (
  version bigint primary key,
  name text not null,
  applied_at bigint not null
);

-- 1: configuration
create table versions (
  revision bigint primary key check (revision > 0),
  version text not null,
  kind text not null check (kind in ('push', 'rollback', 'reset')),
  document text,
  checksum text not null,
  author text,
  message text,
  changes text not null,
  created_at bigint not null,
  push_id text collate "C" unique,
  hash text collate "C" not null unique,
  previous_hash text collate "C" not null unique,
  check ((kind = 'reset') = (document is null))
);
create table published (
  id bigint primary key check (id = 1),
  revision bigint references versions (revision),
  sequence bigint not null
);
insert into published (id, revision, sequence) values (1, null, 0);
create table mappings (
  sequence bigint primary key,
  kind text collate "C" not null,
  config_id text collate "C" not null,
  processor_id text collate "C" not null,
  revision bigint not null references versions (revision)
);
create index mappings_by_config_id on mappings (kind, config_id, sequence);
create index mappings_by_processor_id on mappings (processor_id, sequence);
create table archived_objects (
  processor_id text collate "C" primary key,
  kind text collate "C" not null,
  config_id text collate "C" not null,
  object text not null,
  archived_at bigint not null
);

-- 2: push journal
create table pushes (
  id text collate "C" primary key,
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
);
create index pushes_by_time on pushes (created_at, id);
create index pushes_by_state on pushes (state);
create table steps (
  push_id text collate "C" not null references pushes (id),
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
);

-- 3: secrets, keys and coordination
create table secrets (
  scope text collate "C" not null,
  id text collate "C" not null,
  sealed text not null,
  primary key (scope, id)
);
create table service_keys (
  id text collate "C" primary key,
  name text not null,
  hash text collate "C" not null unique,
  hint text not null,
  created_at bigint not null,
  last_used_at bigint,
  revoked_at bigint
);
create table idempotency_keys (
  key text collate "C" primary key,
  fingerprint text not null,
  status bigint,
  body text,
  created_at bigint not null
);
create index idempotency_keys_by_time on idempotency_keys (created_at);
create table leases (
  name text collate "C" primary key,
  fence bigint not null,
  expires_at bigint not null,
  holder text
);
create table facts (
  name text collate "C" primary key,
  value text not null
);
