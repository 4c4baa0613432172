// The tables of the sandbox's file. The indexes include `kind` and `deleted`, because SQLite without statistics picks the index with the
// most columns in equality conditions.
export const schemaVersion = 2

export const schema = `
CREATE TABLE objects (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  account TEXT NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL,
  deleted INTEGER NOT NULL DEFAULT 0,
  body TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX objects_by_id ON objects (account, kind, id);
CREATE INDEX objects_in_order ON objects (account, kind, deleted, seq);
CREATE INDEX prices_by_product ON objects (account, body ->> '$.product', seq) WHERE kind = 'price';
CREATE UNIQUE INDEX prices_by_lookup_key ON objects (account, body ->> '$.lookup_key')
  WHERE kind = 'price' AND body ->> '$.lookup_key' IS NOT NULL;
CREATE UNIQUE INDEX active_meters_by_event ON objects (account, body ->> '$.event_name')
  WHERE kind = 'billing.meter' AND body ->> '$.status' = 'active';
CREATE INDEX codes_by_code ON objects (account, lower(body ->> '$.code')) WHERE kind = 'promotion_code';
CREATE INDEX codes_by_coupon ON objects (account, body ->> '$.promotion.coupon') WHERE kind = 'promotion_code';
CREATE TABLE replies (
  account TEXT NOT NULL, key TEXT NOT NULL,
  reply TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (account, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX replies_by_age ON replies (created_at);
CREATE INDEX objects_due ON objects (account, body ->> '$._clock', body ->> '$._due')
  WHERE body ->> '$._due' IS NOT NULL;
CREATE INDEX subscriptions_by_customer
  ON objects (account, kind, deleted, body ->> '$.customer', seq) WHERE kind = 'subscription';
CREATE INDEX invoices_by_subscription
  ON objects (account, kind, deleted, body ->> '$.parent.subscription_details.subscription', seq) WHERE kind = 'invoice';
CREATE INDEX invoices_by_customer
  ON objects (account, kind, deleted, body ->> '$.customer', seq) WHERE kind = 'invoice';
CREATE INDEX usage_by_customer
  ON objects (account, body ->> '$._meter', body ->> '$._customer', body ->> '$.timestamp')
  WHERE kind = 'billing.meter_event';
CREATE INDEX usage_by_identifier ON objects (account, body ->> '$.identifier') WHERE kind = 'billing.meter_event';
CREATE INDEX sessions_by_id ON objects (kind, id) WHERE kind = 'checkout.session' OR kind = 'billing_portal.session';
CREATE TABLE offsets (account TEXT PRIMARY KEY, seconds INTEGER NOT NULL) STRICT, WITHOUT ROWID;
`
