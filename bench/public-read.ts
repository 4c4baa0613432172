import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createClient } from '@ratecard/client'
import autocannon from 'autocannon'
import { median, perSecond } from './measure.ts'
import type { BenchOptions, BenchResult } from './measure.ts'
import { startProcess } from './server-process.ts'

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

async function requestsPerSecond(url: string, seconds: number): Promise<number> {
  const { requests, non2xx, errors } = await autocannon({ url, connections: 32, duration: seconds })
  if (non2xx > 0 || errors > 0) throw new Error(`${url}: ${non2xx.toString()} refused, ${errors.toString()} failed`)
  return requests.total / seconds
}

/** The public price list against bare node:http that serves the same bytes; rounds alternate, so that both meet the same machine. */
export async function benchPublicRead({ quick }: BenchOptions): Promise<BenchResult[]> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'ratecard-bench-'))
  const service = await startProcess('service', folder)
  try {
    await createClient({ baseUrl: service.url, serviceKey: 'bench-service-key' }).admin.push(document)
    const priceList = `${service.url}/api/v1/billing/config`
    const file = path.join(folder, 'body.json')
    writeFileSync(file, Buffer.from(await (await fetch(priceList)).arrayBuffer()))
    const bare = await startProcess('bare', file)
    try {
      const rounds = quick ? 1 : 5
      const seconds = quick ? 1 : 4
      const pairs: { readonly ours: number; readonly theirs: number }[] = []
      await requestsPerSecond(bare.url, 1)
      await requestsPerSecond(priceList, 1)
      for (let round = 0; round < rounds; round++) {
        const theirs = await requestsPerSecond(bare.url, seconds)
        pairs.push({ theirs, ours: await requestsPerSecond(priceList, seconds) })
      }
      const ratio = median(pairs.map(({ ours, theirs }) => ours / theirs))
      return [
        {
          name: 'public price list, 32 connections',
          ours: perSecond(median(pairs.map(({ ours }) => ours))),
          yardstick: `bare node:http ${perSecond(median(pairs.map(({ theirs }) => theirs)))}`,
          ratio: `${ratio.toFixed(2)}×`,
          aim: '≥ 0.9×',
          met: ratio >= 0.9,
        },
      ]
    } finally {
      await bare.stop()
    }
  } finally {
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
