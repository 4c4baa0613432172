// Prices in pull requests: the unchanged action and GitLab template, the real command line and service, and a fake code host.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { createClient, type Client } from '../../../packages/client/src/client.ts'
import { startServer, type RunningServer } from '../../../packages/ratecard/src/server/composition/main.ts'
import { hostToken, startCodeHost, type CodeHost } from './code-host.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const script = path.join(root, 'packages/ratecard/integrations/pull-request.mjs')
const writeKey = 'pull-requests-write-key-0123456789'
const home = mkdtempSync(path.join(tmpdir(), 'ratecard-pulls-'))
const repository = path.join(home, 'repository')
const seenFile = path.join(home, 'seen.jsonl')
const wrapper = path.join(home, 'ratecard.mjs')

let server: RunningServer
let client: Client
let host: CodeHost
let readKey: string

const document = (amount: number, version: string, name = 'Pro') => ({
  version,
  products: [
    { id: 'pro', name, prices: [{ id: 'pro_monthly', amount, currency: 'eur', interval: 'month', default: true }] },
  ],
})
const write = (content: object | string) => {
  mkdirSync(path.join(repository, 'ratecard/billing'), { recursive: true })
  const text = typeof content === 'string' ? content : JSON.stringify(content, null, 2)
  writeFileSync(path.join(repository, 'ratecard/billing/prices.json'), text)
}

beforeAll(async () => {
  // A wrapper that records the arguments and the environment of the command line, and then starts the real one.
  writeFileSync(
    wrapper,
    `import { appendFileSync } from 'node:fs'
appendFileSync(${JSON.stringify(seenFile)}, JSON.stringify({ argv: process.argv.slice(2), env: Object.keys(process.env) }) + '\\n')
process.argv[1] = ${JSON.stringify(path.join(root, 'packages/ratecard/bin/ratecard.js'))}
await import(process.argv[1])
`,
  )
  server = await startServer({
    env: { RATECARD_SANDBOX_PORT: '0', RATECARD_SERVICE_KEY: writeKey, RATECARD_LOG_LEVEL: 'silent' },
    port: 0,
    dataDir: path.join(home, 'data'),
    out: () => undefined,
  })
  client = createClient({ baseUrl: server.url, serviceKey: writeKey })
  readKey = (await client.admin.createKey('pull requests', { scope: 'read' })).key
  host = await startCodeHost()
})
afterAll(async () => {
  await host.close()
  await server.close()
  rmSync(home, { recursive: true, force: true })
})
beforeEach(async () => {
  host.comments.length = 0
  host.asked.length = 0
  host.merged.clear()
  rmSync(seenFile, { force: true })
  await client.admin.push(document(1200, '1.0.0'), { force: true })
})

interface Ended {
  readonly exit: number
  readonly log: string
}

function start(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, {
      cwd: repository,
      env: { PATH: process.env['PATH'] ?? '', HOME: home, ...env },
    })
    let log = ''
    child.stdout.on('data', (chunk: Buffer) => (log += chunk.toString('utf8')))
    child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString('utf8')))
    child.on('close', (exit) => {
      resolve({ exit: exit ?? -1, log })
    })
  })
}

interface Side {
  run(
    command: string,
    options?: { readonly key?: string; readonly sha?: string; readonly inputs?: Record<string, string> },
  ): Promise<Ended>
}

const action: Side = {
  run(command, { key = readKey, sha = '', inputs = {} } = {}) {
    const event = path.join(home, 'event.json')
    writeFileSync(event, JSON.stringify(command === 'plan' ? { pull_request: { number: 7 } } : {}))
    const given = {
      command,
      'service-key': key,
      'api-url': server.url,
      token: hostToken,
      ratecard: `${process.execPath} ${wrapper}`,
      ...inputs,
    }
    const asInputs = Object.entries(given).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value])
    return start([path.join(root, 'integrations/github-action/main.mjs')], {
      ...(Object.fromEntries(asInputs) as Record<string, string>),
      GITHUB_ACTIONS: 'true',
      GITHUB_REPOSITORY: 'acme/shop',
      GITHUB_API_URL: host.url,
      GITHUB_EVENT_PATH: event,
      GITHUB_SHA: sha,
      GITHUB_STEP_SUMMARY: path.join(home, 'summary.md'),
      GITHUB_OUTPUT: path.join(home, 'output.txt'),
    })
  },
}

/** The jobs of the template, with the script from the sources instead of an installed one. */
const template = parse(readFileSync(path.join(root, 'integrations/gitlab/ratecard.gitlab-ci.yml'), 'utf8')) as Record<
  string,
  { readonly script: readonly string[] }
