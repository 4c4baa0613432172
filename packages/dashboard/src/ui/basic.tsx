// Basic components shared by all pages.
import { useEffect, useId, useState, type ReactNode } from 'react'
import type { By, RatecardError } from '@ratecard/client'
import type { LoadState } from '../live.ts'
import { fromNow, localTime, money, utcTime } from '../words.ts'

interface PageProps {
  readonly title: ReactNode
  /** One sentence that states the purpose of the page. */
  readonly lead?: ReactNode
  readonly actions?: ReactNode
  /** Title of the browser tab. Needed if `title` is not plain text. */
  readonly name?: string
  readonly children: ReactNode
}

export function Page({ title, lead, actions, name, children }: PageProps) {
  const tab = name ?? (typeof title === 'string' ? title : 'Dashboard')
  useEffect(() => {
    document.title = `${tab} · Ratecard`
  }, [tab])
  return (
    <div className="page">
      <header className="page-head">
        <div className="page-words">
          <h1 tabIndex={-1}>{title}</h1>
          {lead === undefined ? null : <p className="quiet">{lead}</p>}
        </div>
        {actions === undefined ? null : <div className="actions">{actions}</div>}
      </header>
      {children}
    </div>
  )
}

type Tone = 'plain' | 'good' | 'warn' | 'bad' | 'note' | 'accent'

export const Badge = ({ tone = 'plain', children }: { readonly tone?: Tone; readonly children: ReactNode }) => (
  <span className={`badge badge-${tone}`}>{children}</span>
)

/** Renders user-supplied text (id, name, message). `<bdi>` keeps right-to-left text from reordering the text around it. */
export const Text = ({ children, mono = false }: { readonly children: string; readonly mono?: boolean }) => (
  <bdi className={mono ? 'mono text' : 'text'}>{children}</bdi>
)

/** Renders a text of the service, e.g. a hint. Parts between backticks, e.g. a command, become `<code>`. */
export function Prose({ children }: { readonly children: string }) {
  const parts = children.split('`')
  if (parts.length % 2 === 0) return <Text>{children}</Text>
  return (
    <bdi className="text">{parts.map((part, index) => (index % 2 === 0 ? part : <code key={index}>{part}</code>))}</bdi>
  )
}

export const Id = ({ children }: { readonly children: string }) => <Text mono>{children}</Text>

export const Money = ({ amount, currency }: { readonly amount: number | string; readonly currency: string }) => (
  <span className="money">{money(amount, currency)}</span>
)

/** Renders a time in the viewer's time zone. The tooltip shows the time in UTC. */
export function Time({ at, isRelative = false }: { readonly at: string; readonly isRelative?: boolean }) {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return <Text>{at}</Text>
  const near = isRelative ? fromNow(date, Date.now()) : null
  return (
    <time dateTime={at} title={near === null ? utcTime(date) : `${localTime(date)} · ${utcTime(date)}`}>
      {near ?? localTime(date)}
    </time>
  )
}

/** Renders the author of a change: the name that the client sent, and the service key that authenticated the call. */
export function Who({ author, by }: { readonly author: string | null; readonly by: By | null }) {
  if (author === null && by === null) return <span className="quiet">the service itself</span>
  return (
    <span>
      {author === null ? null : <Text>{author}</Text>}
      {by === null ? null : (
        <span className="quiet">
          {author === null ? 'key ' : ' · key '}
          <Text>{by.keyName}</Text>
        </span>
      )}
    </span>
  )
}

/** Renders an error: its message, its hint, and the data that an operator of the service needs (e.g. the request id). */
export function Problem({ error, onRetry }: { readonly error: RatecardError; readonly onRetry?: () => void }) {
  return (
    <div className="alert alert-problem" role="alert">
      <p>
        <b>
          <Prose>{error.message}</Prose>
        </b>
      </p>
      {error.hint === undefined ? null : (
        <p>
          <Prose>{error.hint}</Prose>
        </p>
      )}
      <IssueList issues={error.errors} />
      {error.processor?.message === undefined ? null : (
        <p>
          The processor said: <Text>{error.processor.message}</Text>
        </p>
      )}
      <p className="small">
        <a href={`/docs/errors#${encodeURIComponent(error.code)}`} target="_blank" rel="noreferrer">
          <code>{error.code}</code>
        </a>
        {error.requestId === null ? null : (
          <>
            {' '}
            · request <code>{error.requestId}</code>
          </>
        )}
      </p>
      {onRetry === undefined ? null : (
        <p>
          <button type="button" className="button button-small" onClick={onRetry}>
            Try again
          </button>
        </p>
      )}
    </div>
  )
}

