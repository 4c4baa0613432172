// Runs the benchmarks one after the other and prints one table. Without --quick, writes the table to bench/RESULTS.md.
import { readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import { row, table } from '../scripts/reference/markdown.ts'
import type { BenchOptions, BenchResult } from './support/measure.ts'
import { benchChecks } from './checks.ts'
import { benchCronLateness } from './cron-lateness.ts'
import { benchDashboard } from './dashboard.ts'
import { benchDashboardScroll } from './dashboard-scroll.ts'
import { benchHostile } from './hostile.ts'
import { benchLarge } from './large.ts'
import { benchNegotiatedPrices } from './negotiated-prices.ts'
import { benchPlan } from './plan.ts'
import { benchPricingTable } from './pricing-table.ts'
import { benchPublicRead } from './public-read.ts'
import { benchReplicas } from './replicas.ts'
import { benchScale } from './scale.ts'
import { benchSandboxWrites } from './sandbox-writes.ts'
import { benchSessionFlood } from './session-flood.ts'
import { benchStart } from './start.ts'
import { benchMirrorFeed } from './mirror-feed.ts'
import { benchMirrorImpact } from './mirror-impact.ts'
import { benchTenantLists } from './tenant-lists.ts'
import { benchWorkerHost } from './worker-host.ts'

const benches: Readonly<Record<string, (options: BenchOptions) => BenchResult[] | Promise<BenchResult[]>>> = {
  plan: benchPlan,
  'public-read': benchPublicRead,
  'sandbox-writes': benchSandboxWrites,
  'negotiated-prices': benchNegotiatedPrices,
  start: benchStart,
  'worker-host': benchWorkerHost,
  'cron-lateness': benchCronLateness,
  replicas: benchReplicas,
  hostile: benchHostile,
  large: benchLarge,
  'pricing-table': benchPricingTable,
  dashboard: benchDashboard,
  'dashboard-scroll': benchDashboardScroll,
  scale: benchScale,
  'tenant-lists': benchTenantLists,
  'mirror-impact': benchMirrorImpact,
  'mirror-feed': benchMirrorFeed,
  checks: benchChecks,
  'session-flood': benchSessionFlood,
}

const args = process.argv.slice(2)
const quick = args.includes('--quick')
const chosen = args.filter((name) => !name.startsWith('--'))
const unknown = chosen.filter((name) => benches[name] === undefined)
if (unknown.length > 0)
  throw new Error(`No such benchmark: ${unknown.join(', ')}. There are: ${Object.keys(benches).join(', ')}`)

function distribution(): string {
  try {
    return /^PRETTY_NAME="?([^"\n(]+)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1]?.trim() ?? os.type()
  } catch {
    return os.type()
  }
}

const verdict = ({ aim, met }: BenchResult) => (aim === null ? '' : met ? 'met' : 'missed')
const cells = (result: BenchResult) => [
  result.name,
  result.ours,
  result.yardstick,
  result.ratio,
  result.aim ?? '',
  verdict(result),
]

const results: BenchResult[] = []
for (const [name, bench] of Object.entries(benches)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue
  for (const result of await bench({ quick })) {
    results.push(result)
    console.log(row(cells(result)))
  }
}

const node = process.versions.node.split('.')[0] ?? ''
const machine = `${os.availableParallelism().toString()} cores, ${distribution()}, Node ${node}`
const text = `# Benchmarks

One run of \`npm run bench\` on ${machine}. Compare ratios, not numbers: each stands beside its yardstick of the same run.

${table(['What', 'Ours', 'Yardstick', 'Ratio', 'Aim', ''], results.map(cells))}
`
if (!quick && chosen.length === 0) writeFileSync(new URL('RESULTS.md', import.meta.url), text)