>
const gitlab: Side = {
  run(command, { key = readKey, sha = '', inputs = {} } = {}) {
    const [line = ''] = template[`ratecard:${command}`]?.script ?? []
    const args = line
      .replace('/tmp/ratecard/node_modules/ratecard/integrations/pull-request.mjs', script)
      .split(' ')
      .slice(1)
    const asVariables = Object.entries(inputs).map(([name, value]) => [
      `RATECARD_CI_${name.toUpperCase().replaceAll('-', '_')}`,
      value,
    ])
    return start(args, {
      ...(Object.fromEntries(asVariables) as Record<string, string>),
      GITLAB_CI: 'true',
      GITLAB_TOKEN: hostToken,
      RATECARD_SERVICE_KEY: key,
      RATECARD_API_URL: server.url,
      RATECARD_CI_RATECARD: `${process.execPath} ${wrapper}`,
      CI_API_V4_URL: host.url,
      CI_PROJECT_ID: 'acme/shop',
      CI_COMMIT_SHA: sha,
      ...(command === 'plan' ? { CI_MERGE_REQUEST_IID: '7' } : {}),
    })
  },
}

/** Renames a product in the processor's dashboard. */
async function renameAtTheProcessor(name: string): Promise<void> {
  const key = readFileSync(path.join(home, 'data', 'sandbox-key'), 'utf8').trim()
  const options = { headers: { authorization: `Bearer ${key}` } }
  const products = new URL('/v1/products', server.sandboxUrl ?? '')
  const { data } = (await (await fetch(products, options)).json()) as { data: { id: string }[] }
  const answer = await fetch(`${products.href}/${data[0]?.id ?? ''}`, {
    ...options,
    method: 'POST',
    body: new URLSearchParams({ name }),
  })
  expect(answer.status).toBe(200)
}

const amountInPlace = async () => (await client.billing.price('pro_monthly')).price.amount

