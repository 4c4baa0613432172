// Who may import whom. Moving a wall needs a page in docs/decisions/. A room may always import itself, clock.ts,
// guarded.ts, event-loop.ts (unless it is pure) and npm packages that are not walled below. Files of src/ itself (clock.ts, settings.ts) are
// rooms of one file.
const src = 'packages/ratecard/src'
const sandbox = 'packages/sandbox/src'

const rooms = {
  errors: [],
  wording: [],
  money: ['errors'],
  config: ['errors', 'money'],
  pricing: ['errors', 'money', 'config'],
  catalog: ['errors', 'money', 'config', 'pricing'],
  policies: ['errors', 'money', 'config', 'pricing', 'catalog'],
  processor: ['errors', 'money', 'config', 'catalog'],
  api: ['errors', 'config', 'catalog', 'store/records'],
  store: ['errors', 'money', 'config', 'catalog', 'processor'],
  journal: ['errors', 'processor', 'store'],
  'guard-rails': ['errors', 'policies', 'store', 'service'],
  sync: [
    ...['errors', 'money', 'config', 'pricing', 'catalog', 'processor', 'api', 'store', 'journal', 'mirror'],
    ...['policies', 'guard-rails'],
    'service',
  ],
  lookup: ['errors', 'config', 'catalog', 'pricing', 'store', 'api', 'service'],
  auth: ['errors', 'api', 'store', 'service'],
  'request-idempotency.ts': ['errors', 'store', 'service'],
  tenants: ['errors', 'config', 'catalog', 'processor', 'api', 'store', 'journal', 'service'],
  jobs: ['errors', 'catalog', 'processor', 'store', 'journal', 'tenants', 'service'],
  'item-swaps': [
    'api',
    'guard-rails',
    'jobs',
    'errors',
    'money',
    'config',
    'pricing',
    'catalog',
    'processor',
    'store',
    'journal',
    'tenants',
    'service',
  ],
  subscriptions: [
    ...[
      'errors',
      'money',
      'config',
      'pricing',
      'catalog',
      'processor',
      'store',
      'journal',
      'jobs',
      'item-swaps',
      'tenants',
    ],
    'mirror',
    'service',
  ],
  'price-migrations': [
    ...['policies', 'guard-rails'],
    ...[
      'errors',
      'money',
      'config',
      'pricing',
      'catalog',
      'processor',
      'store',
      'journal',
      'jobs',
      'item-swaps',
      'tenants',
    ],
    'service',
  ],
  enterprise: [
    ...['policies', 'guard-rails'],
    ...[
      'errors',
      'money',
      'config',
      'pricing',
      'catalog',
      'processor',
      'store',
      'journal',
      'jobs',
      'item-swaps',
      'tenants',
    ],
    'service',
  ],
  discounts: [
    ...['errors', 'money', 'config', 'catalog', 'processor', 'store', 'journal', 'item-swaps', 'tenants', 'service'],
  ],
  credits: [
    ...['errors', 'money', 'config', 'catalog', 'processor', 'store', 'journal', 'item-swaps', 'mirror', 'tenants'],
    ...['jobs', 'subscriptions', 'service'],
  ],
  checkout: [
    ...['errors', 'config', 'pricing', 'catalog', 'enterprise', 'jobs', 'item-swaps', 'tenants', 'processor', 'store'],
    ...['api', 'service'],
  ],
  'subscription-changes': [
    ...['errors', 'money', 'config', 'pricing', 'catalog', 'processor', 'api', 'store', 'journal', 'item-swaps'],
    ...['tenants', 'checkout', 'service'],
  ],
  'workers/cron': ['errors'],
  'workers/project': ['errors', 'workers/cron'],
  'workers/cloudflare': ['errors', 'workers/cron', 'workers/project'],
  'workers/runtime': ['errors', 'store', 'workers/cron', 'workers/project', 'service'],
  mirror: [
    ...['errors', 'money', 'config', 'pricing', 'catalog', 'processor', 'api', 'store', 'journal', 'tenants'],
    ...['item-swaps'],
    'service',
  ],
  service: ['errors', 'config', 'catalog', 'api', 'store'],
  health: ['errors', 'money', 'catalog', 'processor', 'store', 'journal', 'jobs', 'item-swaps', 'mirror', 'service'],
  'dashboard-backend': ['errors', 'store', 'service'],
  http: ['errors', 'config', 'api', 'service', 'dashboard-backend'],
  cli: [
    ...['errors', 'money', 'config', 'api', 'pricing', 'catalog', 'policies', 'workers/cron', 'workers/project'],
    ...['workers/cloudflare', 'wording'],
    ...['settings.ts', 'composition/main.ts', 'composition/escaped.ts', 'composition/maintenance.ts'],
    'composition/local-worker.ts',
  ],
}

