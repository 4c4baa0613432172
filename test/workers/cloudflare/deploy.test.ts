import { describe, expect, it } from 'vitest'
import { CloudflareError, deployToCloudflare } from '../../../packages/ratecard/src/workers/cloudflare/deploy.ts'
import type { CloudflareWorker } from '../../../packages/ratecard/src/workers/cloudflare/requests.ts'
import { parseManifest } from '../../../packages/ratecard/src/workers/project/manifest.ts'
import { announceSkip } from '../../support/skips.ts'
import { startedForEach } from '../../support/started.ts'
import { account, startRecordedApi, token } from './recorded-api.ts'

const api = startedForEach(startRecordedApi)

const source = 'export default { fetch() { return new Response("hello") } }'

function worker(more = '', secrets: Record<string, string> = {}): CloudflareWorker {
  const text = `name = "hooks"\nmain = "i.ts"\ncompatibility_date = "2026-11-01"\n${more}`
  const { manifest, issues } = parseManifest(text, 'wrangler.toml')
  if (manifest === null) throw new Error(JSON.stringify(issues))
  const wasm = { name: './0a-add.wasm', type: 'wasm' as const, content: new Uint8Array([0, 97, 115, 109, 255]) }
  const page = { name: './0b-page.html', type: 'text' as const, content: '<p>ü</p>' }
  const bundle = { code: source, sourceMap: '{}', modules: [wasm, page], bytes: 1 }
  return { manifest, bundle, secrets: new Map(Object.entries(secrets)) }
}

const access = () => ({ accountId: account, apiToken: token, baseUrl: api.url })

