// Part of the first schema: tenants with their sessions, free subscriptions and audit trail, and jobs that change subscriptions.
import type { Dialect } from './migration.ts'

export const tenantTables = ({ key }: Dialect): readonly string[] => [
  `create table tenants (
  id ${key} primary key,
  name text not null,
  email text,
  processor_customer_id ${key} unique,
  enterprise_template ${key},
  enterprise_id ${key},
  created_at bigint not null,
  updated_at bigint not null
)`,
  `create index tenants_by_template on tenants (enterprise_template, id)`,
  `create index tenants_by_enterprise_id on tenants (enterprise_id, id)`,
  `create table tenant_audit (
  id ${key} primary key,
  tenant_id ${key} not null,
  action text not null,
  before text,
  after text,
  result text,
  author text,
  key_id text,
  request_id text,
  created_at bigint not null,
  key_name text
)`,
  `create index tenant_audit_by_time on tenant_audit (tenant_id, created_at, id)`,
  `create table sessions (
  id ${key} primary key,
  tenant_id ${key} not null,
  hash text not null,
  created_at bigint not null,
  expires_at bigint not null,
  revoked_at bigint
)`,
  `create index sessions_by_tenant on sessions (tenant_id)`,
  `create index sessions_by_end on sessions (expires_at)`,
  `create table local_subscriptions (
  id ${key} primary key,
  tenant_id ${key} not null,
  price_id ${key} not null,
  created_at bigint not null,
  ended_at bigint
)`,
  `create unique index local_subscriptions_running on local_subscriptions (tenant_id, price_id) where ended_at is null`,
  `create index local_subscriptions_by_time on local_subscriptions (tenant_id, created_at, id)`,
  `create table jobs (
  id ${key} primary key,
  kind text not null check (kind in ('enterprise_apply', 'template_move', 'migration', 'webhook_rotation')),
  subject ${key} not null,
  state text not null check (state in ('running', 'waiting', 'interrupted', 'done', 'failed', 'cancelled')),
  resumes_at bigint,
  input text not null,
  author text,
  message text,
  request_id text,
  steps_total bigint not null,
  steps_done bigint not null,
  error text,
  created_at bigint not null,
  updated_at bigint not null,
  finished_at bigint,
  key_id text,
  key_name text,
  check ((state = 'waiting') = (resumes_at is not null))
)`,
  `create index jobs_by_time on jobs (created_at, id)`,
  `create index jobs_by_subject on jobs (subject, kind, state)`,
  `create index jobs_by_date on jobs (resumes_at) where state = 'waiting'`,
  `create table job_steps (
  job_id ${key} not null references jobs (id),
  position bigint not null,
  step text not null,
  state text not null check (state in ('pending', 'begun', 'succeeded', 'failed', 'unknown', 'skipped')),
  waits_until bigint,
  attempts bigint not null,
  result text,
  error text,
  began_at bigint,
  ended_at bigint,
  primary key (job_id, position)
)`,
  `create index job_steps_unanswered on job_steps (job_id, position) where state in ('begun', 'unknown')`,
  `create table cancel_requests (
  kind text not null check (kind in ('push', 'job')),
  id ${key} not null,
  requested_at bigint not null,
  primary key (kind, id)
)`,
]
