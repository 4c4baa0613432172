// Part of the first schema: the index for searches in lists of tenants.
import type { Dialect } from './migration.ts'

/**
 * Search index of trigrams (all parts of three characters) of the search texts.
 * SQLite: a full-text index without its own copy of the text, maintained by triggers. Its rows have explicit numbers, because only a
 * declared integer key survives a `vacuum`.
 * PostgreSQL: an index of the extension pg_trgm, which is in the schema where the first store of the database created it. If the extension
 * is not installed, or the role may not create it, searches read the whole column.
 */
export const searchIndex: Readonly<Record<Dialect['engine'], readonly string[]>> = {
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
