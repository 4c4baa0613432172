// Runs the benchmarks one after the other and prints one table. Without --quick the table is kept in bench/RESULTS.md.
import { readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import { row, table } from '../scripts/reference/markdown.ts'
import type { BenchOptions, BenchResult } from './measure.ts'
import { benchPlan } from './plan.ts'
import { benchPublicRead } from './public-read.ts'
import { benchSandboxWrites } from './sandbox-writes.ts'
import { benchStart } from './start.ts'

const benches: Readonly<Record<string, (options: BenchOptions) => BenchResult[] | Promise<BenchResult[]>>> = {
  plan: benchPlan,
  'public-read': benchPublicRead,
  'sandbox-writes': benchSandboxWrites,
  start: benchStart,
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

const machine = `${os.availableParallelism().toString()} cores, ${distribution()}, Node ${process.versions.node.split('.')[0] ?? ''}`
const results: BenchResult[] = []
for (const [name, bench] of Object.entries(benches)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue
  for (const result of await bench({ quick })) {
    results.push(result)
    console.log(
      row([result.name, result.ours, result.yardstick, result.ratio, result.aim, result.met ? 'met' : 'missed']),
    )
  }
}

const text = `# Benchmarks

One run of \`npm run bench\` on ${machine}. Compare ratios, not numbers: each compares with its yardstick in the same run.

${table(
  ['What', 'Ours', 'Yardstick', 'Ratio', 'Aim', ''],
  results.map(({ name, ours, yardstick, ratio, aim, met }) => [
    name,
    ours,
    yardstick,
    ratio,
    aim,
    met ? 'met' : 'missed',
  ]),
)}
`
if (!quick && chosen.length === 0) writeFileSync(new URL('RESULTS.md', import.meta.url), text)