/** Processes begin and end here, and everything is put together: it may know every room but the command line. */
rooms.composition = [...Object.keys(rooms).filter((room) => room !== 'cli'), 'settings.ts']

/** Same input, same answer: no files, sockets, processes, timers. */
const pureRooms = [
  'errors',
  'wording',
  'money',
  'config',
  'api',
  'pricing',
  'catalog',
  'policies',
  'store/records',
  'workers/cron',
]
const pureNodeModules = ['crypto', 'util', 'buffer', 'path', 'url']

/** Adapters, named only where everything is put together. */
const adapters = ['processor/stripe', 'store/sql', 'workers/runtime/workerd']
const composition = ['composition']

/** npm packages that stay in one place. */
const walledPackages = [
  { name: 'the Stripe SDK', packages: ['stripe'], within: ['processor/stripe'] },
  { name: 'fastify', packages: ['fastify', '@fastify/[^/]+'], within: ['http', 'composition/main.ts'] },
  { name: 'kysely and pg', packages: ['kysely', 'pg', '@types/pg'], within: ['store/sql'] },
  { name: 'better-sqlite3', packages: ['better-sqlite3', '@types/better-sqlite3'], within: ['store/sql'] },
  { name: 'the command line’s packages', packages: ['commander', '@clack/[^/]+', 'picocolors'], within: ['cli'] },
]

