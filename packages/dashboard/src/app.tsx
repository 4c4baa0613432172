// The frame around every page: where one can go, who is signed in, whether the service answers. Each page has its own address
// and its own script, which is loaded when somebody goes there.
import { Component, lazy, Suspense, useEffect, useRef, useState } from 'react'
import type { ComponentType, ReactNode } from 'react'
import { Link, Redirect, Route, Router, Switch, useLocation } from 'wouter'
import { api } from './api.ts'
import { useIsConnected, useLoaded } from './live.ts'
import { SessionContext } from './session.ts'
import { Badge, Loading, Page, Problem, Text } from './ui/basic.tsx'
import { asError } from './words.ts'

interface Place {
  readonly path: string
  readonly name: string
  readonly page: ComponentType
}

const pageOf = <Name extends string>(load: () => Promise<Record<Name, ComponentType>>, name: Name) =>
  lazy(async () => ({ default: (await load())[name] }))

/** Every page in the order of the menu. What a person may do there is the page's own matter. */
const menu: readonly { readonly group: string; readonly places: readonly Place[] }[] = [
  {
    group: 'Catalog',
    places: [
      { path: '/prices', name: 'Price list', page: pageOf(() => import('./pages/prices.tsx'), 'Prices') },
      { path: '/plan', name: 'Plan', page: pageOf(() => import('./pages/plan.tsx'), 'Plan') },
      { path: '/history', name: 'History', page: pageOf(() => import('./pages/history.tsx'), 'HistoryPage') },
      { path: '/drift', name: 'Drift', page: pageOf(() => import('./pages/drift.tsx'), 'Drift') },
    ],
  },
  {
    group: 'Customers',
    places: [
      { path: '/tenants', name: 'Tenants', page: pageOf(() => import('./pages/tenants.tsx'), 'Tenants') },
      { path: '/coverage', name: 'Coverage', page: pageOf(() => import('./pages/coverage.tsx'), 'CoveragePage') },
      { path: '/jobs', name: 'Jobs', page: pageOf(() => import('./pages/jobs.tsx'), 'Jobs') },
    ],
  },
  {
    group: 'Service',
    places: [
      { path: '/workers', name: 'Workers', page: pageOf(() => import('./pages/workers.tsx'), 'Workers') },
      { path: '/webhooks', name: 'Webhooks', page: pageOf(() => import('./pages/webhooks.tsx'), 'Webhooks') },
      { path: '/keys', name: 'Keys', page: pageOf(() => import('./pages/keys.tsx'), 'Keys') },
      { path: '/health', name: 'Health', page: pageOf(() => import('./pages/health.tsx'), 'Health') },
    ],
  },
]

/** Pages of one thing, which no menu shows. */
const details: readonly Pick<Place, 'path' | 'page'>[] = [
  { path: '/plan/:push', page: pageOf(() => import('./pages/push.tsx'), 'Push') },
  { path: '/history/:revision', page: pageOf(() => import('./pages/revision.tsx'), 'RevisionPage') },
  { path: '/tenants/:tenant', page: pageOf(() => import('./pages/tenant.tsx'), 'TenantPage') },
  { path: '/jobs/:job', page: pageOf(() => import('./pages/job.tsx'), 'JobPage') },
  { path: '/workers/:worker', page: pageOf(() => import('./pages/worker.tsx'), 'WorkerPage') },
]

const places = menu.flatMap((group) => group.places)

export function App() {
  const key = useLoaded('key', (signal) => api.admin.ownKey({ signal }))
  return (
    <Router base="/dashboard">
      <SessionContext.Provider value={key.value ?? null}>
        <a className="skip" href="#content">
          Skip to the page
        </a>
        <Frame>
          {key.value === undefined ? (
            key.error === null ? (
              <Loading />
            ) : (
              <Problem error={key.error} onRetry={key.reload} />
            )
          ) : (
            <Pages />
          )}
        </Frame>
      </SessionContext.Provider>
    </Router>
  )
}

function Pages() {
  const [path] = useLocation()
  useFocusOnMove(path)
  return (
    <Failing key={path}>
      <Suspense fallback={<Loading />}>
        <Switch>
          <Route path="/">
            <Redirect to="/prices" replace />
          </Route>
          {[...places, ...details].map(({ path: place, page }) => (
            <Route key={place} path={place} component={page} />
          ))}
          <Route>
            <Page title="There is no such page" lead="The address may be mistyped, or from another version.">
              <p>
                <Link href="/prices">Go to the price list</Link>
              </p>
            </Page>
          </Route>
        </Switch>
      </Suspense>
    </Failing>
  )
}

/** Who reads the page aloud hears where they are; the first page is left as the browser has it. */
function useFocusOnMove(path: string) {
  const first = useRef(path)
  useEffect(() => {
    if (first.current === path) return
    first.current = ''
    window.scrollTo(0, 0)
    const frame = requestAnimationFrame(() => document.querySelector<HTMLElement>('main h1')?.focus())
    return () => cancelAnimationFrame(frame)
  }, [path])
}

function Frame({ children }: { readonly children: ReactNode }) {
  const [isOpen, setOpen] = useState(false)
  const [path] = useLocation()
  const isConnected = useIsConnected()
  useEffect(() => setOpen(false), [path])
  return (
    <div className="frame-grid">
      <header className="top">
        <Link href="/prices" className="brand">
          <span className="brand-mark" aria-hidden="true" />
          Ratecard
        </Link>
        <button
          type="button"
          className="button button-small menu-button"
          aria-expanded={isOpen}
          aria-controls="menu"
          onClick={() => setOpen(!isOpen)}
        >
          Menu
        </button>
      </header>
      <nav id="menu" className={isOpen ? 'side side-open' : 'side'} aria-label="Pages">
        {menu.map(({ group, places: shown }) => (
          <div key={group} className="side-group">
            <p className="side-name">{group}</p>
            <ul>
              {shown.map((place) => (
                <li key={place.path}>
                  <Link
                    href={place.path}
                    className="side-link"
                    aria-current={path === place.path || path.startsWith(`${place.path}/`) ? 'page' : undefined}
                  >
                    {place.name}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        ))}
        <SignedIn />
      </nav>
      <main id="content" tabIndex={-1}>
        {isConnected ? null : (
          <div className="alert alert-warning" role="status">
            <p>The service does not answer. What is shown may be out of date; this page goes on trying.</p>
          </div>
        )}
        {children}
      </main>
    </div>
  )
}

function SignedIn() {
  return (
    <SessionContext.Consumer>
      {(key) => (
        <div className="side-foot">
          {key === null ? null : (
            <p className="small">
              <span className="quiet">Signed in with </span>
              <Text>{key.name}</Text> <Badge tone={key.scope === 'write' ? 'accent' : 'plain'}>{key.scope}</Badge>
            </p>
          )}
          <form method="post" action="/dashboard/sign-out">
            <button type="submit" className="button button-small button-wide">
              Sign out
            </button>
          </form>
        </div>
      )}
    </SessionContext.Consumer>
  )
}

/** A page that fails says so and leaves the others alone. */
class Failing extends Component<{ readonly children: ReactNode }, { readonly error: unknown }> {
  override state: { readonly error: unknown } = { error: null }

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override render() {
    if (this.state.error === null) return this.props.children
    return <Problem error={asError(this.state.error)} onRetry={() => location.reload()} />
  }
}
