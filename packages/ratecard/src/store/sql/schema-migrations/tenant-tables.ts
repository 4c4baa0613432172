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
  enterprise_ends_at bigint,
  enterprise_then text check (enterprise_then in ('base', 'signed')),
  created_at bigint not null,
  updated_at bigint not null
)`,
  `create index tenants_by_template on tenants (enterprise_template, id)`,
  `create index tenants_by_enterprise_id on tenants (enterprise_id, id)`,
  `create index tenants_by_deal_end on tenants (enterprise_ends_at, id)`,
  `create table tenant_listings (
  tenant_id ${key} primary key,
  customer ${key},
  search ${key} not null,
  name_key ${key} not null,
  created_at bigint not null,
  billing_status ${key} not null check (billing_status in ('none', 'free', 'trialing', 'active', 'past_due', 'unpaid', 'incomplete', 'paused')),
  monthly bigint not null,
  owed bigint not null
)`,
  `create index tenant_listings_by_customer on tenant_listings (customer, tenant_id)`,
  `create index tenant_listings_by_name on tenant_listings (name_key, tenant_id)`,
  `create index tenant_listings_by_time on tenant_listings (created_at, tenant_id)`,
  `create index tenant_listings_by_status on tenant_listings (billing_status, tenant_id)`,
  `create index tenant_listings_by_status_and_name on tenant_listings (billing_status, name_key, tenant_id)`,
  `create index tenant_listings_by_status_and_time on tenant_listings (billing_status, created_at, tenant_id)`,
  `create index tenant_listings_by_status_and_monthly on tenant_listings (billing_status, monthly, tenant_id)`,
  `create index tenant_listings_by_status_and_owed on tenant_listings (billing_status, owed, tenant_id)`,
  `create index tenant_listings_by_monthly on tenant_listings (monthly, tenant_id)`,
  `create index tenant_listings_by_owed on tenant_listings (owed, tenant_id)`,
  `create index tenant_listings_owing_by_id on tenant_listings (tenant_id) where owed > 0`,
  `create index tenant_listings_owing_by_name on tenant_listings (name_key, tenant_id) where owed > 0`,
  `create index tenant_listings_owing_by_time on tenant_listings (created_at, tenant_id) where owed > 0`,
  `create index tenant_listings_owing_by_monthly on tenant_listings (monthly, tenant_id) where owed > 0`,
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
  `create index tenant_audit_of_deal_ends on tenant_audit (tenant_id, created_at, id) where action in ('remove', 'deal_ended')`,
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
  `create index local_subscriptions_by_price on local_subscriptions (price_id, tenant_id) where ended_at is null`,
  `create index local_subscriptions_by_time on local_subscriptions (tenant_id, created_at, id)`,
  `create table planned_free_subscriptions (
  subscription ${key} primary key,
  tenant_id ${key} not null,
  id ${key} not null,
  price_id ${key} not null,
  begins_at bigint not null
)`,
  `create index planned_free_by_tenant on planned_free_subscriptions (tenant_id)`,
  `create index planned_free_by_begin on planned_free_subscriptions (begins_at)`,
  `create table feature_grants (
  tenant_id ${key} not null,
  feature ${key} not null,
  granted text,
  switched text check (switched in ('on', 'off')),
  mode text not null check (mode in ('add', 'replace')),
  ends_at bigint,
  note text,
  created_at bigint not null,
  primary key (tenant_id, feature)
)`,
  `create table usage_reports (
  tenant_id ${key} not null,
  meter ${key} not null,
  identifier ${key} not null,
  range_start bigint not null,
  used_at bigint not null,
  value text not null,
  state text not null check (state in ('held', 'sent', 'resent')),
  event text,
  created_at bigint not null,
  primary key (tenant_id, meter, identifier)
)`,
  `create index usage_reports_by_age on usage_reports (tenant_id, meter, created_at)`,
  `create index usage_reports_not_sent on usage_reports (tenant_id, meter, created_at) where state <> 'sent'`,
  `create table usage_totals (
  tenant_id ${key} not null,
  meter ${key} not null,
  range_start bigint not null,
  total text not null,
  last_at bigint not null,
  primary key (tenant_id, meter, range_start)
)`,
  `create table usage_running_totals (
  tenant_id ${key} not null,
  meter ${key} not null,
  range_start bigint not null,
  total text not null,
  primary key (tenant_id, meter, range_start)
)`,
  `create table usage_differences (
  tenant_id ${key} not null,
  meter ${key} not null,
  since bigint not null,
  until bigint not null,
  counted text not null,
  recorded text not null,
  compared_at bigint not null,
  primary key (tenant_id, meter)
)`,
  `create table unbilled_usage (
  tenant_id ${key} not null,
  meter ${key} not null,
  day bigint not null,
  reports bigint not null,
  primary key (tenant_id, meter, day)
)`,
  `create index unbilled_usage_by_day on unbilled_usage (day)`,
  `create table jobs (
  id ${key} primary key,
  kind text not null check (
    kind in (
      'enterprise_apply', 'subscription_change', 'subscription_discount', 'credit_grant', 'template_move', 'migration', 'webhook_rotation'
    )
  ),
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
  `create index jobs_unfinished on jobs (kind, created_at, id) where state in ('running', 'waiting', 'interrupted')`,
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
