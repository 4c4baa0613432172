// The frame around every page: menu, signed-in key, connection state. The build also renders it into the HTML, so that it is visible
// before the script runs.
import { useEffect, useState, type ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { useAccount } from './account.ts'
import { useAttention } from './attention.ts'
import { menu, type MenuPath } from './menu.ts'
import { consequences, partName, useOutage } from './outage.ts'
import { SessionContext } from '../session.ts'
import { openPalette, paletteKeys } from './palette-keys.ts'
import { Badge, Time } from '../ui/basic.tsx'
import { Text } from '../ui/text.tsx'
import { WhichAccount } from '../ui/which-account.tsx'

export function Frame({ children }: { readonly children: ReactNode }) {
  const [isOpen, setOpen] = useState(false)
  const [path] = useLocation()
  useEffect(() => setOpen(false), [path])
  const mode = useAccount()?.mode
  return (
    <div className={mode === undefined ? 'frame-grid' : `frame-grid frame-${mode}`}>
      <header className="top">
        <Link href="/overview" className="brand">
          <span className="brand-mark" aria-hidden="true" />
          Ratecard
        </Link>
        <p className="top-account">
          <WhichAccount />
        </p>
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
        <p className="side-account">
          <WhichAccount />
        </p>
        <button type="button" className="button button-small button-wide go-to" onClick={openPalette}>
          Go to … <kbd aria-hidden="true">{paletteKeys()}</kbd>
        </button>
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
                    <Attention path={place.path} />
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        ))}
        <SignedIn />
      </nav>
      <main id="content" tabIndex={-1}>
        <OutageBanner />
        {children}
      </main>
    </div>
  )
}

/** Says once what does not answer, since when, and what that means. */
function OutageBanner() {
  const outage = useOutage()
  const mode = useAccount()?.mode
  if (outage === null) return null
  return (
    <div className="alert alert-problem" role="status">
      <p>
        <b>
          {partName(outage.part, mode)} has not answered since <Time at={new Date(outage.since).toISOString()} />.
        </b>{' '}
        {consequences[outage.part]}
      </p>
    </div>
  )
}

/** Renders the number beside a menu entry, e.g. the number of tenants that are past due beside "Tenants". */
function Attention({ path }: { readonly path: MenuPath }) {
  const number = useAttention(path)
  if (number === 0) return null
  return (
    <span className="attention">
      {number}
      <span className="visually-hidden"> need attention</span>
    </span>
  )
}

function SignedIn() {
  return (
    <SessionContext.Consumer>
      {(key) => (
        <div className="side-foot">
          {key === null ? null : (
            <p className="small">
              <span className="quiet">Key </span>“<Text>{key.name}</Text>”{' '}
              <Badge tone={key.scope === 'read' ? 'plain' : 'accent'}>{key.scope}</Badge>
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
