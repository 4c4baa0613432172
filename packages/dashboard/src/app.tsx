// Routes: selects the page for the address.
import { Component, useEffect, useRef, useState, type ComponentType, type ReactNode } from 'react'
import { Link, Redirect, Route, Router, Switch, useLocation } from 'wouter'
import { api } from './api.ts'
import { readAttention } from './attention.ts'
import { Frame } from './frame.tsx'
import { useIsConnected, useLoaded } from './live.ts'
import { base } from './menu.ts'
import { pages, type PageScript } from './pages.ts'
import { SessionContext } from './session.ts'
import { Loading, Page, Problem } from './ui/basic.tsx'
import { asError } from './words.ts'

export function App() {
  // Pages render before the key is loaded. Until then they offer no actions.
  const key = useLoaded('key', (signal) => api.admin.ownKey({ signal }))
  useEffect(readAttention, [])
  return (
    <Router base={base}>
      <SessionContext.Provider value={key.value ?? null}>
        <a className="skip" href="#content">
          Skip to the page
        </a>
        <Frame isConnected={useIsConnected()}>
          {key.error === null || key.value !== undefined ? (
            <Pages />
          ) : (
            <Problem error={key.error} onRetry={key.reload} />
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
          <Page title="There is no such page" lead="The address may be mistyped, or from another version.">
            <p>
              <Link href="/prices">Go to the price list</Link>
            </p>
          </Page>
        </Route>
      </Switch>
    </PageErrorBoundary>
  )
}

/** Renders a page at once if its script is loaded. `React.lazy` keeps its fallback on screen for about 300 ms. */
function Loaded({ script }: { readonly script: PageScript }) {
  const [Shown, setShown] = useState<ComponentType | null>(() => script.component)
  const [failure, setFailure] = useState<unknown>(null)
  useEffect(() => {
    let isHere = true
    script.load().then(
      (component) => isHere && setShown(() => component),
      (error: unknown) => isHere && setFailure(error),
    )
    return () => {
      isHere = false
    }
  }, [script])
  if (failure !== null) throw asError(failure)
  return Shown === null ? <Loading /> : <Shown />
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

  override render() {
    if (this.state.error === null) return this.props.children
    return <Problem error={asError(this.state.error)} onRetry={() => location.reload()} />
  }
}