describe.each([
  ['GitHub', action],
  ['GitLab', gitlab],
])('with the integration for %s,', (_name, side) => {
  it('a pull request gets one comment with the plan, which is updated in place, and exactly this plan is applied after the merge', async () => {
    write(document(1300, '1.1.0'))
    const planned = await side.run('plan')
    expect([planned.exit, planned.log.includes('€13.00')]).toEqual([0, true])
    write(document(1400, '1.1.0'))
    expect((await side.run('plan')).exit).toBe(0)
    expect(host.comments).toHaveLength(1)
    const [comment] = host.comments
    expect(comment?.body).toMatch(/^<!-- ratecard plan default [0-9a-f]+ -->\n### Prices: plan for version `1\.1\.0`/)
    expect(comment?.body).toContain('| `€12.00 / month` | `€14.00 / month` |')
    expect(await amountInPlace()).toBe(1200)

    host.merged.set('abc123', 7)
    const applied = await side.run('apply', { key: writeKey, sha: 'abc123' })
    expect([applied.exit, await amountInPlace()]).toEqual([0, 1400])
    expect(comment?.body).toContain('✅ **Applied.**')
    const [latest] = (await client.admin.history({ limit: 1 })).versions
    expect(latest?.message).toMatch(/^Merged [#!]7$/)
    // Once more: nothing is left to do.
    expect(await side.run('apply', { key: writeKey, sha: 'abc123' })).toMatchObject({ exit: 0 })
  })

  it('a plan other than the reviewed one is not applied', async () => {
    write(document(1300, '1.1.0'))
    await side.run('plan')
    host.merged.set('abc123', 7)
    await client.admin.push(document(1250, '1.0.5'))
    const applied = await side.run('apply', { key: writeKey, sha: 'abc123' })
    expect([applied.exit, await amountInPlace()]).toEqual([1, 1250])
    expect(applied.log).toMatch(/The plan is not the one that [#!]7 showed/)
  })

  it('a commit without a plan is refused, and comments of other users are ignored', async () => {
    write(document(1300, '1.1.0'))
    await side.run('plan')
    const forged = host.comments[0]?.body ?? ''
    host.comments.length = 0
    host.comments.push({ id: 900, body: forged, author: 'mallory' })
    host.merged.set('abc123', 7)
    const forgedRun = await side.run('apply', { key: writeKey, sha: 'abc123' })
    expect([forgedRun.exit, await amountInPlace()]).toEqual([1, 1200])
    const direct = await side.run('apply', { key: writeKey, sha: 'def456' })
    expect([direct.exit, await amountInPlace()]).toEqual([1, 1200])
    expect(direct.log).toContain('came without a pull request')
    const allowed = await side.run('apply', { key: writeKey, sha: 'def456', inputs: { 'without-plan': 'apply' } })
    expect([allowed.exit, await amountInPlace()]).toEqual([0, 1300])
  })

  it('invalid files are reported in the comment, and the job fails', async () => {
    write('{ "version": "1.1.0", "products": [ { "id": "pro" } ] }')
    const planned = await side.run('plan')
    expect(planned.exit).toBe(1)
    expect(host.comments[0]?.body).toMatch(/^<!-- ratecard plan default none -->\n### Prices: no plan/)
    expect(host.comments[0]?.body).toContain('prices.json:1:')
  })

  it('the nightly job fails if there is drift', async () => {
    write(document(1200, '1.0.0'))
    expect((await side.run('drift')).exit).toBe(0)
    await renameAtTheProcessor('Renamed by hand')
    const drifted = await side.run('drift')
    expect(drifted.exit).not.toBe(0)
    expect(drifted.log).toContain('Renamed by hand')
    await renameAtTheProcessor('Pro')
    expect((await side.run('drift')).exit).toBe(0)
  })

  it('no token and no key appears in a process list, a log or a comment', async () => {
    write(document(1300, '1.1.0'))
    const planned = await side.run('plan')
    host.merged.set('abc123', 7)
    const applied = await side.run('apply', { key: writeKey, sha: 'abc123' })
    const seen = readFileSync(seenFile, 'utf8')
    const argv = seen
      .trim()
      .split('\n')
      .map((line) => JSON.stringify((JSON.parse(line) as { argv: string[] }).argv))
    for (const text of [planned.log, applied.log, ...argv, ...host.asked, ...host.comments.map(({ body }) => body)])
      for (const secret of [hostToken, readKey, writeKey]) expect(text).not.toContain(secret)
    expect(seen).not.toMatch(/"(INPUT_\w+|GITHUB_TOKEN|GITLAB_TOKEN)"/)
  })
})

describe('the settings of the GitHub action:', () => {
  it('fail-on: removals fails for a plan that replaces a price, after the comment was written', async () => {
    write(document(1300, '1.1.0'))
    const ended = await action.run('plan', { inputs: { 'fail-on': 'removals' } })
    expect([ended.exit, host.comments.length]).toEqual([3, 1])
    write(document(1200, '1.1.0', 'Pro for teams'))
    expect((await action.run('plan', { inputs: { 'fail-on': 'removals' } })).exit).toBe(0)
    expect((await action.run('plan', { inputs: { 'fail-on': 'changes' } })).exit).toBe(3)
  })

  it('a product name cannot inject a command into the runner’s log', async () => {
    const command = '##[set-output name=removals;]0'
    write(document(1300, '1.1.0', `${command} ::set-output name=removals::0`))
    const { log } = await action.run('plan')
    expect(log).toMatch(/^::stop-commands::[\da-f-]{36}\n/)
    const token = /^::stop-commands::(\S+)/.exec(log)?.[1] ?? ''
    expect(log.split(token)).toHaveLength(2)
  })

  it('the action finds its own comment among hundreds', async () => {
    for (let id = 1; id <= 250; id++) host.comments.push({ id: 1000 + id, body: 'talk', author: 'somebody' })
    write(document(1300, '1.1.0'))
    await action.run('plan')
    write(document(1400, '1.1.0'))
    await action.run('plan')
    expect(host.comments.filter(({ body }) => body.startsWith('<!-- ratecard'))).toHaveLength(1)
  })

  it('a missing key in a fork, a missing token, a wrong command and a wrong input each have an error that names the cause', async () => {
    write(document(1300, '1.1.0'))
    expect((await action.run('plan', { key: '' })).log).toContain('Pull requests of forks get no secrets')
    expect((await action.run('plan', { inputs: { token: '' } })).log).toContain('no token for comments')
    expect((await action.run('plan', { inputs: { token: 'wrong' } })).log).toContain('answered 401')
    expect((await action.run('deploy')).log).toContain('is no command')
    expect((await action.run('plan', { inputs: { 'fail-on': 'sometimes' } })).log).toContain(
      'never, changes or removals',
    )
    expect(host.comments).toEqual([])
  })
})

describe('the files of the GitHub action:', () => {
  it('the action and its workflows use only inputs that the script reads, and the entry point exists', () => {
    const manifest = parse(readFileSync(path.join(root, 'integrations/github-action/action.yml'), 'utf8')) as {
      inputs: Record<string, unknown>
      runs: { main: string }
    }
    const source = readFileSync(script, 'utf8')
    for (const name of Object.keys(manifest.inputs)) expect(source, name).toContain(`'${name}'`)
    expect(manifest.runs.main).toBe('main.mjs')
    for (const name of ['plan', 'apply', 'drift']) {
      const workflow = parse(
        readFileSync(path.join(root, `integrations/github-action/examples/${name}.yml`), 'utf8'),
      ) as { jobs: Record<string, { steps: { uses: string; with?: Record<string, string> }[] }> }
      const step = workflow.jobs[name]?.steps.at(-1)
      expect(step?.with?.['command']).toBe(name)
      for (const input of Object.keys(step?.with ?? {})) expect(Object.keys(manifest.inputs)).toContain(input)
    }
  })
})
