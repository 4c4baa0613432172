// Part of the first schema: tenants with their sessions, free subscriptions and audit trail, and jobs that change subscriptions.
import type { Dialect } from './migration.ts'

/**
 * Index of all parts of three characters (trigrams) of the searched text. SQLite: a full-text index without a copy of the text, kept by
 * triggers; its rows have numbers of their own, because only a declared integer key survives a `vacuum`. PostgreSQL: an index of the extension
 * pg_trgm, which is wherever the first store of the database has created it. Without the extension (not installed, or the role must not
 * create it) searches read the whole column.
 */
const searchIndex: Readonly<Record<Dialect['engine'], readonly string[]>> = {
  sqlite: [
    `create table tenant_search_rows (number integer primary key, tenant_id text not null unique)`,
    `create virtual table tenant_search using fts5(text, content='', contentless_delete=1, tokenize='trigram case_sensitive 1')`,
    `create trigger tenant_search_added after insert on tenant_listings begin
  insert into tenant_search_rows (tenant_id) values (new.tenant_id);
  insert into tenant_search (rowid, text) select number, new.search from tenant_search_rows where tenant_id = new.tenant_id;
end`,
    `create trigger tenant_search_changed after update of search on tenant_listings when new.search <> old.search begin
  update tenant_search set text = new.search where rowid = (select number from tenant_search_rows where tenant_id = new.tenant_id);
end`,
    `create trigger tenant_search_removed after delete on tenant_listings begin
  delete from tenant_search where rowid = (select number from tenant_search_rows where tenant_id = old.tenant_id);
  delete from tenant_search_rows where tenant_id = old.tenant_id;
end`,
  ],
  postgres: [
    `do $$
declare
  place text;
begin
  begin
    create extension if not exists pg_trgm;
  exception when others then
    raise notice 'pg_trgm is not available: %', sqlerrm;
  end;
  select n.nspname into place from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'pg_trgm';
  if place is not null then
    execute format('create index tenant_listings_by_search on tenant_listings using gin (search %I.gin_trgm_ops)', place);
  end if;
end $$`,
  ],
}

export const tenantTables = ({ key, engine }: Dialect): readonly string[] => [
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
  `create index tenant_listings_by_monthly on tenant_listings (monthly, tenant_id)`,
  `create index tenant_listings_by_owed on tenant_listings (owed, tenant_id)`,
  ...searchIndex[engine],
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
  `create index local_subscriptions_by_price on local_subscriptions (price_id, tenant_id) where ended_at is null`,
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
