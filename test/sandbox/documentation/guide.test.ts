import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { faultKinds } from '../../../packages/sandbox/src/control/faults.ts'
import { sandboxForTest } from '../../support/sandbox.ts'
import { announceSkip } from '../../support/skips.ts'

const [guide = '', reference = ''] = ['guides/sandbox', 'reference/sandbox-server'].map((page) =>
  readFileSync(new URL(`../../../docs/${page}.md`, import.meta.url), 'utf8'),
)
const blocks = [...`${guide}\n${reference}`.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map((match) => match[1] ?? '')
const run = promisify(execFile)

const installed = spawnSync('curl', ['--version']).status === 0
if (!installed) announceSkip('the commands of docs/guides/sandbox.md', 'curl is not installed')

test.runIf(installed)(
  'all commands of the sandbox guide and of its reference succeed in their order, without any edit',
  async () => {
    const sandbox = await sandboxForTest()
    expect(blocks).toHaveLength(10)
    for (const block of blocks) {
      // Runs the block with a curl that fails if the response is an error.
      const script = `set -e\ncurl() { command curl -sS --fail-with-body "$@"; }\n${block.replaceAll('127.0.0.1:4243', `127.0.0.1:${sandbox.port}`)}`
      await run('bash', ['-c', script])
    }
    expect(sandbox.control.status()).toMatchObject({ profile: 'none', faults: [] })
    const seeded = await fetch(`${sandbox.url}/v1/products`, { headers: { Authorization: 'Bearer sk_test_mine' } })
    expect(await seeded.json()).toMatchObject({
      data: [{ name: 'Pro', default_price: expect.stringMatching(/^price_/) as string }],
    })
  },
)

test('the sandbox guide names every fault', () => {
  for (const kind of faultKinds) expect(guide).toMatch(new RegExp(`^\\| \`${kind}\` +\\|`, 'm'))
})
