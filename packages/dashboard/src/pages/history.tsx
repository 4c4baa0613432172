// History page: every revision with author, time and message. The user can compare two revisions and restore an earlier one.
import { useState } from 'react'
import { Link } from 'wouter'
import type { HistoryEntry } from '@ratecard/client'
import { api } from '../api.ts'
import { useLoaded } from '../frame/live.ts'
import { Badge, Card, Empty, Page, Pager, Show, ShortWho, Time } from '../ui/basic.tsx'
import { Text } from '../ui/text.tsx'
import { Table } from '../ui/table.tsx'
import { Headline } from '../ui/plan/headline.tsx'
import { Differences } from '../ui/plan/revision-changes.tsx'

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
              <p>
                The first <Link href="/plan">push</Link> makes revision 1.
              </p>
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

function VersionTable({ versions }: { readonly versions: readonly HistoryEntry[] }) {
  const [open, setOpen] = useState<readonly number[]>([])
  const toggle = (revision: number) =>
    setOpen(open.includes(revision) ? open.filter((one) => one !== revision) : [...open, revision])
  return (
    <Table
      caption="Revisions"
      columns={['Revision', { name: 'What', isLong: true }, 'Why', { name: 'Who', isExtra: true }, 'When']}
      rows={versions.map((entry) => ({
        key: String(entry.revision),
        cells: [
          <>
            <Link href={`/history/${entry.revision}`}>{entry.revision}</Link>{' '}
            <span className="quiet small">{entry.version}</span>{' '}
            {entry.kind === 'push' ? null : <Badge tone={entry.kind === 'reset' ? 'bad' : 'note'}>{entry.kind}</Badge>}
          </>,
          <What entry={entry} isOpen={open.includes(entry.revision)} onToggle={() => toggle(entry.revision)} />,
          entry.message === null ? '—' : <Text>{entry.message}</Text>,
          <ShortWho author={entry.author} by={entry.by} />,
          <Time at={entry.createdAt} isDay />,
        ],
        ...(open.includes(entry.revision)
          ? { below: <Differences from={entry.revision - 1} to={entry.revision} /> }
          : {}),
      }))}
    />
  )
}

interface WhatProps {
  readonly entry: HistoryEntry
  readonly isOpen: boolean
  readonly onToggle: () => void
}

/** Renders a summary. A click on it shows the changes with their amounts under the row. */
function What({ entry, isOpen, onToggle }: WhatProps) {
  const words = <Headline of={entry} />
  if (entry.revision <= 1) return words
  return (
    <button type="button" className="disclose" aria-expanded={isOpen} onClick={onToggle}>
      {words}
    </button>
  )
}

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
  return (
    <Card title="Compare two revisions">
      <div className="stack">
        <div className="row">
          {pick('From', from, setFrom)}
          {pick('To', to, setTo)}
        </div>
        <Differences key={`${from} ${to}`} from={from} to={to} />
      </div>
    </Card>
  )
}
