// History page: every revision with author, time and message. The user can compare two revisions and restore an earlier one.
import { useState } from 'react'
import { Link } from 'wouter'
import type { HistoryEntry } from '@ratecard/client'
import { api } from '../api.ts'
import { useLoaded } from '../live.ts'
import { Badge, Card, Empty, Page, Pager, Show, Table, Text, Time, Who } from '../ui/basic.tsx'
import { Changes, reportWords } from '../ui/changes.tsx'

const limit = 20

export function HistoryPage() {
  const [offset, setOffset] = useState(0)
  const history = useLoaded(`history ${offset}`, (signal) => api.admin.history({ limit, offset, signal }))
  return (
    <Page title="History" lead="Every accepted change of the price list, newest first.">
      <Show of={history} what="History">
        {({ versions, pagination }) =>
          versions.length === 0 ? (
            <Empty title="Nothing was applied yet">
              <p>The first push makes revision 1.</p>
            </Empty>
          ) : (
            <>
              <Card isFlush>
                <VersionTable versions={versions} />
              </Card>
              <Pager {...pagination} onMove={setOffset} />
              {pagination.total > 1 ? <Compare newest={pagination.total} /> : null}
            </>
          )
        }
      </Show>
    </Page>
  )
}

const VersionTable = ({ versions }: { readonly versions: readonly HistoryEntry[] }) => (
  <Table
    caption="Revisions"
    columns={['Revision', 'What', 'Why', 'Who', 'When']}
    rows={versions.map((entry) => ({
      key: String(entry.revision),
      cells: [
        <>
          <Link href={`/history/${entry.revision}`}>{entry.revision}</Link>{' '}
          <span className="quiet small">{entry.version}</span>{' '}
          {entry.kind === 'push' ? null : <Badge tone={entry.kind === 'reset' ? 'bad' : 'note'}>{entry.kind}</Badge>}
        </>,
        reportWords(entry.changes),
        entry.message === null ? '—' : <Text>{entry.message}</Text>,
        <Who author={entry.author} by={entry.by} />,
        <Time at={entry.createdAt} />,
      ],
    }))}
  />
)

function Compare({ newest }: { readonly newest: number }) {
  const [from, setFrom] = useState(Math.max(1, newest - 1))
  const [to, setTo] = useState(newest)
  const pick = (name: string, value: number, set: (value: number) => void) => (
    <label className="field">
      <span className="field-label">{name}</span>
      <select className="select" value={value} onChange={(event) => set(Number(event.target.value))}>
        {Array.from({ length: newest }, (_, index) => newest - index).map((revision) => (
          <option key={revision} value={revision}>
            Revision {revision}
          </option>
        ))}
      </select>
    </label>
  )
  const differences = useLoaded(`difference ${from} ${to}`, (signal) => api.admin.diff(from, to, { signal }), {
    isLive: false,
  })
  return (
    <Card title="Compare two">
      <div className="stack">
        <div className="row">
          {pick('From', from, setFrom)}
          {pick('To', to, setTo)}
        </div>
        <Show of={differences} what="The difference">
          {(list) =>
            list.length === 0 ? (
              <p className="quiet">The two revisions are identical.</p>
            ) : (
              <Changes changes={list.map(({ change, ...one }) => ({ ...one, action: change }))} />
            )
          }
        </Show>
      </div>
    </Card>
  )
}
