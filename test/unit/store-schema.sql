-- Made by scripts/store-schema.ts. Do not edit.

-- SQLite

create table if not exists schema_migrations (
  version bigint primary key,
  name text not null,
  applied_at bigint not null
);

-- 1: the schema of 0.1.0
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
  key_id text,
  key_name text,
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
create table renames (
  revision bigint not null references versions (revision),
  kind text not null,
  from_id text not null,
  to_id text not null,
  carries text not null check (carries in ('item', 'past')),
  entries text not null,
  primary key (revision, kind, from_id, to_id)
);
create table written_forms (
  id text primary key,
  document text not null,
  created_at bigint not null
);
create table written_form_uses (
  push_id text primary key,
  written_id text not null references written_forms (id)
);
create table policies (
  number bigint primary key check (number > 0),
  rules text not null,
  author text,
  message text,
  key_id text,
  key_name text,
  created_at bigint not null
);
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
  key_id text,
  key_name text,
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
  revoked_at bigint,
  scope text not null default 'write' check (scope in ('read', 'write', 'owner')),
  worker text,
  expires_at bigint
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
create table paces (
  name text primary key,
  slots text not null
);
create table dashboard_passes (
  hash text primary key,
  kind text not null check (kind in ('link', 'session')),
  key_id text not null references service_keys (id),
  created_at bigint not null,
  expires_at bigint not null,
  ended_at bigint
);
create index dashboard_passes_by_end on dashboard_passes (expires_at);
create table tenants (
  id text primary key,
  name text not null,
  email text,
  processor_customer_id text unique,
  enterprise_template text,
  enterprise_id text,
  enterprise_ends_at bigint,
  enterprise_then text check (enterprise_then in ('base', 'signed')),
  created_at bigint not null,
  updated_at bigint not null
);
create index tenants_by_template on tenants (enterprise_template, id);
create index tenants_by_enterprise_id on tenants (enterprise_id, id);
create index tenants_by_deal_end on tenants (enterprise_ends_at, id);
create table tenant_listings (
  tenant_id text primary key,
  customer text,
  search text not null,
  name_key text not null,
  created_at bigint not null,
  billing_status text not null check (billing_status in ('none', 'free', 'trialing', 'active', 'past_due', 'unpaid', 'incomplete', 'paused')),
  monthly bigint not null,
  owed bigint not null
);
create index tenant_listings_by_customer on tenant_listings (customer, tenant_id);
create index tenant_listings_by_name on tenant_listings (name_key, tenant_id);
create index tenant_listings_by_time on tenant_listings (created_at, tenant_id);
create index tenant_listings_by_status on tenant_listings (billing_status, tenant_id);
create index tenant_listings_by_status_and_name on tenant_listings (billing_status, name_key, tenant_id);
create index tenant_listings_by_status_and_time on tenant_listings (billing_status, created_at, tenant_id);
create index tenant_listings_by_status_and_monthly on tenant_listings (billing_status, monthly, tenant_id);
create index tenant_listings_by_status_and_owed on tenant_listings (billing_status, owed, tenant_id);
create index tenant_listings_by_monthly on tenant_listings (monthly, tenant_id);
create index tenant_listings_by_owed on tenant_listings (owed, tenant_id);
create index tenant_listings_owing_by_id on tenant_listings (tenant_id) where owed > 0;
create index tenant_listings_owing_by_name on tenant_listings (name_key, tenant_id) where owed > 0;
create index tenant_listings_owing_by_time on tenant_listings (created_at, tenant_id) where owed > 0;
create index tenant_listings_owing_by_monthly on tenant_listings (monthly, tenant_id) where owed > 0;
create table tenant_audit (
  id text primary key,
  tenant_id text not null,
  action text not null,
  before text,
  after text,
  result text,
  author text,
  key_id text,
  request_id text,
  created_at bigint not null,
  key_name text
);
create index tenant_audit_by_time on tenant_audit (tenant_id, created_at, id);
create index tenant_audit_of_deal_ends on tenant_audit (tenant_id, created_at, id) where action in ('remove', 'deal_ended');
create table sessions (
  id text primary key,
  tenant_id text not null,
  hash text not null,
  created_at bigint not null,
  expires_at bigint not null,
  revoked_at bigint
);
create index sessions_by_tenant on sessions (tenant_id);
create index sessions_by_end on sessions (expires_at);
create table local_subscriptions (
  id text primary key,
  tenant_id text not null,
  price_id text not null,
  created_at bigint not null,
  ended_at bigint
);
create unique index local_subscriptions_running on local_subscriptions (tenant_id, price_id) where ended_at is null;
create index local_subscriptions_by_price on local_subscriptions (price_id, tenant_id) where ended_at is null;
create index local_subscriptions_by_time on local_subscriptions (tenant_id, created_at, id);
create table planned_free_subscriptions (
  subscription text primary key,
  tenant_id text not null,
  id text not null,
  price_id text not null,
  begins_at bigint not null
);
create index planned_free_by_tenant on planned_free_subscriptions (tenant_id);
create index planned_free_by_begin on planned_free_subscriptions (begins_at);
create table feature_grants (
  tenant_id text not null,
  feature text not null,
  granted text,
  switched text check (switched in ('on', 'off')),
  mode text not null check (mode in ('add', 'replace')),
  ends_at bigint,
  note text,
  created_at bigint not null,
  primary key (tenant_id, feature)
);
create table usage_reports (
  tenant_id text not null,
  meter text not null,
  identifier text not null,
  range_start bigint not null,
  used_at bigint not null,
  value text not null,
  state text not null check (state in ('held', 'sent', 'resent')),
  event text,
  created_at bigint not null,
  primary key (tenant_id, meter, identifier)
);
create index usage_reports_by_age on usage_reports (tenant_id, meter, created_at);
create index usage_reports_not_sent on usage_reports (tenant_id, meter, created_at) where state <> 'sent';
create table usage_totals (
  tenant_id text not null,
  meter text not null,
  range_start bigint not null,
  total text not null,
  last_at bigint not null,
  primary key (tenant_id, meter, range_start)
);
create table usage_running_totals (
  tenant_id text not null,
  meter text not null,
  range_start bigint not null,
  total text not null,
  primary key (tenant_id, meter, range_start)
);
create table usage_differences (
  tenant_id text not null,
  meter text not null,
  since bigint not null,
  until bigint not null,
  counted text not null,
  recorded text not null,
  compared_at bigint not null,
  primary key (tenant_id, meter)
);
create table unbilled_usage (
  tenant_id text not null,
  meter text not null,
  day bigint not null,
  reports bigint not null,
  primary key (tenant_id, meter, day)
);
create index unbilled_usage_by_day on unbilled_usage (day);
create table jobs (
  id text primary key,
  kind text not null check (
    kind in (
      'enterprise_apply', 'subscription_change', 'subscription_discount', 'credit_grant', 'template_move', 'migration', 'webhook_rotation'
    )
  ),
  subject text not null,
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
);
create index jobs_by_time on jobs (created_at, id);
create index jobs_by_subject on jobs (subject, kind, state);
create index jobs_by_date on jobs (resumes_at) where state = 'waiting';
create index jobs_unfinished on jobs (kind, created_at, id) where state in ('running', 'waiting', 'interrupted');
create table job_steps (
  job_id text not null references jobs (id),
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
);
create index job_steps_unanswered on job_steps (job_id, position) where state in ('begun', 'unknown');
create table cancel_requests (
  kind text not null check (kind in ('push', 'job')),
  id text not null,
  requested_at bigint not null,
  primary key (kind, id)
);
create table mirror_state (
  id bigint primary key check (id = 1),
  account text not null,
  filling text,
  event_cursor text not null,
  read_until bigint,
  began_at bigint,
  compared_at bigint,
  comparing text,
  corrections bigint not null
);
create table mirror_numbers (
  id bigint primary key check (id = 1),
  last bigint not null
);
insert into mirror_numbers (id, last) values (1, 0);
create table mirror_objects (
  kind text not null check (kind in ('price', 'invoice', 'customer', 'subscription', 'credit_note', 'refund', 'purchase', 'credit_grant', 'credit_transaction')),
  id text not null,
  read_at bigint not null,
  customer text,
  status text,
  happened_at bigint,
  object text,
  primary key (kind, id)
);
create index mirror_objects_by_customer on mirror_objects (customer, kind, happened_at, id);
create index mirror_objects_by_time on mirror_objects (kind, happened_at, id);
create index mirror_objects_by_status on mirror_objects (kind, status);
create table mirror_items (
  id text primary key,
  subscription text not null,
  customer text not null,
  price text not null,
  product text,
  status text not null,
  paused text,
  currency text not null,
  quantity bigint
);
create index mirror_items_by_subscription on mirror_items (subscription);
create index mirror_items_by_customer on mirror_items (customer, price);
create index mirror_items_by_price on mirror_items (price, customer);
create table mirror_payments (
  kind text not null check (kind in ('invoice', 'refund')),
  id text not null,
  payment text not null,
  primary key (kind, id, payment)
);
create index mirror_payments_by_payment on mirror_payments (payment, kind, id);
create table mirror_credit_moves (
  id text primary key,
  credit_grant text not null,
  amount bigint not null
);
create index mirror_credit_moves_by_grant on mirror_credit_moves (credit_grant);
create table mirror_paid (
  kind text not null check (kind in ('invoice', 'purchase')),
  id text not null,
  marked bigint not null,
  retry_at bigint,
  primary key (kind, id)
);
create table mirror_stale (
  kind text not null check (kind in ('price', 'invoice', 'customer', 'subscription', 'credit_note', 'refund', 'purchase', 'credit_grant', 'credit_transaction')),
  id text not null,
  marked bigint not null,
  since bigint not null,
  attempts bigint not null,
  retry_at bigint,
  skipped bigint not null,
  error text,
  primary key (kind, id)
);
create index mirror_stale_by_time on mirror_stale (since, marked);
create table mirror_differences (
  kind text not null check (kind in ('price', 'invoice', 'customer', 'subscription', 'credit_note', 'refund', 'purchase', 'credit_grant', 'credit_transaction')),
  id text not null,
  primary key (kind, id)
);
create table mirror_standings (
  customer text primary key,
  billing_status text,
  monthly text not null,
  owed text not null,
  written_off text not null
);
create table mirror_unsummed (
  customer text primary key,
  marked bigint not null
);
create index mirror_unsummed_by_mark on mirror_unsummed (marked);
create table mirror_reads (
  day bigint primary key,
  reads bigint not null
);
create table mirror_item_sums (
  item text primary key,
  customer text not null,
  subscription text not null,
  price text not null,
  product text,
  currency text not null,
  status text not null,
  counts bigint not null,
  monthly text not null,
  usage_last_period bigint not null
);
create index mirror_item_sums_by_customer on mirror_item_sums (customer);
create table mirror_revenue (
  customer text not null,
  currency text not null,
  monthly text not null,
  day_monthly text,
  primary key (customer, currency)
);
create table mirror_kept_days (
  day text primary key
);
create table mirror_days (
  day text not null,
  currency text not null,
  mrr text not null,
  usage_last_period bigint not null,
  by_product text not null,
  new text not null,
  expansion text not null,
  contraction text not null,
  churn text not null,
  reactivation text not null,
  past_due bigint not null,
  primary key (day, currency)
);
create table worker_deployments (
  id text primary key,
  worker text not null,
  checksum text not null,
  author text,
  message text,
  environment text,
  variables text not null,
  crons text not null,
  hosts text not null,
  size_bytes bigint not null,
  created_at bigint not null
);
create index worker_deployments_by_time on worker_deployments (worker, created_at, id);
create table worker_bundles (
  deployment_id text primary key references worker_deployments (id),
  modules text not null,
  main text not null,
  source_map text,
  compatibility_date text not null,
  compatibility_flags text not null,
  cpu_ms bigint not null,
  service_key text check (service_key in ('read', 'write')),
  pass_credentials bigint not null default 0
);
create table workers (
  name text primary key,
  deployment_id text not null references worker_deployments (id),
  updated_at bigint not null
);
create table worker_hosts (
  host text primary key,
  worker text not null references workers (name)
);
create table worker_schedules (
  worker text not null references workers (name),
  cron text not null,
  next_at bigint not null,
  primary key (worker, cron)
);
create index worker_schedules_by_time on worker_schedules (next_at);
create table worker_runs (
  id text primary key,
  worker text not null,
  cron text not null,
  scheduled_time bigint not null,
  deployment_id text not null,
  started_at bigint,
  finished_at bigint,
  outcome text not null check (outcome in ('running', 'ok', 'exception', 'exceeded_cpu', 'exceeded_memory', 'timed_out', 'skipped', 'missed', 'lost')),
  error text,
  cpu_ms double precision,
  instance text,
  heartbeat_at bigint,
  unique (worker, cron, scheduled_time)
);
create unique index worker_runs_running on worker_runs (worker, cron) where outcome = 'running';
create index worker_runs_by_time on worker_runs (worker, scheduled_time, id);
create index worker_runs_heartbeat on worker_runs (heartbeat_at) where outcome = 'running';
create table worker_changes (
  id bigint primary key check (id = 1),
  sequence bigint not null
);
insert into worker_changes (id, sequence) values (1, 0);
create table worker_logs (
  id text primary key,
  worker text not null,
  deployment_id text not null,
  time bigint not null,
  level text not null,
  message text not null,
  request_id text,
  run_id text
);
create index worker_logs_by_worker on worker_logs (worker, id);
create table worker_log_sizes (
  worker text primary key,
  lines bigint not null,
  bytes bigint not null
);
create table tenant_search_rows (number integer primary key, tenant_id text not null unique);
create virtual table tenant_search using fts5(text, content='', contentless_delete=1, tokenize='trigram case_sensitive 1');
create trigger tenant_search_added after insert on tenant_listings begin
  insert into tenant_search_rows (tenant_id) values (new.tenant_id);
  insert into tenant_search (rowid, text) select number, new.search from tenant_search_rows where tenant_id = new.tenant_id;
