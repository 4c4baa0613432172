// Part of the first schema: deployed workers, their schedules and runs, and their log lines.
import type { Dialect } from './migration.ts'

export const workerTables = ({ key }: Dialect): readonly string[] => [
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
  cpu_ms bigint not null,
  service_key text check (service_key in ('read', 'write')),
  pass_credentials bigint not null default 0
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
  `create table worker_changes (
  id bigint primary key check (id = 1),
  sequence bigint not null
)`,
  `insert into worker_changes (id, sequence) values (1, 0)`,
]

/**
 * Tables of log lines, used on PostgreSQL and in the separate log file of an embedded store. The sizes are stored, so that a write does not
 * have to count lines.
 */
export const workerLogTables = ({ key }: Dialect): readonly string[] => [
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
  `create table worker_log_sizes (
  worker ${key} primary key,
  lines bigint not null,
  bytes bigint not null
)`,
]
