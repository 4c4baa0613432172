// Who may import whom. Moving a wall needs a page in docs/decisions/. A room may always import itself and npm packages that are not walled
// below. In these tables a name is a folder, a file (`server/settings.ts`), or the files of a folder itself (`catalog/*.ts`).
const path = require('node:path')

const src = 'packages/ratecard/src'
const sandbox = 'packages/sandbox/src'

/** The twelve rooms, from the ground up. A room may import those that it names, and within itself what `within` says. */
const rooms = {
  base: [],
  document: ['base'],
  catalog: ['document', 'base'],
  processor: ['catalog', 'document', 'base'],
  store: ['processor', 'catalog', 'document', 'base'],
  api: ['store/records', 'catalog', 'document', 'base'],
  acts: ['api', 'store', 'processor', 'catalog/policies', 'base'],
  workers: ['api', 'store', 'base'],
  customers: ['acts', 'api', 'store', 'processor', 'catalog', 'document', 'base'],
  push: ['customers/mirror', 'acts', 'api', 'store', 'processor', 'catalog', 'document', 'base'],
  server: ['push', 'customers', 'workers', 'acts', 'api', 'store', 'processor', 'catalog', 'document', 'base'],
  cli: [
    ...['server/composition/main.ts', 'server/composition/escaped.ts', 'server/composition/maintenance.ts'],
    ...[
      'server/composition/local-worker.ts',
      'server/settings.ts',
      'workers/project',
      'workers/cloudflare',
      'workers/cron',
    ],
    ...['api', 'catalog', 'document', 'base'],
  ],
}

/** Rooms within a room: which of their neighbours they may import. `outside` is named where a room may import less than the whole room may. */
const within = {
  'base/errors': { neighbours: [] },
  'base/money': { neighbours: ['base/errors'] },
  // Imports nothing, so that the dashboard can bundle it.
  'base/wording': { neighbours: ['base/money'], outside: [] },
  'document/schema': { neighbours: [] },
  'document/rules': { neighbours: ['document/schema'] },
  'document/files': { neighbours: ['document/rules', 'document/schema'] },
  'document/validation': { neighbours: ['document/rules', 'document/schema'] },
  'document/pricing': { neighbours: ['document/rules', 'document/schema'] },
  'document/edit': { neighbours: ['document/files', 'document/schema'] },
  'catalog/policies': { neighbours: ['catalog/*.ts'] },
  'catalog/plan': { neighbours: ['catalog/fields', 'catalog/*.ts'] },
  'catalog/pull': { neighbours: ['catalog/fields', 'catalog/*.ts'] },
  'processor/stripe': { neighbours: ['processor/*.ts'] },
  'store/records': { neighbours: [], outside: ['processor', 'catalog', 'document', 'base'] },
  'store/sql': { neighbours: ['store/records', 'store/*.ts'] },
  'api/notation': { neighbours: [] },
  'acts/journal': { neighbours: [], outside: ['store', 'processor', 'base'] },
  'acts/guard-rails': { neighbours: [] },
  'acts/jobs': { neighbours: ['acts/journal', 'acts/*.ts'] },
  'workers/cron': { neighbours: [], outside: ['base'] },
  'workers/project': { neighbours: ['workers/cron'], outside: ['base'] },
  'workers/cloudflare': { neighbours: ['workers/project', 'workers/cron'], outside: ['base'] },
  'workers/runtime': { neighbours: ['workers/project', 'workers/cron'] },
  'customers/tenants': { neighbours: [] },
  'customers/item-swaps': { neighbours: ['customers/tenants'] },
  'customers/mirror': { neighbours: ['customers/item-swaps', 'customers/tenants'] },
  'customers/subscriptions': { neighbours: ['customers/mirror', 'customers/item-swaps', 'customers/tenants'] },
  'customers/enterprise': { neighbours: ['customers/item-swaps', 'customers/tenants'] },
  'customers/price-migrations': { neighbours: ['customers/item-swaps', 'customers/tenants'] },
  'customers/discounts': { neighbours: ['customers/item-swaps', 'customers/tenants'] },
  'customers/credits': {
    neighbours: ['customers/subscriptions', 'customers/mirror', 'customers/item-swaps', 'customers/tenants'],
  },
  'customers/checkout': { neighbours: ['customers/item-swaps', 'customers/tenants'] },
  'customers/subscription-changes': { neighbours: ['customers/checkout', 'customers/item-swaps', 'customers/tenants'] },
  // What the public reads never calls the processor.
  'push/lookup': { neighbours: [], outside: ['api', 'store', 'catalog', 'document', 'base'] },
  'push/checks': { neighbours: ['push/*.ts'] },
  'push/webhooks': { neighbours: ['push/*.ts'] },
  'server/auth': { neighbours: [], outside: ['api', 'store', 'base'] },
  'server/dashboard-backend': { neighbours: [], outside: ['api', 'store', 'base'] },
  'server/health': {
    neighbours: [],
    outside: ['customers/mirror', 'customers/item-swaps', 'acts', 'api', 'store', 'processor', 'catalog', 'base'],
  },
  // Of the service it knows the type, and calls what it is given.
  'server/http': {
    neighbours: ['server/dashboard-backend', 'server/service/service.ts'],
    outside: ['api', 'store/records', 'document', 'base'],
  },
}