end;
create trigger tenant_search_changed after update of search on tenant_listings when new.search <> old.search begin
  update tenant_search set text = new.search where rowid = (select number from tenant_search_rows where tenant_id = new.tenant_id);
end;
create trigger tenant_search_removed after delete on tenant_listings begin
  delete from tenant_search where rowid = (select number from tenant_search_rows where tenant_id = old.tenant_id);
  delete from tenant_search_rows where tenant_id = old.tenant_id;
end;
create index versions_without_documents on versions (
  revision, version, kind, checksum, author, message, changes, created_at, push_id, hash, previous_hash, key_id, key_name
);
create index pushes_without_documents on pushes (
  created_at, id, kind, state, version, author, message, key_id, key_name, steps_total, steps_done, error, updated_at, finished_at, base_revision, revision
);

-- PostgreSQL

create table if not exists schema_migrations (
  version bigint primary key,
  name text not null,
  applied_at bigint not null
);

-- 1: the schema of 0.1.0
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
  key_id text,
  key_name text,
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
create table renames (
  revision bigint not null references versions (revision),
  kind text collate "C" not null,
  from_id text collate "C" not null,
  to_id text collate "C" not null,
  carries text not null check (carries in ('item', 'past')),
  entries text not null,
  primary key (revision, kind, from_id, to_id)
);
create table written_forms (
  id text collate "C" primary key,
  document text not null,
  created_at bigint not null
);
create table written_form_uses (
  push_id text collate "C" primary key,
  written_id text collate "C" not null references written_forms (id)
);
create table policies (
  number bigint primary key check (number > 0),
  rules text not null,
  author text,
  message text,
  key_id text,
  key_name text,
  created_at bigint not null
);
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
  key_id text,
  key_name text,
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
  revoked_at bigint,
  scope text not null default 'write' check (scope in ('read', 'write', 'owner')),
  worker text,
  expires_at bigint
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
create table paces (
  name text collate "C" primary key,
  slots text not null
);
create table dashboard_passes (
  hash text collate "C" primary key,
  kind text not null check (kind in ('link', 'session')),
  key_id text collate "C" not null references service_keys (id),
  created_at bigint not null,
  expires_at bigint not null,
  ended_at bigint
);
create index dashboard_passes_by_end on dashboard_passes (expires_at);
create table tenants (
  id text collate "C" primary key,
  name text not null,
  email text,
  processor_customer_id text collate "C" unique,
  enterprise_template text collate "C",
  enterprise_id text collate "C",
  enterprise_ends_at bigint,
  enterprise_then text check (enterprise_then in ('base', 'signed')),
  created_at bigint not null,
  updated_at bigint not null
);
create index tenants_by_template on tenants (enterprise_template, id);
create index tenants_by_enterprise_id on tenants (enterprise_id, id);
create index tenants_by_deal_end on tenants (enterprise_ends_at, id);
create table tenant_listings (
  tenant_id text collate "C" primary key,
  customer text collate "C",
  search text collate "C" not null,
  name_key text collate "C" not null,
  created_at bigint not null,
  billing_status text collate "C" not null check (billing_status in ('none', 'free', 'trialing', 'active', 'past_due', 'unpaid', 'incomplete', 'paused')),
  monthly bigint not null,
  owed bigint not null
);
create index tenant_listings_by_customer on tenant_listings (customer, tenant_id);
create index tenant_listings_by_name on tenant_listings (name_key, tenant_id);
create index tenant_listings_by_time on tenant_listings (created_at, tenant_id);
create index tenant_listings_by_status on tenant_listings (billing_status, tenant_id);
create index tenant_listings_by_status_and_name on tenant_listings (billing_status, name_key, tenant_id);
create index tenant_listings_by_status_and_time on tenant_listings (billing_status, created_at, tenant_id);
create index tenant_listings_by_status_and_monthly on tenant_listings (billing_status, monthly, tenant_id);
create index tenant_listings_by_status_and_owed on tenant_listings (billing_status, owed, tenant_id);
create index tenant_listings_by_monthly on tenant_listings (monthly, tenant_id);
create index tenant_listings_by_owed on tenant_listings (owed, tenant_id);
create index tenant_listings_owing_by_id on tenant_listings (tenant_id) where owed > 0;
create index tenant_listings_owing_by_name on tenant_listings (name_key, tenant_id) where owed > 0;
create index tenant_listings_owing_by_time on tenant_listings (created_at, tenant_id) where owed > 0;
create index tenant_listings_owing_by_monthly on tenant_listings (monthly, tenant_id) where owed > 0;
create table tenant_audit (
  id text collate "C" primary key,
  tenant_id text collate "C" not null,
  action text not null,
  before text,
  after text,
  result text,
  author text,
  key_id text,
  request_id text,
  created_at bigint not null,
  key_name text
);
create index tenant_audit_by_time on tenant_audit (tenant_id, created_at, id);
create index tenant_audit_of_deal_ends on tenant_audit (tenant_id, created_at, id) where action in ('remove', 'deal_ended');
create table sessions (
  id text collate "C" primary key,
  tenant_id text collate "C" not null,
  hash text not null,
  created_at bigint not null,
  expires_at bigint not null,
  revoked_at bigint
);
create index sessions_by_tenant on sessions (tenant_id);
create index sessions_by_end on sessions (expires_at);
create table local_subscriptions (
  id text collate "C" primary key,
  tenant_id text collate "C" not null,
  price_id text collate "C" not null,
  created_at bigint not null,
  ended_at bigint
);
create unique index local_subscriptions_running on local_subscriptions (tenant_id, price_id) where ended_at is null;
create index local_subscriptions_by_price on local_subscriptions (price_id, tenant_id) where ended_at is null;
create index local_subscriptions_by_time on local_subscriptions (tenant_id, created_at, id);
create table planned_free_subscriptions (
  subscription text collate "C" primary key,
  tenant_id text collate "C" not null,
  id text collate "C" not null,
  price_id text collate "C" not null,
  begins_at bigint not null
);
create index planned_free_by_tenant on planned_free_subscriptions (tenant_id);
create index planned_free_by_begin on planned_free_subscriptions (begins_at);
create table feature_grants (
  tenant_id text collate "C" not null,
  feature text collate "C" not null,
  granted text,
  switched text check (switched in ('on', 'off')),
  mode text not null check (mode in ('add', 'replace')),
  ends_at bigint,
  note text,
  created_at bigint not null,
  primary key (tenant_id, feature)
);
create table usage_reports (
  tenant_id text collate "C" not null,
  meter text collate "C" not null,
  identifier text collate "C" not null,
  range_start bigint not null,
  used_at bigint not null,
  value text not null,
  state text not null check (state in ('held', 'sent', 'resent')),
  event text,
  created_at bigint not null,
  primary key (tenant_id, meter, identifier)
);
create index usage_reports_by_age on usage_reports (tenant_id, meter, created_at);
create index usage_reports_not_sent on usage_reports (tenant_id, meter, created_at) where state <> 'sent';
create table usage_totals (
  tenant_id text collate "C" not null,
  meter text collate "C" not null,
  range_start bigint not null,
  total text not null,
  last_at bigint not null,
  primary key (tenant_id, meter, range_start)
);
create table usage_running_totals (
  tenant_id text collate "C" not null,
  meter text collate "C" not null,
  range_start bigint not null,
  total text not null,
  primary key (tenant_id, meter, range_start)
);
create table usage_differences (
  tenant_id text collate "C" not null,
  meter text collate "C" not null,
  since bigint not null,
  until bigint not null,
  counted text not null,
  recorded text not null,
  compared_at bigint not null,
  primary key (tenant_id, meter)
);
create table unbilled_usage (
  tenant_id text collate "C" not null,
  meter text collate "C" not null,
  day bigint not null,
  reports bigint not null,
  primary key (tenant_id, meter, day)
);
create index unbilled_usage_by_day on unbilled_usage (day);
create table jobs (
  id text collate "C" primary key,
  kind text not null check (
    kind in (
      'enterprise_apply', 'subscription_change', 'subscription_discount', 'credit_grant', 'template_move', 'migration', 'webhook_rotation'
    )
  ),
  subject text collate "C" not null,
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
);
create index jobs_by_time on jobs (created_at, id);
create index jobs_by_subject on jobs (subject, kind, state);
create index jobs_by_date on jobs (resumes_at) where state = 'waiting';
create index jobs_unfinished on jobs (kind, created_at, id) where state in ('running', 'waiting', 'interrupted');
create table job_steps (
  job_id text collate "C" not null references jobs (id),
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
);
create index job_steps_unanswered on job_steps (job_id, position) where state in ('begun', 'unknown');
create table cancel_requests (
  kind text not null check (kind in ('push', 'job')),
  id text collate "C" not null,
  requested_at bigint not null,
  primary key (kind, id)
);
create table mirror_state (
  id bigint primary key check (id = 1),
  account text not null,
  filling text,
  event_cursor text not null,
  read_until bigint,
  began_at bigint,
  compared_at bigint,
  comparing text,
  corrections bigint not null
);
create table mirror_numbers (
  id bigint primary key check (id = 1),
  last bigint not null
);
insert into mirror_numbers (id, last) values (1, 0);
create table mirror_objects (
  kind text collate "C" not null check (kind in ('price', 'invoice', 'customer', 'subscription', 'credit_note', 'refund', 'purchase', 'credit_grant', 'credit_transaction')),
  id text collate "C" not null,
  read_at bigint not null,
  customer text collate "C",
  status text collate "C",
  happened_at bigint,
  object text,
  primary key (kind, id)
);
create index mirror_objects_by_customer on mirror_objects (customer, kind, happened_at, id);
create index mirror_objects_by_time on mirror_objects (kind, happened_at, id);
create index mirror_objects_by_status on mirror_objects (kind, status);
create table mirror_items (
  id text collate "C" primary key,
  subscription text collate "C" not null,
  customer text collate "C" not null,
  price text collate "C" not null,
  product text collate "C",
  status text not null,
  paused text,
  currency text not null,
  quantity bigint
);
create index mirror_items_by_subscription on mirror_items (subscription);
create index mirror_items_by_customer on mirror_items (customer, price);
create index mirror_items_by_price on mirror_items (price, customer);
create table mirror_payments (
  kind text collate "C" not null check (kind in ('invoice', 'refund')),
  id text collate "C" not null,
  payment text collate "C" not null,
  primary key (kind, id, payment)
);
create index mirror_payments_by_payment on mirror_payments (payment, kind, id);
create table mirror_credit_moves (
  id text collate "C" primary key,
  credit_grant text collate "C" not null,
  amount bigint not null
);
create index mirror_credit_moves_by_grant on mirror_credit_moves (credit_grant);
create table mirror_paid (
  kind text collate "C" not null check (kind in ('invoice', 'purchase')),
  id text collate "C" not null,
  marked bigint not null,
  retry_at bigint,
  primary key (kind, id)
);
create table mirror_stale (
  kind text collate "C" not null check (kind in ('price', 'invoice', 'customer', 'subscription', 'credit_note', 'refund', 'purchase', 'credit_grant', 'credit_transaction')),
  id text collate "C" not null,
  marked bigint not null,
  since bigint not null,
  attempts bigint not null,
  retry_at bigint,
  skipped bigint not null,
  error text,
  primary key (kind, id)
);
create index mirror_stale_by_time on mirror_stale (since, marked);
create table mirror_differences (
  kind text collate "C" not null check (kind in ('price', 'invoice', 'customer', 'subscription', 'credit_note', 'refund', 'purchase', 'credit_grant', 'credit_transaction')),
  id text collate "C" not null,
  primary key (kind, id)
);
create table mirror_standings (
  customer text collate "C" primary key,
  billing_status text,
  monthly text not null,
  owed text not null,
  written_off text not null
);
create table mirror_unsummed (
  customer text collate "C" primary key,
  marked bigint not null
);
create index mirror_unsummed_by_mark on mirror_unsummed (marked);
create table mirror_reads (
  day bigint primary key,
  reads bigint not null
);
create table mirror_item_sums (
  item text collate "C" primary key,
  customer text collate "C" not null,
  subscription text collate "C" not null,
  price text collate "C" not null,
  product text collate "C",
  currency text not null,
  status text not null,
  counts bigint not null,
  monthly text not null,
  usage_last_period bigint not null
);
create index mirror_item_sums_by_customer on mirror_item_sums (customer);
create table mirror_revenue (
  customer text collate "C" not null,
  currency text collate "C" not null,
  monthly text not null,
  day_monthly text,
  primary key (customer, currency)
);
create table mirror_kept_days (
  day text collate "C" primary key
);
create table mirror_days (
  day text collate "C" not null,
  currency text collate "C" not null,
  mrr text not null,
  usage_last_period bigint not null,
  by_product text not null,
  new text not null,
  expansion text not null,
  contraction text not null,
  churn text not null,
  reactivation text not null,
  past_due bigint not null,
  primary key (day, currency)
);
create table worker_deployments (
  id text collate "C" primary key,
  worker text collate "C" not null,
  checksum text not null,
  author text,
  message text,
  environment text,
  variables text not null,
  crons text not null,
  hosts text not null,
  size_bytes bigint not null,
  created_at bigint not null
);
create index worker_deployments_by_time on worker_deployments (worker, created_at, id);
create table worker_bundles (
  deployment_id text collate "C" primary key references worker_deployments (id),
  modules text not null,
  main text not null,
  source_map text,
  compatibility_date text not null,
  compatibility_flags text not null,
  cpu_ms bigint not null,
  service_key text check (service_key in ('read', 'write')),
  pass_credentials bigint not null default 0
);
create table workers (
  name text collate "C" primary key,
  deployment_id text collate "C" not null references worker_deployments (id),
  updated_at bigint not null
);
create table worker_hosts (
  host text collate "C" primary key,
  worker text collate "C" not null references workers (name)
);
create table worker_schedules (
  worker text collate "C" not null references workers (name),
  cron text collate "C" not null,
  next_at bigint not null,
  primary key (worker, cron)
);
create index worker_schedules_by_time on worker_schedules (next_at);
create table worker_runs (
  id text collate "C" primary key,
  worker text collate "C" not null,
  cron text collate "C" not null,
  scheduled_time bigint not null,
  deployment_id text collate "C" not null,
  started_at bigint,
  finished_at bigint,
  outcome text not null check (outcome in ('running', 'ok', 'exception', 'exceeded_cpu', 'exceeded_memory', 'timed_out', 'skipped', 'missed', 'lost')),
  error text,
  cpu_ms double precision,
  instance text,
  heartbeat_at bigint,
  unique (worker, cron, scheduled_time)
);
create unique index worker_runs_running on worker_runs (worker, cron) where outcome = 'running';
create index worker_runs_by_time on worker_runs (worker, scheduled_time, id);
create index worker_runs_heartbeat on worker_runs (heartbeat_at) where outcome = 'running';
create table worker_changes (
  id bigint primary key check (id = 1),
  sequence bigint not null
);
insert into worker_changes (id, sequence) values (1, 0);
create table worker_logs (
  id text collate "C" primary key,
  worker text collate "C" not null,
  deployment_id text collate "C" not null,
  time bigint not null,
  level text not null,
  message text not null,
  request_id text,
  run_id text
);
create index worker_logs_by_worker on worker_logs (worker, id);
create table worker_log_sizes (
  worker text collate "C" primary key,
  lines bigint not null,
  bytes bigint not null
);
do $$
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
end $$;
