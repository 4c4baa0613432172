// Which page is shown. Each has its own address.
import { Component, useEffect, useRef, useState } from 'react'
import type { ComponentType, ReactNode } from 'react'
import { Link, Redirect, Route, Router, Switch, useLocation } from 'wouter'
import { Frame } from './frame.tsx'
import { useAnswered, useIsConnected } from './live.ts'
import { base } from './menu.ts'
import { pages } from './pages.ts'
import type { PageScript } from './pages.ts'
import { ownKey, SessionContext } from './session.ts'
import { Loading, Page, Problem } from './ui/basic.tsx'
import { asError } from './words.ts'

export function App() {
  // Pages do not wait for it: until it is known they offer no act.
  const key = useAnswered(ownKey)
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
          <Redirect to="/prices" replace />
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

/** At once where the script is there. `lazy` would hold a page back for a third of a second after it showed that it loads. */
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

/** A page that fails says so and leaves the others alone. */
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