describe('a deployment to Cloudflare', () => {
  it('uploads the bundle with its modules, variables and secrets, and then replaces the schedules', async () => {
    const more = `compatibility_flags = ["nodejs_compat"]
[vars]
PLAIN = "text"
LIST = [1, true]
BOTH = "of the manifest"
[triggers]
crons = ["*/5 * * * *", "0 6 * * 0,1-5"]
`
    const deployed = await deployToCloudflare(worker(more, { KEY: 'sk_live_x', BOTH: 'of the file' }), access())
    expect(deployed).toEqual({
      name: 'hooks',
      etag: 'ea95132c15732412d22c1476fa83f27a',
      crons: ['*/5 * * * *', '0 6 * * SUN,MON-FRI'],
    })
    const [upload, schedules, ...others] = api.seen
    expect(others).toEqual([])
    expect(upload).toMatchObject({ method: 'PUT', path: `/client/v4/accounts/${account}/workers/scripts/hooks` })
    expect(schedules?.path).toBe(`${upload?.path ?? ''}/schedules`)
    const { metadata, ...modules } = upload?.parts ?? {}
    expect(JSON.parse(metadata?.content ?? '')).toEqual({
      main_module: 'worker.js',
      compatibility_date: '2026-11-01',
      compatibility_flags: ['nodejs_compat'],
      bindings: [
        { type: 'plain_text', name: 'PLAIN', text: 'text' },
        { type: 'json', name: 'LIST', json: [1, true] },
        { type: 'secret_text', name: 'KEY', text: 'sk_live_x' },
        { type: 'secret_text', name: 'BOTH', text: 'of the file' },
      ],
      keep_bindings: [],
    })
    expect(modules).toEqual({
      'worker.js': { filename: 'worker.js', type: 'application/javascript+module', content: source },
      './0a-add.wasm': { filename: './0a-add.wasm', type: 'application/wasm', content: '\u0000asm\u00ff' },
      './0b-page.html': {
        filename: './0b-page.html',
        type: expect.stringMatching(/^text\/plain/),
        content: Buffer.from('<p>ü</p>').toString('latin1'),
      },
    })
    expect(schedules?.json).toEqual([{ cron: '*/5 * * * *' }, { cron: '0 6 * * SUN,MON-FRI' }])
  })

  it('sends an empty list of schedules if the worker has none, so that Cloudflare deletes the earlier schedules', async () => {
    await deployToCloudflare(worker(), access())
    expect(api.seen[1]).toMatchObject({ json: [] })
  })

  it('does not send the schedules if the upload is refused, and returns Cloudflare’s reason', async () => {
    api.refuse('/scripts/hooks', 400, 10021, 'Uncaught SyntaxError at worker.js:1:4')
    const error = await deployToCloudflare(worker('', { KEY: 'sk_live_x' }), access()).catch(
      (caught: unknown) => caught,
    )
    expect(error).toBeInstanceOf(CloudflareError)
    expect(error).toMatchObject({
      problem: 'refused',
      step: 'upload',
      status: 400,
      message: 'Uncaught SyntaxError at worker.js:1:4 (10021)',
    })
    expect(api.seen).toHaveLength(1)
  })

  it('reports that the code is deployed but the schedules are refused, if only the second request fails', async () => {
    api.refuse('/schedules', 403, 10077, 'you have exceeded the limit of cron triggers')
    const deploy = deployToCloudflare(worker('[triggers]\ncrons = ["* * * * *"]'), access())
    await expect(deploy).rejects.toMatchObject({ problem: 'refused', step: 'schedules', status: 403 })
  })

  it('reports that the token is wrong without printing the token', async () => {
    const deploy = deployToCloudflare(worker(), { ...access(), apiToken: 'wrong-token' })
    const error: unknown = await deploy.catch((caught: unknown) => caught)
    expect(error).toMatchObject({ problem: 'refused', status: 403, message: 'Authentication error (10000)' })
    expect(JSON.stringify(error) + String(error)).not.toContain('wrong-token')
  })

  it('is retried twice if Cloudflare responds with a server error, and then stops at the failed request', async () => {
    api.refuse('/scripts/hooks', 503, 10013, 'workers.api.error.unknown')
    const deploy = deployToCloudflare(worker(), access())
    await expect(deploy).rejects.toMatchObject({ problem: 'refused', step: 'upload', status: 503 })
    expect(api.seen.map(({ path }) => path.endsWith('/hooks'))).toEqual([true, true, true])
  })

  it('ignores Cloudflare credentials in the process environment', async () => {
    process.env['CLOUDFLARE_API_KEY'] = 'a-global-key'
    process.env['CLOUDFLARE_EMAIL'] = 'someone@example.com'
    try {
      await deployToCloudflare(worker(), access())
      expect(api.seen[0]?.authorization).toBe(`Bearer ${token}`)
    } finally {
      delete process.env['CLOUDFLARE_API_KEY']
      delete process.env['CLOUDFLARE_EMAIL']
    }
  })
})

const live = { accountId: process.env['CLOUDFLARE_ACCOUNT_ID'], apiToken: process.env['CLOUDFLARE_API_TOKEN'] }
if (live.accountId === undefined || live.apiToken === undefined) {
  const reason = 'CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_API_TOKEN are not set'
  announceSkip('a deployment to Cloudflare itself', reason, 'account')
}

describe.skipIf(live.accountId === undefined || live.apiToken === undefined)('the API of Cloudflare itself', () => {
  it('accepts a deployment with variables and schedules', async () => {
    const sample = worker('[vars]\nPLAIN = "x"\n[triggers]\ncrons = ["0 6 * * 0,1-5"]', { KEY: 'no real secret' })
    const manifest = { ...sample.manifest, name: 'ratecard-contract-test' }
    const bundle = { ...sample.bundle, modules: [] }
    const real = { accountId: live.accountId ?? '', apiToken: live.apiToken ?? '' }
    try {
      const deployed = await deployToCloudflare({ ...sample, bundle, manifest }, real)
      expect(deployed.crons).toHaveLength(1)
    } finally {
      await fetch(`https://api.cloudflare.com/client/v4/accounts/${real.accountId}/workers/scripts/${manifest.name}`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${real.apiToken}` },
      })
    }
  })
})
