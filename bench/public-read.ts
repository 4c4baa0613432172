import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createClient } from '@ratecard/client'
import autocannon from 'autocannon'
import { median, perSecond, type BenchOptions, type BenchResult } from './support/measure.ts'
import { startProcess, type ServerProcess } from './support/server-process.ts'

/** Service key that serve.ts sets for the service. */
const serviceKey = 'bench-service-key'

const document = {
  version: '1.0.0',
  products: Array.from({ length: 12 }, (_, index) => ({
    id: `plan_${index.toString()}`,
    name: `Plan ${index.toString()}`,
    prices: ['month', 'year'].map((interval) => ({
      id: `plan_${index.toString()}_${interval}`,
      amount: 900 + index * 100,
      currency: 'eur',
      interval,
      ui: { features: ['Everything in the plan before', 'Support by mail'], billing_period: `per ${interval}` },
    })),
    ui: { tagline: 'For teams that grow', sort_order: index },
  })),
}

export interface Load {
  readonly perSecond: number
  readonly cpuMicroseconds: number
}

/** Requests per second, and server CPU time per request: the rate alone is misleading if the load generator is the bottleneck. */
export async function load(
  server: ServerProcess,
  url: string,
  seconds: number,
  headers: Readonly<Record<string, string>> = {},
  request: { readonly method?: 'POST'; readonly body?: string } = {},
): Promise<Load> {
  const before = await server.cpuMicroseconds()
  const { requests, non2xx, errors } = await autocannon({
    url,
    headers,
    ...request,
    connections: 32,
    duration: seconds,
  })
  if (non2xx > 0 || errors > 0) throw new Error(`${url}: ${non2xx.toString()} refused, ${errors.toString()} failed`)
  const used = (await server.cpuMicroseconds()) - before
  return { perSecond: requests.total / seconds, cpuMicroseconds: used / requests.total }
}

/**
 * The public price list, compared with bare node:http that serves the same bytes. Rounds alternate, so that both meet the same load of
 * the machine.
 */
export async function benchPublicRead({ quick }: BenchOptions): Promise<BenchResult[]> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'ratecard-bench-'))
  const service = await startProcess('service', folder)
  try {
    await createClient({ baseUrl: service.url, serviceKey }).admin.push(document)
    const priceList = `${service.url}/api/v1/billing/config`
    const file = path.join(folder, 'body.json')
    writeFileSync(file, Buffer.from(await (await fetch(priceList)).arrayBuffer()))
    const bare = await startProcess('bare', file)
    try {
      const seconds = quick ? 1 : 2
      // Until V8 has compiled what a request runs, its compiler's threads count as CPU of the server.
      await load(bare, bare.url, quick ? 1 : 3)
      await load(service, priceList, quick ? 1 : 3)
      const pairs: { readonly ours: Load; readonly theirs: Load }[] = []
      for (let round = 0; round < (quick ? 1 : 9); round++) {
        const theirs = await load(bare, bare.url, seconds)
        pairs.push({ theirs, ours: await load(service, priceList, seconds) })
      }
      return resultsOf(pairs)
    } finally {
      await bare.stop()
    }
  } finally {
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

function resultsOf(pairs: readonly { readonly ours: Load; readonly theirs: Load }[]): BenchResult[] {
  const rate = median(pairs.map(({ ours, theirs }) => ours.perSecond / theirs.perSecond))
  const cost = median(pairs.map(({ ours, theirs }) => ours.cpuMicroseconds / theirs.cpuMicroseconds))
  const micros = (value: number) => `${value.toFixed(1)} µs`
  return [
    {
      name: 'public price list, requests with 32 connections',
      ours: perSecond(median(pairs.map(({ ours }) => ours.perSecond))),
      yardstick: `bare node:http ${perSecond(median(pairs.map(({ theirs }) => theirs.perSecond)))}`,
      ratio: `${rate.toFixed(2)}×`,
      aim: '≥ 0.9×',
      met: rate >= 0.9,
    },
    {
      name: 'public price list, CPU of the server for a request',
      ours: micros(median(pairs.map(({ ours }) => ours.cpuMicroseconds))),
      yardstick: `bare node:http ${micros(median(pairs.map(({ theirs }) => theirs.cpuMicroseconds)))}`,
      ratio: `${cost.toFixed(2)}×`,
      aim: '≤ 1.35×',
      met: cost <= 1.35,
    },
  ]
}