/** Same input, same answer: no files, sockets, processes, timers. */
const pureRooms = [
  ...['base/errors', 'base/money', 'base/wording', 'document', 'catalog', 'api', 'store/records', 'workers/cron'],
]
const pureNodeModules = ['crypto', 'util', 'buffer', 'path', 'url']

/** Adapters, named only where everything is put together. */
const adapters = ['processor/stripe', 'store/sql', 'workers/runtime/workerd']
const composition = ['server/composition']

/** npm packages that stay in one place. */
const walledPackages = [
  { name: 'the Stripe SDK', packages: ['stripe'], within: ['processor/stripe'] },
  { name: 'fastify', packages: ['fastify', '@fastify/[^/]+'], within: ['server/http', 'server/composition/main.ts'] },
  { name: 'kysely and pg', packages: ['kysely', 'pg', '@types/pg'], within: ['store/sql'] },
  { name: 'better-sqlite3', packages: ['better-sqlite3', '@types/better-sqlite3'], within: ['store/sql'] },
  { name: 'the command line’s packages', packages: ['commander', '@clack/[^/]+', 'picocolors'], within: ['cli'] },
]

const escape = (text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
const place = (name) =>
  name.endsWith('/*.ts')
    ? `${src}/${escape(name.slice(0, -5))}/[^/]+$`
    : `${src}/${escape(name)}${name.endsWith('.ts') ? '$' : '/'}`
const anyOf = (names) => `^(${names.map(place).join('|')})`
const npm = (names) => `(^|/)node_modules/(${names.join('|')})/`

const roomRule = (room, allowed, to) => ({
  name: `room-${room}`,
  comment: `${room} may import: ${allowed.join(', ') || 'nothing'}`,
  severity: 'error',
  from: { path: anyOf([room]) },
  to: { path: to, pathNot: anyOf([room, ...allowed]) },
})
const roomRules = [
  ...Object.entries(rooms).map(([room, allowed]) => roomRule(room, allowed, `^${src}/`)),
  ...Object.entries(within).map(([room, { neighbours, outside }]) =>
    outside === undefined
      ? roomRule(room, neighbours, anyOf([path.dirname(room)]))
      : roomRule(room, [...neighbours, ...outside], `^${src}/`),
  ),
]

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
      comment: 'Every folder of src is one of the twelve rooms, and src itself has no files',
      severity: 'error',
      from: { path: `^${src}/`, pathNot: anyOf(Object.keys(rooms)) },
      to: {},
    },
    {
      name: 'adapters-behind-ports',
      comment: `Adapters are named only in ${composition.join(' and ')}`,
      severity: 'error',
      // The type of the store is what the repositories do.
      from: { path: '^packages/', pathNot: anyOf([...adapters, ...composition, 'store/store.ts']) },
      to: { path: anyOf(adapters) },
    },
    {
      name: 'service-as-a-type',
      comment: 'HTTP calls the service that it is given',
      severity: 'error',
      from: { path: anyOf(['server/http']) },
      to: { path: anyOf(['server/service']), dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'store-as-a-type',
      severity: 'error',
      from: { path: anyOf(['store/store.ts']) },
      to: { path: anyOf(adapters), dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'adapters-do-not-decide',
      severity: 'error',
      from: { path: anyOf(['processor/stripe', 'store/sql']) },
      to: { path: anyOf(['server', 'push', 'customers', 'acts', 'api']) },
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
      from: { path: `^${src}/`, pathNot: anyOf(['server/composition/main.ts']) },
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
          anyOf(['base', 'document']),
          // The starter of `ratecard init`, as the example of an empty dashboard.
          '^packages/ratecard/templates/',
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
      to: { pathNot: ['^packages/pricing-table/src/', anyOf(['base/money', 'document'])] },
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
      from: { path: `^${src}/`, pathNot: anyOf(['cli', 'server/composition/main.ts']) },
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
