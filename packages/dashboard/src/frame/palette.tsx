// Dialog that finds a page, price, product, tenant or revision by a part of its name, and opens its page. Opened with ⌘K or Ctrl+K, or from
// the menu.
import { useEffect, useId, useLayoutEffect, useMemo, useState } from 'react'
import { useLocation } from 'wouter'
import { api } from '../api.ts'
import { useCatalog, type Catalog } from './catalog.ts'
import { useLoaded } from './live.ts'
import { menu } from './menu.ts'
import { openEvent } from './palette-keys.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Text } from '../ui/text.tsx'
import { priceName, productName } from '../words/names.ts'

const maxHits = 12

interface Hit {
  readonly path: string
  readonly name: string
  /** What the target is, e.g. `price`. */
  readonly kind: string
}

const keyOf = ({ kind, path }: Hit) => `${kind} ${path}`

export function Palette() {
  const [isOpen, setOpen] = useState(false)
  // A layout effect, so that the key works as soon as the page is visible.
  useLayoutEffect(() => {
    const open = () => setOpen(true)
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey) || event.altKey || event.shiftKey) return
      event.preventDefault()
      // A question in another dialog has to be answered first.
      if (document.querySelector('dialog[open]') === null) open()
    }
    addEventListener('keydown', onKey)
    addEventListener(openEvent, open)
    return () => {
      removeEventListener('keydown', onKey)
      removeEventListener(openEvent, open)
    }
  }, [])
  return isOpen ? <GoTo onClose={() => setOpen(false)} /> : null
}

const pageHits: readonly Hit[] = menu.flatMap(({ places }) => places.map((place) => ({ ...place, kind: 'page' })))

/** Returns the products and prices of the price list; none if there is no price list yet. */
const catalogHits = (catalog: Catalog | null): readonly Hit[] =>
  [...(catalog?.products.values() ?? [])].flatMap((product) => [
    {
      path: `/prices?q=${encodeURIComponent(product.id)}`,
      name: `${productName(product)} (${product.id})`,
      kind: 'product',
    },
    ...(product.prices ?? []).map((price) => ({
      path: `/prices/${encodeURIComponent(price.id)}`,
      name: `${priceName(price, product)} (${price.id})`,
      kind: 'price',
    })),
  ])

async function readTenantHits(q: string, signal: AbortSignal): Promise<readonly Hit[]> {
  if (q === '') return []
  const { tenants } = await api.tenants.list({ q, limit: 8, signal })
  return tenants.map(({ id, name }) => ({
    path: `/tenants/${encodeURIComponent(id)}`,
    name: name === id ? id : `${name} (${id})`,
    kind: 'tenant',
  }))
}

function useHits(text: string): readonly Hit[] {
  const q = text.trim()
  const catalog = useCatalog()
  const all = useMemo(() => catalogHits(catalog), [catalog])
  const tenants = useLoaded(`palette ${q}`, (signal) => readTenantHits(q, signal), { isLive: false })
  const wanted = q.toLowerCase()
  const fits = ({ name }: Hit) => name.toLowerCase().includes(wanted)
  const revision: Hit[] = /^\d{1,9}$/.test(q) ? [{ path: `/history/${q}`, name: `Revision ${q}`, kind: 'history' }] : []
  const known = q === '' ? [] : all.filter(fits)
  return [...revision, ...pageHits.filter(fits), ...known.slice(0, maxHits), ...(tenants.value ?? [])]
}

function GoTo({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState<string | null>(null)
  const [, go] = useLocation()
  const id = useId()
  const hits = useHits(text)
  // The chosen hit stays chosen when hits of a later response appear above it. Without a choice it is the first hit.
  const at = Math.max(
    Math.min(0, hits.length - 1),
    hits.findIndex((hit) => keyOf(hit) === chosen),
  )
  const move = (steps: number) => {
    const hit = hits[(at + steps + hits.length) % Math.max(1, hits.length)]
    setChosen(hit === undefined ? null : keyOf(hit))
  }
  const open = (hit: Hit | undefined) => {
    if (hit === undefined) return
    onClose()
    go(hit.path)
  }
  useEffect(() => {
    document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: 'nearest' })
  }, [id, at])
  return (
    <Dialog title="Go to" onClose={onClose} onSubmit={() => open(hits[at])}>
      <input
        className="input"
        role="combobox"
        aria-label="Page, price, product, tenant or revision"
        aria-expanded={hits.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={at < 0 ? undefined : `${id}-${at}`}
        aria-autocomplete="list"
        autoComplete="off"
        spellCheck={false}
        placeholder="Page, price, product, tenant or revision"
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setChosen(null)
        }}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
          event.preventDefault()
          move(event.key === 'ArrowDown' ? 1 : -1)
        }}
      />
      {hits.length === 0 ? (
        <p className="quiet" role="status">
          Nothing found.
        </p>
      ) : null}
      <ul id={`${id}-list`} role="listbox" aria-label="Places" className="hits" hidden={hits.length === 0}>
        {hits.map((hit, index) => (
          <li
            key={keyOf(hit)}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === at}
            onClick={() => open(hit)}
          >
            <Text>{hit.name}</Text> <span className="quiet small">{hit.kind}</span>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
