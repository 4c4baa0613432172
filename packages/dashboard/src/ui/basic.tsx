// Basic components shared by all pages.
import { Fragment, useEffect, useId, useLayoutEffect, useRef, useState, type ReactNode } from 'react'
import { Link } from 'wouter'
import type { By, RatecardError } from '@ratecard/client'
import type { LoadState } from '../frame/live.ts'
import { useAccount } from '../frame/account.ts'
import { isCausedBy, partName, useOutage } from '../frame/outage.ts'
import { pageWords } from '../words/page-words.ts'
import { Mentioned } from './named.tsx'
import { Text } from './text.tsx'
import { fromNow, localDay, localTime, money, utcTime } from '../words/words.ts'

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

/**
 * Renders a text of the service, e.g. a hint. A command in it becomes a link to the page that does the same, a time is in the viewer's time
 * zone, a price or product has its name, and other literals are `<code>`.
 */
export const Prose = ({ children }: { readonly children: string }) => (
  <bdi className="text">
    {pageWords(children).map((part, index) =>
      part.kind === 'page' ? (
        <Link key={index} href={part.path}>
          {part.text}
        </Link>
      ) : part.kind === 'code' ? (
        <code key={index}>{part.text}</code>
      ) : part.kind === 'time' ? (
        <Time key={index} at={part.text} />
      ) : part.kind === 'price' || part.kind === 'product' ? (
        <Mentioned key={index} kind={part.kind} id={part.text} />
      ) : (
        <Fragment key={index}>{part.text}</Fragment>
      ),
    )}
  </bdi>
)

export const Money = ({ amount, currency }: { readonly amount: number | string; readonly currency: string }) => (
  <span className="money">{money(amount, currency)}</span>
)

interface TimeProps {
  readonly at: string
  /** Up to 7 days away as e.g. `in 2 hours`. */
  readonly isRelative?: boolean
  /** Only the day, where the hour does not matter. */
  readonly isDay?: boolean
}

/** Renders a time in the viewer's time zone. The tooltip shows the time in UTC. */
export function Time({ at, isRelative = false, isDay = false }: TimeProps) {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return <Text>{at}</Text>
  const near = isRelative ? fromNow(date, Date.now()) : null
  return (
    <time dateTime={at} title={near === null ? utcTime(date) : `${localTime(date)} · ${utcTime(date)}`}>
      {near ?? (isDay ? localDay(date) : localTime(date))}
    </time>
  )
}

interface WhoProps {
  /** Name that the client sent. */
  readonly author: string | null
  /** Service key that authenticated the call. */
  readonly by: By | null
}

/** Like {@link Who} on one line, for lists: the key is in the tooltip if there is a name. */
export const ShortWho = ({ author, by }: WhoProps) =>
  author === null || by === null ? (
    <Who author={author} by={by} />
  ) : (
    <span title={`key “${by.keyName}”`}>
      <Text>{author}</Text>
    </span>
  )

/** Renders the author of a change and the key. */
export function Who({ author, by }: WhoProps) {
  if (author === null && by === null) return <span className="quiet">the service itself</span>
  return (
    <span>
      {author === null ? null : <Text>{author}</Text>}
      {by === null ? null : (
        <span className="quiet">
          {author === null ? 'key “' : ' · key “'}
          <Text>{by.keyName}</Text>”
        </span>
      )}
    </span>
  )
}

interface ProblemProps {
  readonly error: RatecardError
  /** Adds the places of the issues, e.g. in files. */
  readonly place?: (issues: RatecardError['errors']) => readonly ShownIssue[]
  readonly onRetry?: () => void
}

/** Renders an error: its message, its hint, and data for the operator of the service (e.g. the request id). */
export function Problem({ error, place = (issues) => issues, onRetry }: ProblemProps) {
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
      <IssueList issues={place(error.errors.filter(({ severity }) => severity === 'error'))} />
      {error.processor?.message === undefined ? null : (
        <p>
          Message from the processor: <Text>{error.processor.message}</Text>
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
          {issue.frame === undefined ? null : (
            <pre className="frame" tabIndex={0}>
              {issue.frame}
            </pre>
          )}
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

export const Loading = ({ what = 'This page' }: { readonly what?: string }) => (
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

interface NotLoadedProps {
  readonly error: RatecardError
  /** What could not be loaded, as the beginning of a sentence, e.g. `Invoices`. */
  readonly what?: string
  /** True if an earlier value is still shown. */
  readonly isOld?: boolean
  readonly onRetry: () => void
}

/** Renders why something could not be loaded. During an outage, which the frame of the page tells once, it only says that it waits. */
export function NotLoaded({ error, what = 'This', isOld = false, onRetry }: NotLoadedProps) {
  const outage = useOutage()
  const mode = useAccount()?.mode
  if (outage === null || !isCausedBy(outage, error)) return <Problem error={error} onRetry={onRetry} />
  if (isOld) return null
  const name = partName(outage.part, mode)
  return (
    <p className="quiet waiting" role="status">
      {what}: shown as soon as {name.startsWith('The ') ? name.replace('The', 'the') : name} answers.
    </p>
  )
}

/** Renders loaded data in its three states: loading, error, value. During a reload and after a failed reload, the previous value stays. */
export function Show<Value>({ of, what = 'This', children }: LoadedProps<Value>) {
  return (
    <>
      {of.error === null ? null : (
        <NotLoaded error={of.error} what={what} isOld={of.value !== undefined} onRetry={of.reload} />
      )}
      {of.value === undefined ? of.error === null ? <Loading what={what} /> : null : children(of.value)}
    </>
  )
}

/** Shows its parts when all of them are loaded, so that none moves another. Until then it shows the bars of a page that loads. */
export function Together({ children }: { readonly children: ReactNode }) {
  const [isReady, setReady] = useState(false)
  const place = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const element = place.current
    if (element === null || isReady) return undefined
    const look = () => {
      if (element.querySelector('.loading') === null) setReady(true)
    }
    look()
    const observer = new MutationObserver(look)
    observer.observe(element, { childList: true, subtree: true })
    return () => observer.disconnect()
  }, [isReady])
  return (
    <>
      {isReady ? null : <Loading />}
      <div ref={place} className="together" hidden={!isReady}>
        {children}
      </div>
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
