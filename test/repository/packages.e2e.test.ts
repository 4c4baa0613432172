import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'

const root = path.resolve(import.meta.dirname, '../..')

test.each(['client', 'pricing-table', 'ratecard', 'sandbox'])(
  'npm pack in packages/%s is refused with the command that builds the tarball',
  (name) => {
    const cwd = path.join(root, 'packages', name)
    const { status, stderr } = spawnSync('npm', ['pack', '--dry-run'], { cwd, encoding: 'utf8' })
    expect(status).not.toBe(0)
    expect(stderr).toContain('npm run pack')
  },
)

test('the tarball of ratecard contains its bundle, the sandbox and the client, so that neither has to be published for an installation', () => {
  const out = temporaryFolder()
  execFileSync(process.execPath, [path.join(root, 'scripts/pack.mjs'), '--out', out], { encoding: 'utf8' })
  const tarball = readdirSync(out).find((name) => /^ratecard-\d/.test(name)) ?? ''
  const files = execFileSync('tar', ['tf', path.join(out, tarball)], { encoding: 'utf8' }).split('\n')
  // Includes the entry file of the sandbox's thread, which is started by file name.
  for (const name of ['cli.js', 'library.js', 'thread-main.js', 'THIRD-PARTY-LICENSES.txt'])
    expect(files).toContain(`package/bundle/${name}`)
  expect(files).toContain('package/dist/server/library.d.ts')
  expect(files).toContain('package/dist/pages/manifest.json')
  expect(files).toContain('package/node_modules/@ratecard/client/dist/client.js')
  expect(files.filter((name) => name.endsWith('.tsbuildinfo'))).toEqual([])
})
