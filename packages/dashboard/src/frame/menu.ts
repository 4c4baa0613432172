// Entries of the menu and their paths.

/** Base path of the dashboard at the service. */
export const base = '/dashboard'

/** All pages of the menu, in its order. */
export const menu = [
  { group: 'Now', places: [{ path: '/overview', name: 'Overview' }] },
  {
    group: 'Catalog',
    places: [
      { path: '/prices', name: 'Price list' },
      { path: '/plan', name: 'Plan' },
      { path: '/history', name: 'History' },
      { path: '/drift', name: 'Drift' },
      { path: '/policies', name: 'Policies' },
    ],
  },
  {
    group: 'Customers',
    places: [
      { path: '/tenants', name: 'Tenants' },
      { path: '/coverage', name: 'Coverage' },
      { path: '/jobs', name: 'Jobs' },
    ],
  },
  {
    group: 'Service',
    places: [
      { path: '/workers', name: 'Workers' },
      { path: '/webhooks', name: 'Webhooks' },
      { path: '/keys', name: 'Keys' },
      { path: '/health', name: 'Health' },
    ],
  },
] as const satisfies readonly {
  readonly group: string
  readonly places: readonly { readonly path: string; readonly name: string }[]
}[]

export type MenuPath = (typeof menu)[number]['places'][number]['path']
