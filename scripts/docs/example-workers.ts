import { createHmac } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Client } from '@ratecard/client'
import { deploymentOf } from '../../packages/ratecard/src/cli/commands/workers/deploy.ts'
import { bundleWorker } from '../../packages/ratecard/src/workers/project/bundle.ts'
import { readWorkers } from '../../packages/ratecard/src/workers/project/read-workers.ts'
import { findWorkerFolders } from '../../packages/ratecard/src/workers/project/worker-folders.ts'

interface Place {
  readonly client: Client
  readonly url: string
  readonly serviceKey: string
}

const webhookSecret = 'whsec_of_the_examples'
const compiler = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url))

/** Checks of the example workers, by name. A check throws if the worker does not do what its README promises. */
const shows: Readonly<Record<string, (place: Place) => Promise<string>>> = {
  'price-watch': async ({ client }) => {
    const run = await client.workers.triggerCron('price-watch')
    if (run.outcome !== 'ok') throw new Error(`the run ended "${run.outcome}": ${run.error ?? ''}`)
    return `${run.cron} ran ${run.outcome}`
  },
  'billing-hooks': async ({ client, url }) => {
    const tenant = await client.tenants.create({ id: 'acme', name: 'Acme', processorCustomerId: 'cus_acme' })
    const payload = JSON.stringify({
      ...{ id: 'evt_1', object: 'event', type: 'invoice.paid', created: 1, livemode: false },
      data: { object: { customer: 'cus_acme' } },
    })
    const time = Math.floor(Date.now() / 1000)
    const digest = createHmac('sha256', webhookSecret).update(`${time}.${payload}`).digest('hex')
    const deliver = (signature: string) =>
      fetch(`${url}/workers/billing-hooks/hooks/billing`, {
        method: 'POST',
        body: payload,
        headers: { 'stripe-signature': signature },
      })
    const refused = await deliver(`t=${time},v1=${'0'.repeat(64)}`)
    if (refused.status !== 400) throw new Error(`a forged delivery was answered ${refused.status}`)
    const taken = await deliver(`t=${time},v1=${digest}`)
    const answer: unknown = await taken.json()
    if (taken.status !== 200 || JSON.stringify(answer) !== '{"received":"evt_1","tenant_id":"acme"}')
      throw new Error(`a genuine delivery was answered ${taken.status} ${JSON.stringify(answer)}`)
    await client.tenants.remove(tenant.id)
    return 'a genuine event found its tenant, a forged one was refused'
  },
  'api-gate': async ({ client, url }) => {
    const tenant = await client.tenants.create({ id: 'caller', name: 'Caller' })
    const call = async () => {
      const headers = { 'x-tenant': tenant.id }
      const answer = await fetch(`${url}/workers/api-gate/render`, { method: 'POST', headers })
      return `${answer.status} ${await answer.text()}`
    }
    const refused = await call()
    if (refused !== '402 {"error":"not_included","offered_by":["api_monthly"]}')
      throw new Error(`a call of a tenant that has bought nothing was answered ${refused}`)
    await client.tenants.grant(tenant.id, 'calls', { limit: 1 })
    const answers = [await call(), await call()]
    const usedUp = '402 {"error":"limit_reached","offered_by":["api_monthly"]}'
    if (answers.join('\n') !== `200 {"rendered":true}\n${usedUp}`)
      throw new Error(`two calls of a tenant that may make one were answered ${answers.join(', ')}`)
    await client.tenants.remove(tenant.id)
    return 'a call that was not bought was refused with the price that allows it, a granted one was counted'
  },
}

/** Type-checks, bundles and deploys the workers of an example, then runs their checks. Returns a line of text for each worker. */
export async function runWorkers(example: string, place: Place): Promise<string[]> {
  const folders = findWorkerFolders(example)
  if (folders.length === 0) return []
  const file = path.join(example, 'ratecard/environments/.env.dev.example')
  const filledIn = (existsSync(file) ? readFileSync(file, 'utf8') : '')
    .replace(/^RATECARD_SERVICE_KEY=$/m, `RATECARD_SERVICE_KEY=${place.serviceKey}`)
    .replace(/^BILLING_WEBHOOK_SECRET=$/m, `BILLING_WEBHOOK_SECRET=${webhookSecret}`)
  const { workers, issues } = readWorkers(folders, [], { path: file, text: filledIn }, Date.now())
  if (issues.length > 0) throw new Error(issues.map(({ detail }) => detail).join('\n'))
  const results: string[] = []
  for (const worker of workers) {
    const { name, main } = worker.manifest
    checkTypes(worker.folder)
    const { bundle, issues: found } = await bundleWorker({ entry: main, workingDirectory: worker.folder })
    if (bundle === null || found.length > 0) throw new Error(found.map(({ detail }) => detail).join('\n'))
    await place.client.workers.deploy(name, deploymentOf({ ...worker, bundle }, 'dev'))
    const show = shows[name]
    if (show === undefined) throw new Error(`nothing says what the worker "${name}" shows: add it to this script`)
    results.push(`${name}: ${await show(place)}`)
  }
  return results
}

function checkTypes(folder: string): void {
  const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`types of ${folder}:\n${stdout}`)
}
