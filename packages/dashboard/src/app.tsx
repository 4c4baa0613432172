// Routes: selects the page for the address.
import { Component, useEffect, useMemo, useRef, useState, type ComponentType, type ReactNode } from 'react'
import { Link, Redirect, Route, Router, Switch, useLocation } from 'wouter'
import { api } from './api.ts'
import { readAttention } from './frame/attention.ts'
import { AccountContext } from './frame/account.ts'
import { CatalogContext, catalogOf } from './frame/catalog.ts'
import { Frame } from './frame/frame.tsx'
import { onChange, untilConnected, useLoaded, useOutage } from './frame/live.ts'
import { base } from './frame/menu.ts'
import { OutageContext } from './frame/outage.ts'
import { pages, type PageScript } from './frame/pages.ts'
import { Palette } from './frame/palette.tsx'
import { SessionContext } from './session.ts'
import { Loading, NotLoaded, Page, Problem } from './ui/basic.tsx'
import { asError } from './words/words.ts'

export function App() {
  // Pages render before the user's service key is loaded. Until then they offer no actions.
  const key = useLoaded('key', (signal) => api.admin.ownKey({ signal }))
  const account = useLoaded('account', (signal) => api.admin.account({ signal }))
  const served = useLoaded('catalog', (signal) => api.admin.config({ signal }))
  const catalog = useMemo(
    () =>
      served.value !== undefined
        ? catalogOf(served.value.config)
        : served.error?.code === 'config_not_found'
          ? null
          : undefined,
    [served.value, served.error],
  )
  useEffect(() => {
    readAttention()
    return onChange(readAttention)
  }, [])
  return (
    <Router base={base}>
      <SessionContext value={key.value ?? null}>
        <AccountContext value={account.value ?? null}>
          <OutageContext value={useOutage()}>
            <CatalogContext value={catalog}>
              <a className="skip" href="#content">
                Skip to the page
              </a>
              <Frame>
                {key.error === null || key.value !== undefined ? (
                  <Pages />
                ) : (
                  <NotLoaded error={key.error} onRetry={key.reload} />
                )}
              </Frame>
              <Palette />
            </CatalogContext>
          </OutageContext>
        </AccountContext>
      </SessionContext>
    </Router>
  )
}

function Pages() {
  const [path] = useLocation()
  useFocusOnMove(path)
  return (
    <PageErrorBoundary key={path}>
      <Switch>
        <Route path="/">
          <Redirect to="/overview" replace />
        </Route>
        {Object.entries(pages).map(([place, script]) => (
          <Route key={place} path={place}>
            <Loaded script={script} />
          </Route>
        ))}
        <Route>
          <Page
            title="There is no such page"
            lead="The address may be mistyped, or belong to another version of Ratecard."
          >
            <p>
              <Link href="/prices">Go to the price list</Link>
            </p>
          </Page>
        </Route>
      </Switch>
    </PageErrorBoundary>
  )
}

/** Renders a page at once if its script is loaded. `React.lazy` would show its fallback for about 300 ms. */
function Loaded({ script }: { readonly script: PageScript }) {
  const [Shown, setShown] = useState<ComponentType | null>(() => script.component)
  const [failure, setFailure] = useState<unknown>(null)
  useEffect(() => {
    let isHere = true
    script.load().then(
      (component) => {
        sessionStorage.removeItem(reloadedName)
        if (isHere) setShown(() => component)
      },
      (error: unknown) => isHere && setFailure(error),
    )
    return () => {
      isHere = false
    }
  }, [script])
  if (failure !== null) throw new ScriptFailure(asError(failure))
  return Shown === null ? <Loading /> : <Shown />
}

/** Error of a page whose script could not be loaded, e.g. because the service is being restarted. */
class ScriptFailure extends Error {
  readonly problem: ReturnType<typeof asError>

  constructor(problem: ReturnType<typeof asError>) {
    super(problem.message)
    this.problem = problem
  }
}

/** Path that was reloaded after a `ScriptFailure`, in `sessionStorage`. */
const reloadedName = 'ratecard.reloaded'

/**
 * Reloads the page as soon as the service responds. A reload is needed, because browsers cache a failed import, and an updated service has
 * scripts with other names. It happens only once per page; if the script still fails, the user decides.
 */
async function reloadOnceConnected(): Promise<void> {
  if (sessionStorage.getItem(reloadedName) === location.pathname) return
  await untilConnected()
  sessionStorage.setItem(reloadedName, location.pathname)
  location.reload()
}

/**
 * Moves the focus after a navigation, so that a screen reader announces the new page. The first page keeps the browser's focus.
 */
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

/** Shows the error of a page that fails to render, and keeps the rest of the dashboard usable. */
class PageErrorBoundary extends Component<{ readonly children: ReactNode }, { readonly error: unknown }> {
  override state: { readonly error: unknown } = { error: null }

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override componentDidCatch(error: unknown) {
    if (error instanceof ScriptFailure) void reloadOnceConnected()
  }

  override render() {
    const { error } = this.state
    if (error === null) return this.props.children
    if (error instanceof ScriptFailure)
      return <NotLoaded error={error.problem} what="This page" onRetry={() => location.reload()} />
    return <Problem error={asError(error)} onRetry={() => location.reload()} />
  }
}