const escape = (text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
const place = (name) => (name.endsWith('.ts') ? `${src}/${escape(name)}$` : `${src}/${escape(name)}/`)
const anyOf = (names) => `^(${names.map(place).join('|')})`
const npm = (names) => `(^|/)node_modules/(${names.join('|')})/`

const roomRules = Object.entries(rooms).map(([room, named]) => {
  const allowed = [room, ...named, 'clock.ts', 'guarded.ts', ...(pureRooms.includes(room) ? [] : ['event-loop.ts'])]
  return {
    name: `room-${room}`,
    comment: `${room} may import: ${allowed.join(', ')}`,
    severity: 'error',
    from: { path: anyOf([room]) },
    to: { path: `^${src}/`, pathNot: anyOf(allowed) },
  }
})

const packageRules = walledPackages.map(({ name, packages, within }) => ({
  name: `package-${packages[0]}`,
  comment: `${name} is imported only within ${within.join(', ')}`,
  severity: 'error',
  from: { path: `^${src}/`, pathNot: anyOf(within) },
  to: { path: npm(packages) },
}))

module.exports = {
  forbidden: [
    ...roomRules,
    ...packageRules,
    {
      name: 'room-unknown',
      comment: 'Every folder of src is a room with a row in the table above',
      severity: 'error',
      from: { path: `^${src}/[^/]+/`, pathNot: anyOf(Object.keys(rooms)) },
      to: {},
    },
    {
      name: 'port-types-only',
      comment: 'service and settings.ts say what there is; they use nothing that acts',
      severity: 'error',
      from: { path: anyOf(['service', 'settings.ts', 'clock.ts', 'guarded.ts', 'event-loop.ts']) },
      to: {
        path: anyOf([
          'sync',
          'lookup',
          'auth',
          'tenants',
          'subscriptions',
          'price-migrations',
          'jobs',
          'item-swaps',
          'enterprise',
          'checkout',
          'subscription-changes',
          'http',
          'cli',
          'composition',
        ]),
      },
    },
    {
      name: 'adapters-behind-ports',
      comment: `Adapters are named only in ${composition.join(' and ')}`,
      severity: 'error',
      from: { path: '^packages/', pathNot: anyOf([...adapters, ...composition]) },
      to: { path: anyOf(adapters) },
    },
    {
      name: 'adapters-do-not-decide',
      severity: 'error',
      from: { path: anyOf(['processor/stripe', 'store/sql']) },
      to: { path: anyOf(['http', 'sync', 'lookup', 'auth']) },
    },
    {
      name: 'sandbox-shares-nothing',
      comment:
        'The sandbox is the other side of the wire: it knows neither the product nor the SDK, and needs SQLite alone',
      severity: 'error',
      from: { path: `^${sandbox}/` },
      to: { pathNot: [`^${sandbox}/`, npm(['better-sqlite3', '@types/better-sqlite3'])], dependencyTypesNot: ['core'] },
    },
    {
      name: 'sandbox-sqlite-in-its-store',
      severity: 'error',
      from: { path: `^${sandbox}/`, pathNot: `^${sandbox}/store/` },
      to: { path: npm(['better-sqlite3', '@types/better-sqlite3']) },
    },
    {
      name: 'sandbox-only-in-main',
      comment: 'The product starts the sandbox by its public name, in one place',
      severity: 'error',
      from: { path: `^${src}/`, pathNot: anyOf(['composition/main.ts']) },
      to: { path: '^packages/sandbox/' },
    },
    {
      name: 'sandbox-through-its-package',
      severity: 'error',
      from: { path: `^${src}/` },
      to: { path: `^${sandbox}/` },
    },
    {
      name: 'pure-rooms-do-no-io',
      severity: 'error',
      from: { path: anyOf(pureRooms) },
      to: { dependencyTypes: ['core'], pathNot: `^(node:)?(${pureNodeModules.join('|')})$` },
    },
    {
      name: 'pure-rooms-take-no-client-packages',
      severity: 'error',
      from: { path: anyOf(pureRooms) },
      to: { path: npm(['undici', 'pino', 'prom-client', 'p-limit', 'p-retry', 'dotenv', 'env-schema', 'esbuild']) },
    },
    {
      name: 'client-imports-nothing',
      severity: 'error',
      from: { path: '^packages/client/src/' },
      to: { pathNot: '^packages/client/src/' },
    },
    {
      name: 'dashboard-takes-pure-rooms',
      comment: 'The pages call the service through the client, and share with it what is pure',
      severity: 'error',
      from: { path: '^packages/dashboard/src/' },
      to: {
        pathNot: [
          '^packages/(dashboard|client)/',
          anyOf(['pricing', 'money', 'config', 'wording']),
          npm(['react', 'react-dom', 'uplot', 'wouter', '@types/[^/]+']),
        ],
      },
    },
    {
      name: 'pricing-table-takes-pure-rooms',
      comment:
        'It is bundled for browsers: beside its own files the money of the pure rooms, and types of the document',
      severity: 'error',
      from: { path: '^packages/pricing-table/src/' },
      to: { pathNot: ['^packages/pricing-table/src/', anyOf(['pricing', 'money', 'config'])] },
    },
    {
      name: 'client-through-its-package',
      comment: 'The product uses the client by its public name, never by its files',
      severity: 'error',
      from: { path: `^${src}/` },
      to: { path: '^packages/client/src/' },
    },
    {
      name: 'client-only-in-cli',
      severity: 'error',
      from: { path: `^${src}/`, pathNot: anyOf(['cli', 'composition/main.ts']) },
      to: { path: '^packages/client/' },
    },
    {
      name: 'no-cycles',
      comment: 'Neither what runs nor types go round in a circle: what two files share stands in a third',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'no-development-packages',
      comment: 'What is installed needs only its own dependencies',
      severity: 'error',
      // The pages are bundled: what they import is in their files. The check of types imports types of the compiler only; the compiler itself is
      // that of the project.
      from: {
        path: '^packages/[^/]+/src/',
        pathNot: ['^packages/dashboard/', '^packages/ratecard/src/workers/project/type-check[.]ts$'],
      },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg'], pathNot: '/@types/' },
    },
  ],
  options: {
    doNotFollow: { path: ['node_modules', '/dist/'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['types', 'import', 'node', 'default'],
      extensions: ['.ts', '.js', '.mjs', '.json', '.d.ts'],
    },
  },
}
