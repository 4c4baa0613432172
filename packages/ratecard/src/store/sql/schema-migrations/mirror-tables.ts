// Part of the first schema: tables of the mirror, the copy of the processor's customers.
import type { Dialect } from './migration.ts'

const kinds = `('price', 'invoice', 'customer', 'subscription', 'credit_note', 'refund', 'purchase', 'credit_grant', 'credit_transaction')`

export const mirrorTables = ({ key }: Dialect): readonly string[] => [
  `create table mirror_state (
  id bigint primary key check (id = 1),
  account text not null,
  filling text,
  event_cursor text not null,
  read_until bigint,
  began_at bigint,
  compared_at bigint,
  comparing text,
  corrections bigint not null
)`,
  `create table mirror_numbers (
  id bigint primary key check (id = 1),
  last bigint not null
)`,
  `insert into mirror_numbers (id, last) values (1, 0)`,
  `create table mirror_objects (
  kind ${key} not null check (kind in ${kinds}),
  id ${key} not null,
  read_at bigint not null,
  customer ${key},
  status ${key},
  happened_at bigint,
  object text,
  primary key (kind, id)
)`,
  `create index mirror_objects_by_customer on mirror_objects (customer, kind, happened_at, id)`,
  `create index mirror_objects_by_time on mirror_objects (kind, happened_at, id)`,
  `create index mirror_objects_by_status on mirror_objects (kind, status)`,
  `create table mirror_items (
  id ${key} primary key,
  subscription ${key} not null,
  customer ${key} not null,
  price ${key} not null,
  product ${key},
  status text not null,
  paused text,
  currency text not null,
  quantity bigint
)`,
  `create index mirror_items_by_subscription on mirror_items (subscription)`,
  `create index mirror_items_by_customer on mirror_items (customer, price)`,
  `create index mirror_items_by_price on mirror_items (price, customer)`,
  `create table mirror_payments (
  kind ${key} not null check (kind in ('invoice', 'refund')),
  id ${key} not null,
  payment ${key} not null,
  primary key (kind, id, payment)
)`,
  `create index mirror_payments_by_payment on mirror_payments (payment, kind, id)`,
  `create table mirror_credit_moves (
  id ${key} primary key,
  credit_grant ${key} not null,
  amount bigint not null
)`,
  `create index mirror_credit_moves_by_grant on mirror_credit_moves (credit_grant)`,
  `create table mirror_paid (
  kind ${key} not null check (kind in ('invoice', 'purchase')),
  id ${key} not null,
  marked bigint not null,
  retry_at bigint,
  primary key (kind, id)
)`,
  `create table mirror_stale (
  kind ${key} not null check (kind in ${kinds}),
  id ${key} not null,
  marked bigint not null,
  since bigint not null,
  attempts bigint not null,
  retry_at bigint,
  skipped bigint not null,
  error text,
  primary key (kind, id)
)`,
  `create index mirror_stale_by_time on mirror_stale (since, marked)`,
  `create table mirror_differences (
  kind ${key} not null check (kind in ${kinds}),
  id ${key} not null,
  primary key (kind, id)
)`,
  `create table mirror_standings (
  customer ${key} primary key,
  billing_status text,
  monthly text not null,
  owed text not null,
  written_off text not null
)`,
  `create table mirror_unsummed (
  customer ${key} primary key,
  marked bigint not null
)`,
  `create index mirror_unsummed_by_mark on mirror_unsummed (marked)`,
  `create table mirror_reads (
  day bigint primary key,
  reads bigint not null
)`,
  `create table mirror_item_sums (
  item ${key} primary key,
  customer ${key} not null,
  subscription ${key} not null,
  price ${key} not null,
  product ${key},
  currency text not null,
  status text not null,
  counts bigint not null,
  monthly text not null,
  usage_last_period bigint not null
)`,
  `create index mirror_item_sums_by_customer on mirror_item_sums (customer)`,
  `create table mirror_revenue (
  customer ${key} not null,
  currency ${key} not null,
  monthly text not null,
  day_monthly text,
  primary key (customer, currency)
)`,
  `create table mirror_kept_days (
  day ${key} primary key
)`,
  `create table mirror_days (
  day ${key} not null,
  currency ${key} not null,
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
)`,
]
