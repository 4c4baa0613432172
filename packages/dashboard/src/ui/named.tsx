// A product, price or tenant as people know it: the name first, the id small beside it (in a table: below it).
import { Link } from 'wouter'
import { useCatalog, type Catalog } from '../frame/catalog.ts'
import { priceName, productName } from '../words/names.ts'
import { Id, Text } from './text.tsx'

interface NamedProps {
  readonly id: string
  /** Null if it is not known. Then the id stands for it. */
  readonly name: string | null
  /** Page of the thing. Without it, e.g. in a dialog, the name is no link. */
  readonly href?: string | undefined
}

export function Named({ id, name, href }: NamedProps) {
  const shown = name === null ? <Id>{id}</Id> : <Text>{name}</Text>
  return (
    <span className="named">
      {href === undefined ? shown : <Link href={href}>{shown}</Link>}
      {name === null || name === id ? null : (
        <>
          {' '}
          <span className="named-id">
            <Id>{id}</Id>
          </span>
        </>
      )}
    </span>
  )
}

/** Returns the name of a price; null for one that is not in the price list, e.g. of another revision. */
export function nameOfPrice(catalog: Catalog | null, id: string): string | null {
  const found = catalog?.prices.get(id)
  return found === undefined ? null : priceName(found.price, found.product)
}

/** Returns the name of a product; null for one that is not in the price list. */
export function nameOfProduct(catalog: Catalog | null, id: string): string | null {
  const found = catalog?.products.get(id)
  return found === undefined ? null : productName(found)
}

/** Returns the name of an object of the document: null for one of a kind without names, or that is not in the price list. */
export function nameOf(catalog: Catalog | null, kind: string, id: string): string | null {
  return kind === 'price' ? nameOfPrice(catalog, id) : kind === 'product' ? nameOfProduct(catalog, id) : null
}

interface OwnProps {
  readonly id: string
  /** False in dialogs, which a link would leave. */
  readonly isLink?: boolean
}

export const NamedPrice = ({ id, isLink = true }: OwnProps) => (
  <Named id={id} name={nameOfPrice(useCatalog(), id)} href={isLink ? `/prices/${encodeURIComponent(id)}` : undefined} />
)

export const NamedProduct = ({ id, isLink = true }: OwnProps) => (
  <Named
    id={id}
    name={nameOfProduct(useCatalog(), id)}
    href={isLink ? `/prices?q=${encodeURIComponent(id)}` : undefined}
  />
)

interface MentionedProps {
  readonly kind: 'price' | 'product'
  readonly id: string
}

/** A price or product in a sentence of the service. One that is not in the price list stays as it was written, e.g. `"pro_2024"`. */
export function Mentioned({ kind, id }: MentionedProps) {
  const name = nameOf(useCatalog(), kind, id)
  return name === null ? `"${id}"` : <Named id={id} name={name} />
}

export const NamedTenant = ({ id, name, isLink = true }: OwnProps & { readonly name: string | null }) => (
  <Named id={id} name={name} href={isLink ? `/tenants/${encodeURIComponent(id)}` : undefined} />
)
