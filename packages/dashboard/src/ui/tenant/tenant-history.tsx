// The audit log of a tenant: what was changed, by whom and when.
import { useState } from 'react'
import { api } from '../../api.ts'
import { useLoaded } from '../../frame/live.ts'
import { auditWords, shown } from '../../words/words.ts'
import { Card, Pager, Show, Time, Who } from '../basic.tsx'
import { Text } from '../text.tsx'
import { Table } from '../table.tsx'

const auditPage = 10

export function TenantHistory({ id }: { readonly id: string }) {
  const [offset, setOffset] = useState(0)
  const audit = useLoaded(`audit ${id} ${offset}`, (signal) =>
    api.tenants.audit(id, { limit: auditPage, offset, signal }),
  )
  return (
    <Card title="History" isFlush={(audit.value?.entries.length ?? 0) > 0}>
      <Show of={audit} what="The audit log">
        {({ entries, pagination }) =>
          entries.length === 0 ? (
            <p className="quiet">Nothing yet.</p>
          ) : (
            <>
              <Table
                caption="Audit log"
                columns={['What', 'Before and after', 'Who', 'When']}
                rows={entries.map((entry) => ({
                  key: entry.id,
                  cells: [
                    auditWords(entry.action),
                    <AuditChange
                      before={entry.before ?? itemsIn(entry.result?.['before'])}
                      after={entry.after ?? itemsIn(entry.result?.['after'])}
                    />,
                    <Who author={entry.author} by={entry.by} />,
                    <Time at={entry.createdAt} />,
                  ],
                }))}
              />
              <Pager {...pagination} onMove={setOffset} />
            </>
          )
        }
      </Show>
    </Card>
  )
}

type JsonRecord = Readonly<Record<string, unknown>> | null

/** Converts the items in an audit entry about a changed subscription to a field, e.g. `{ items: 'pro_monthly × 3' }`. */
function itemsIn(items: unknown): JsonRecord {
  if (!Array.isArray(items)) return null
  const texts = (items as { price_id: string | null; processor_price_id: string; quantity: number | null }[]).map(
    ({ price_id: id, processor_price_id: processorId, quantity }) =>
      `${id ?? processorId}${quantity === null ? '' : ` × ${quantity}`}`,
  )
  return { items: texts.join(' + ') }
}

function AuditChange({ before, after }: { readonly before: JsonRecord; readonly after: JsonRecord }) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].filter(
    (name) => shown(before?.[name]) !== shown(after?.[name]),
  )
  if (names.length === 0) return <span className="quiet">—</span>
  return (
    <ul className="plain-list small">
      {names.map((name) => (
        <li key={name}>
          {name.replaceAll('_', ' ')}: <Text>{shown(before?.[name])}</Text> → <Text>{shown(after?.[name])}</Text>
        </li>
      ))}
    </ul>
  )
}
