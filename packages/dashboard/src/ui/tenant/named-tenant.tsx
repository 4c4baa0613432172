import { Link } from 'wouter'
import { Id, Text } from '../basic.tsx'

/** Renders a tenant's name as a link to its page, and below it its id, unless that is the same. */
export const NamedTenant = ({ id, name }: { readonly id: string; readonly name: string | null }) => (
  <>
    <Link href={`/tenants/${encodeURIComponent(id)}`}>
      <Text>{name ?? id}</Text>
    </Link>{' '}
    {name === null || name === id ? null : (
      <span className="quiet small block">
        <Id>{id}</Id>
      </span>
    )}
  </>
)
