// Steps of the list in migrations.ts: tenants with all that is theirs, and jobs that change subscriptions.
import type { Migration } from './migration.ts'

export const tenantMigrations: readonly Migration[] = [
  {
    name: 'tenants',
    statements: ({ key }) => [
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
  created_at bigint not null
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
    ],
  },
  {
    name: 'jobs',
    statements: ({ key }) => [
      `create table jobs (
  id ${key} primary key,
  kind text not null check (kind in ('enterprise_apply', 'template_move', 'migration')),
  subject ${key} not null,
  state text not null check (state in ('running', 'interrupted', 'done', 'failed', 'cancelled')),
  input text not null,
  author text,
  message text,
  request_id text,
  steps_total bigint not null,
  steps_done bigint not null,
  error text,
  created_at bigint not null,
  updated_at bigint not null,
  finished_at bigint
)`,
      `create index jobs_by_time on jobs (created_at, id)`,
      `create index jobs_by_subject on jobs (subject, kind, state)`,
      `create table job_steps (
  job_id ${key} not null references jobs (id),
  position bigint not null,
  step text not null,
  state text not null check (state in ('pending', 'begun', 'succeeded', 'failed', 'unknown', 'skipped')),
  attempts bigint not null,
  result text,
  error text,
  began_at bigint,
  ended_at bigint,
  primary key (job_id, position)
)`,
      `create table cancel_requests (
  kind text not null check (kind in ('push', 'job')),
  id ${key} not null,
  requested_at bigint not null,
  primary key (kind, id)
)`,
    ],
  },
]

const headOfJob =
  'id, kind, subject, input, author, message, request_id, steps_total, steps_done, error, created_at, updated_at, finished_at'
const headOfStep = 'job_id, position, step, attempts, error, began_at, ended_at'
/** Both end with the time, in 24 characters. */
const waitingJob = `state = 'interrupted' and error like '%"resume_after":"____-__-__T__:__:__.___Z"}'`
const waitingStep = `state = 'pending' and result like '{"waits_until":"____-__-__T__:__:__.___Z"}'`
const timeIn = (column: string) => `substr(${column}, length(${column}) - 25, 24)`

/** A waiting job was an interrupted one whose error said until when, and its steps said so in their results. */
export const waitingJobs: Migration = {
  name: 'waiting jobs',
  statements: ({ key, epochMs }) => [
    `alter table job_steps rename to job_steps_before`,
    `alter table jobs rename to jobs_before`,
    `drop index jobs_by_time`,
    `drop index jobs_by_subject`,
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
  check ((state = 'waiting') = (resumes_at is not null))
)`,
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
    `insert into jobs (${headOfJob}, state, resumes_at)
  select ${headOfJob}, state, null from jobs_before where not (${nullIsFalse(waitingJob, 'error')})`,
    `insert into jobs (${headOfJob}, state, resumes_at)
  select ${headOfJob}, 'waiting', ${epochMs(timeIn('error'))} from jobs_before where ${waitingJob}`,
    `insert into job_steps (${headOfStep}, state, waits_until, result)
  select ${headOfStep}, state, null, result from job_steps_before where not (${nullIsFalse(waitingStep, 'result')})`,
    `insert into job_steps (${headOfStep}, state, waits_until, result)
  select ${headOfStep}, state, ${epochMs(timeIn('result'))}, null from job_steps_before where ${waitingStep}`,
    `drop table job_steps_before`,
    `drop table jobs_before`,
    `create index jobs_by_time on jobs (created_at, id)`,
    `create index jobs_by_subject on jobs (subject, kind, state)`,
    `create index jobs_by_date on jobs (resumes_at) where state = 'waiting'`,
  ],
  again: ({ epochMs }) => [
    `update jobs set state = 'waiting', resumes_at = ${epochMs(timeIn('error'))} where ${waitingJob}`,
    `update job_steps set waits_until = ${epochMs(timeIn('result'))}, result = null
  where ${waitingStep} and job_id in (select id from jobs where state = 'waiting')`,
  ],
}

function nullIsFalse(condition: string, column: string): string {
  return `${column} is not null and ${condition}`
}
