import { readdirSync, readFileSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createClient } from '@ratecard/client'
import autocannon from 'autocannon'
import { compatibilityDate, helloWorker, startBareWorker, type BareWorker } from './bare-worker.ts'
import { elapsedMs, median, milliseconds, perSecond, type BenchOptions, type BenchResult } from './support/measure.ts'
import { startProcess, type ServerProcess } from './support/server-process.ts'

/** Service key that serve.ts sets for the service. */
const serviceKey = 'bench-service-key'

interface Load {
  readonly perSecond: number
  readonly p99: number
  readonly cpuMicroseconds: number
}

/**
 * A worker behind the host compared with the runtime alone, in alternating rounds; then the cost of a deployment, a cold start and an
 * idle process.
 */
export async function benchWorkerHost({ quick }: BenchOptions): Promise<BenchResult[]> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'ratecard-bench-'))
  const names = Array.from({ length: quick ? 2 : 10 }, (_, index) => `hello-${index.toString()}`)
  try {
    const service = await startProcess('host', folder)
    const deployed: number[] = []
    let traffic: BenchResult[]
    try {
      for (const name of names) deployed.push(await elapsedMs(() => deploy(service, name)))
      traffic = await benchTraffic(service, `${service.url}/workers/${names[0] ?? ''}`, quick)
    } finally {
      await service.stop()
    }
    return [...traffic, ...(await benchProcesses(folder, names, deployed))]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Round {
  readonly ours: Load
  readonly bare: Load
  readonly proxied: Load
}

async function benchTraffic(service: ServerProcess, url: string, quick: boolean): Promise<BenchResult[]> {
  const bare = await startBareWorker()
  const proxy = await startProcess('proxy', bare.url)
  try {
    const seconds = quick ? 1 : 5
    for (const warm of [bare.url, proxy.url, url]) await load(warm, 1)
    const rounds: Round[] = []
    for (let round = 0; round < (quick ? 1 : 5); round++)
      rounds.push({
        bare: await load(bare.url, seconds),
        proxied: await load(proxy.url, seconds, proxy),
        ours: await load(url, seconds, service),
      })
    return trafficResults(rounds)
  } finally {
    await proxy.stop()
    await bare.stop()
  }
}

async function load(url: string, seconds: number, server?: ServerProcess): Promise<Load> {
  const before = (await server?.cpuMicroseconds()) ?? 0
  const { requests, latency, non2xx, errors } = await autocannon({ url, connections: 32, duration: seconds })
  if (non2xx > 0 || errors > 0) throw new Error(`${url}: ${non2xx.toString()} refused, ${errors.toString()} failed`)
  const used = ((await server?.cpuMicroseconds()) ?? 0) - before
  return { perSecond: requests.total / seconds, p99: latency.p99, cpuMicroseconds: used / requests.total }
}

function trafficResults(rounds: readonly Round[]): BenchResult[] {
  const of = (value: (round: Round) => number) => median(rounds.map(value))
  const rate = of(({ ours, bare }) => ours.perSecond / bare.perSecond)
  const none = { aim: null, met: true }
  const micros = (value: number) => `${value.toFixed(1)} µs`
  return [
    {
      name: 'hello world of a worker, requests with 32 connections',
      ours: perSecond(of(({ ours }) => ours.perSecond)),
      yardstick: `bare workerd ${perSecond(of(({ bare }) => bare.perSecond))}`,
      ratio: `${rate.toFixed(2)}×`,
      aim: '≥ 0.75×',
      met: rate >= 0.75,
    },
    {
      name: 'the same beside the least proxy that Node can be',
      ours: perSecond(of(({ ours }) => ours.perSecond)),
      yardstick: `plain undici proxy ${perSecond(of(({ proxied }) => proxied.perSecond))}`,
      ratio: `${of(({ ours, proxied }) => ours.perSecond / proxied.perSecond).toFixed(2)}×`,
      ...none,
    },
    {
      name: 'the same, CPU of the service for a request',
      ours: micros(of(({ ours }) => ours.cpuMicroseconds)),
      yardstick: `plain undici proxy ${micros(of(({ proxied }) => proxied.cpuMicroseconds))}`,
      ratio: `${of(({ ours, proxied }) => ours.cpuMicroseconds / proxied.cpuMicroseconds).toFixed(2)}×`,
      ...none,
    },
    {
      name: 'the same, p99 when saturated',
      ours: milliseconds(of(({ ours }) => ours.p99)),
      yardstick: `bare workerd ${milliseconds(of(({ bare }) => bare.p99))}`,
      ratio: `${of(({ ours, bare }) => ours.p99 / bare.p99).toFixed(1)}×`,
      ...none,
    },
  ]
}

/** Cold starts: after a restart of the service no worker is running, so the first request to each one starts it. */
async function benchProcesses(
  folder: string,
  names: readonly string[],
  deployed: readonly number[],
): Promise<BenchResult[]> {
  const service = await startProcess('host', folder)
  const bare: BareWorker[] = []
  try {
    const cold: number[] = []
    const alone: number[] = []
    for (const name of names) {
      cold.push(await elapsedMs(() => read(`${service.url}/workers/${name}`)))
      alone.push(
        await elapsedMs(async () => {
          const worker = await startBareWorker()
          bare.push(worker)
          await read(worker.url)
        }),
      )
    }
    const bareMemory = median(bare.map(({ pid }) => memoryMb(pid)))
    await Promise.all(bare.map((worker) => worker.stop()))
    const memory = median(workersUnder(service.pid).map(memoryMb))
    const start = median(alone)
    return [
      row('cold start of a worker, to its first answer', median(cold), start),
      row('deployment of a worker', median(deployed), start),
      {
        name: `memory of an idle worker, ${names.length.toString()} run`,
        ours: `${memory.toFixed(1)} MB`,
        yardstick: `bare workerd ${bareMemory.toFixed(1)} MB`,
        ratio: `${(memory / bareMemory).toFixed(1)}×`,
        aim: null,
        met: true,
      },
    ]
  } finally {
    await service.stop()
    await Promise.all(bare.map((worker) => worker.stop()))
  }
}

function row(name: string, ours: number, theirs: number): BenchResult {
  return {
    name,
    ours: milliseconds(ours),
    yardstick: `bare workerd ${milliseconds(theirs)}`,
    ratio: `${(ours / theirs).toFixed(1)}×`,
    aim: null,
    met: true,
  }
}

export async function deploy(service: ServerProcess, name: string): Promise<void> {
  await createClient({ baseUrl: service.url, serviceKey }).workers.deploy(name, {
    modules: [{ name: 'worker.js', type: 'esm', content: helloWorker }],
    main: 'worker.js',
    compatibilityDate,
  })
}

export async function read(url: string): Promise<void> {
  const response = await fetch(url)
  if (!response.ok || (await response.text()) !== 'Hello') throw new Error(`${url}: ${response.status.toString()}`)
}

/** Proportional set size in megabytes: memory shared between processes is divided among them. */
export function memoryMb(pid: number): number {
  return Number(/^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid.toString()}/smaps_rollup`, 'latin1'))?.[1]) / 1024
}

export function workersUnder(pid: number): number[] {
  const children = new Map<number, number[]>()
  const workers = new Set<number>()
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const [, comm = '', parent = ''] =
        /^\d+ \((.*)\) \S (\d+)/.exec(readFileSync(`/proc/${entry}/stat`, 'latin1')) ?? []
      children.set(Number(parent), [...(children.get(Number(parent)) ?? []), Number(entry)])
      if (comm === 'workerd') workers.add(Number(entry))
    } catch {
      // The process ended in the meantime.
    }
  }
  const under = (parent: number): number[] => (children.get(parent) ?? []).flatMap((child) => [child, ...under(child)])
  return under(pid).filter((child) => workers.has(child))
}