interface ShownIssue {
  readonly detail: string
  readonly hint?: string | undefined
  readonly pointer: string
  readonly place?: string | undefined
  readonly frame?: string | undefined
}

export function IssueList({ issues }: { readonly issues: readonly ShownIssue[] }) {
  if (issues.length === 0) return null
  return (
    <ul className="issues">
      {issues.map((issue, index) => (
        <li key={index}>
          <code className="small">{issue.place ?? issue.pointer}</code>
          <p>
            <Prose>{issue.detail}</Prose> {issue.hint === undefined ? null : <Prose>{issue.hint}</Prose>}
          </p>
          {issue.frame === undefined ? null : <pre className="frame">{issue.frame}</pre>}
        </li>
      ))}
    </ul>
  )
}

export const Empty = ({ title, children }: { readonly title: string; readonly children?: ReactNode }) => (
  <div className="empty">
    <h2>{title}</h2>
    {children === undefined ? null : <div className="quiet">{children}</div>}
  </div>
)

export const Loading = ({ what = 'Loading' }: { readonly what?: string }) => (
  <div className="loading" role="status">
    <span className="visually-hidden">{what} …</span>
    <span className="bar" aria-hidden="true" />
    <span className="bar" aria-hidden="true" />
    <span className="bar" aria-hidden="true" />
  </div>
)

interface LoadedProps<Value> {
  readonly of: LoadState<Value>
  readonly what?: string
  readonly children: (value: Value) => ReactNode
}

/** Renders loaded data in its three states: loading, error, value. During a reload and after a failed reload, the previous value stays. */
export function Show<Value>({ of, what = 'Loading', children }: LoadedProps<Value>) {
  return (
    <>
      {of.error === null ? null : <Problem error={of.error} onRetry={of.reload} />}
      {of.value === undefined ? of.error === null ? <Loading what={what} /> : null : children(of.value)}
    </>
  )
}

interface CardProps {
  readonly title?: ReactNode
  readonly aside?: ReactNode
  readonly children: ReactNode
  readonly isFlush?: boolean
}

export function Card({ title, aside, children, isFlush = false }: CardProps) {
  const id = useId()
  return (
    <section className={`card${isFlush ? ' card-flush' : ''}`} aria-labelledby={title === undefined ? undefined : id}>
      {title === undefined ? null : (
        <div className="card-head">
          <h2 id={id}>{title}</h2>
          {aside === undefined ? null : <div className="actions">{aside}</div>}
        </div>
      )}
      {children}
    </section>
  )
}

/** Table that turns into a list of cards on narrow screens. Each cell has the name of its column, which the cards show. */
export function Table({
  caption,
  columns,
  rows,
}: {
  readonly caption: string
  readonly columns: readonly (string | { readonly name: string; readonly isNumber: boolean })[]
  readonly rows: readonly { readonly key: string; readonly cells: readonly ReactNode[] }[]
}) {
  const heads = columns.map((column) => (typeof column === 'string' ? { name: column, isNumber: false } : column))
  return (
    <div className="table-wrap">
      <table className="table">
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {heads.map(({ name, isNumber }, index) => (
              <th key={index} scope="col" className={isNumber ? 'number' : undefined}>
                {name === '' ? <span className="visually-hidden">Actions</span> : name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells }) => (
            <tr key={key}>
              {cells.map((cell, index) => (
                <td
                  key={index}
                  data-name={heads[index]?.name}
                  className={heads[index]?.isNumber ? 'number' : undefined}
                >
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

export function Facts({ rows }: { readonly rows: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="facts">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

export function Copy({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const [done, setDone] = useState(false)
  return (
    <button
      type="button"
      className="button button-small"
      onClick={() => {
        void navigator.clipboard.writeText(text).then(() => {
          setDone(true)
          setTimeout(() => setDone(false), 2000)
        })
      }}
    >
      <span aria-live="polite">{done ? 'Copied' : label}</span>
    </button>
  )
}

export function Pager({
  offset,
  limit,
  total,
  onMove,
}: {
  readonly offset: number
  readonly limit: number
  readonly total: number
  readonly onMove: (offset: number) => void
}) {
  if (total <= limit) return null
  return (
    <nav className="pager" aria-label="Pages of this list">
      <button
        type="button"
        className="button button-small"
        disabled={offset === 0}
        onClick={() => onMove(Math.max(0, offset - limit))}
      >
        Previous
      </button>
      <span className="quiet small">
        {offset + 1}–{Math.min(offset + limit, total)} of {total}
      </span>
      <button
        type="button"
        className="button button-small"
        disabled={offset + limit >= total}
        onClick={() => onMove(offset + limit)}
      >
        Next
      </button>
    </nav>
  )
}
