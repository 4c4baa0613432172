// Without a terminal, what cannot be undone needs --yes or a saved plan that was reviewed. A reset and a push that archives everything need
// it at a live account only.
import { createServer } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createClient } from '@ratecard/client'
import { smallConfig } from './cli-world.ts'
import { serverWorld } from './server-world.ts'
import { listenLocally } from '../support/listen.ts'
import { startedForAll } from '../support/started.ts'

const key = 'confirmation-service-key'
const world = startedForAll(() => serverWorld(key))

const client = () => createClient({ baseUrl: world.url, serviceKey: key })
const product = (id: string, amount = 1200) => ({
  id,
  name: id,
  prices: [{ id: `${id}_monthly`, amount, currency: 'eur', interval: 'month' }],
})
/** Returns the options of a command for the same server, which says that its account is live. */
async function live() {
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const answer = await fetch(`${world.url}${request.url ?? ''}`, {
        method: request.method ?? 'GET',
        headers: { 'x-service-key': key, 'content-type': 'application/json' },
        ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
      })
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
      response.end((await answer.text()).replace('"mode":"sandbox"', '"mode":"live"'))
    })()
  })
  const port = await listenLocally(server)
  onTestFinished(() => {
    server.close()
  })
  return { env: { RATECARD_API_URL: `http://127.0.0.1:${String(port)}` } }
}
const files = (version: string, ...products: unknown[]) => world.write('mine.json', smallConfig({ version, products }))
const push = (...options: string[]) => world.json(['billing', 'push', '--file', 'mine.json', ...options])
const productsInPlace = async () => (await client().admin.config()).config.products.map(({ id }) => id)

describe('a push of files that keep none of the current products', () => {
  it('is refused at a live account without a terminal: the command prints the plan and the next step, and archives nothing', async () => {
    files('1.0.0', product('shop'), product('extra'))
    expect((await push()).exit).toBe(0)
    files('1.1.0', product('strange'))
    const atLive = await live()
    const refused = await world.json(['billing', 'push', '--file', 'mine.json'], atLive)
    expect(refused).toMatchObject({ exit: 1, document: { error: { code: 'confirmation_required' } } })
    expect(refused.document.error).toMatchObject({ planned: { status: 'planned' } })
    const told = await world.run(['billing', 'push', '--file', 'mine.json'], atLive)
    expect(told.exit).toBe(1)
    expect(told.stdout).toContain('-  product  shop')
    expect(told.stderr).toContain('these may be the files of another project')
    expect(await productsInPlace()).toEqual(['shop', 'extra'])

    expect((await world.run(['billing', 'push', '--file', 'mine.json', '--yes'], atLive)).exit).toBe(0)
    expect(await productsInPlace()).toEqual(['strange'])
  })

  it('is applied at any other account without a terminal, and the command says what it archived; a person is asked', async () => {
    files('1.2.0', product('third'))
    const declined = await world.run(['billing', 'push', '--file', 'mine.json'], { answer: { confirm: false } })
    expect(declined.stderr).toContain('(declined)')
    const applied = await world.run(['billing', 'push', '--file', 'mine.json'])
    expect(applied).toMatchObject({
      exit: 0,
      stderr: expect.stringContaining('All products of the version before') as string,
    })
    expect(await productsInPlace()).toEqual(['third'])
  })

  it('is applied without a terminal if the plan was saved before', async () => {
    files('2.0.0', product('other'))
    expect((await push('--plan-out', 'plan.json')).exit).toBe(0)
    expect((await world.json(['billing', 'push', '--plan', 'plan.json'])).exit).toBe(0)
    expect(await productsInPlace()).toEqual(['other'])
  })

  it('is refused at a live account without a terminal also if the push is a rollback', async () => {
    files('2.1.0', product('other'))
    await push('--yes')
    const back = await world.json(['billing', 'rollback', '1'], await live())
    expect(back).toMatchObject({ exit: 1, document: { error: { code: 'confirmation_required' } } })
    expect(await productsInPlace()).toEqual(['other'])
    expect((await world.json(['billing', 'rollback', '1', '--yes'])).exit).toBe(0)
    expect(await productsInPlace()).toEqual(['shop', 'extra'])
  })

  it('needs no confirmation if the push is the first one; a push that keeps at least one product needs none either', async () => {
    files('3.0.0', product('shop'))
    expect((await push()).exit).toBe(0)
    expect(await productsInPlace()).toEqual(['shop'])
    await world.run(['billing', 'reset', '--yes'])
    files('3.1.0', product('fresh'))
    expect((await push()).exit).toBe(0)
  })
})

describe('the option --require-approval', () => {
  it('stops a push that replaces a price, and allows a push that only adds, both without a terminal', async () => {
    await world.run(['billing', 'reset', '--yes'])
    files('4.0.0', product('shop'))
    expect((await push('--require-approval')).exit).toBe(0)
    files('4.1.0', product('shop', 1300))
    expect(await push('--require-approval')).toMatchObject({
      exit: 1,
      document: { error: { code: 'confirmation_required' } },
    })
    expect((await push('--require-approval', '--plan-out', 'approved.json')).exit).toBe(0)
    expect((await world.json(['billing', 'push', '--plan', 'approved.json', '--require-approval'])).exit).toBe(0)
    files('4.2.0', product('shop', 1400))
    expect((await push('--require-approval', '--yes')).exit).toBe(0)
    files('4.3.0', product('shop', 1500))
    expect((await push()).exit).toBe(0)
  })
})

describe('a command that deletes data, run in a script,', () => {
  it('does not delete a tenant without the option --yes', async () => {
    await world.run(['tenants', 'create', 'glazeworks'])
    expect(await world.json(['tenants', 'delete', 'glazeworks'])).toMatchObject({
      exit: 1,
      document: { error: { code: 'confirmation_required' } },
    })
    const declined = await world.run(['tenants', 'delete', 'glazeworks'], { answer: { confirm: false } })
    expect(declined.exit).toBe(1)
    expect((await client().tenants.find('glazeworks')).id).toBe('glazeworks')
    expect((await world.json(['tenants', 'delete', 'nobody'])).document.error.code).toBe('tenant_not_found')
    expect((await world.json(['tenants', 'delete', 'glazeworks', '--yes'])).exit).toBe(0)
  })

  it('resets the configuration, at a live account only with the option --yes', async () => {
    expect(await world.json(['billing', 'reset'], await live())).toMatchObject({
      exit: 1,
      document: { error: { code: 'confirmation_required' } },
    })
    expect(await productsInPlace()).toEqual(['shop'])
    const reset = await world.run(['billing', 'reset'])
    expect(reset).toMatchObject({ exit: 0, stdout: expect.stringContaining(`at ${world.url}.`) as string })
    await expect(productsInPlace()).rejects.toMatchObject({ code: 'config_not_found' })
  })
})
