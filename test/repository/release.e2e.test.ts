import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { postgresInstalled } from '../support/stores/postgres.ts'
import { announceSkip } from '../support/skips.ts'
import { temporaryFolder } from '../support/folder.ts'

const root = path.resolve(import.meta.dirname, '../..')
const isClone = existsSync(path.join(root, '.git'))
if (!isClone) announceSkip('release', 'this is no clone of a repository')
const canRelease = isClone && postgresInstalled()
if (isClone && !canRelease) announceSkip('release', 'no PostgreSQL server is installed')

const identity = { GIT_AUTHOR_NAME: 'test', GIT_AUTHOR_EMAIL: 'test@example.com' }
const env = { ...process.env, ...identity, GIT_COMMITTER_NAME: 'test', GIT_COMMITTER_EMAIL: 'test@example.com' }

/** Creates a clone with the release script of this working tree and an unreleased section in the changelog. */
function clone() {
  const folder = temporaryFolder()
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, env, encoding: 'utf8' }).trim()
  execFileSync('git', ['clone', '--quiet', '--no-tags', root, folder], { env })
  copyFileSync(path.join(root, 'scripts/release.mjs'), path.join(folder, 'scripts/release.mjs'))
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
  writeFileSync(path.join(folder, '.git/info/exclude'), 'node_modules\n')
  writeFileSync(
    path.join(folder, 'CHANGELOG.md'),
    '# Changelog\n\n## unreleased\n\n- Something that users meet.\n\n## 0.1.0 (2026-01-01)\n',
  )
  git('add', '--all')
  git('commit', '--quiet', '--message', 'a change')
  const release = (...args: string[]) =>
    spawnSync(process.execPath, ['scripts/release.mjs', ...args], { cwd: folder, env, encoding: 'utf8' })
  const manifest = (name: string) =>
    JSON.parse(readFileSync(path.join(folder, name, 'package.json'), 'utf8')) as {
      version: string
      dependencies?: Record<string, string>
    }
  return { folder, git, release, manifest }
}

test.skipIf(!canRelease)(
  'a release sets one version in all packages, dates the list of changes, commits and tags, and publishes nothing',
  () => {
    const { folder, git, release, manifest } = clone()
    const { status, stdout, stderr } = release('7.8.9', '--no-pack')
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    for (const name of readdirSync(path.join(folder, 'packages')))
      if (existsSync(path.join(folder, 'packages', name, 'package.json')))
        expect(manifest(`packages/${name}`).version).toBe('7.8.9')
    const pins = git(
      'grep',
      '-hoE',
      '(github-action@v|RATECARD_VERSION: |newTag: ).*',
      '--',
      'integrations',
      'deploy',
      'docs',
    )
    expect([...new Set(pins.split('\n'))].sort()).toEqual([
      'RATECARD_VERSION: 7.8.9',
      'github-action@v7.8.9',
      'newTag: 7.8.9',
    ])
    expect(manifest('packages/ratecard').dependencies).toMatchObject({ '@ratecard/client': '^7.8.9' })
    const changelog = readFileSync(path.join(folder, 'CHANGELOG.md'), 'utf8')
    expect(changelog).toMatch(
      /^# Changelog\n\n## 7\.8\.9 \(\d{4}-\d\d-\d\d\)\n\n- Something that users meet\.\n\n## 0\.1\.0 /,
    )
    expect(git('describe', '--tags', '--exact-match')).toBe('v7.8.9')
    expect(git('status', '--porcelain')).toBe('')
    expect(stdout).toContain('Nothing is published.')
    const kept = (name: string) =>
      JSON.parse(gunzipSync(readFileSync(path.join(folder, 'test/fixtures', name))).toString('utf8')) as object
    for (const engine of ['sqlite', 'postgres'])
      expect(kept(`stores/7.8.9-${engine}.json.gz`)).toMatchObject({ engine, rows: { versions: [{}, {}] } })
    expect(Object.keys(kept('services/7.8.9.json.gz'))).toContain('main.js')
    expect(git('ls-files', 'test/fixtures').split('\n')).toEqual(
      expect.arrayContaining([
        'test/fixtures/services/7.8.9.json.gz',
        'test/fixtures/stores/7.8.9-postgres.json.gz',
        'test/fixtures/stores/7.8.9-sqlite.json.gz',
      ]),
    )
  },
)

test.skipIf(!isClone)('a release is refused for an earlier version, with uncommitted files, or without changes', () => {
  const { folder, git, release } = clone()
  expect(release('0.0.1')).toMatchObject({ status: 1, stderr: expect.stringContaining('is before') })
  expect(release('seven')).toMatchObject({ status: 1, stderr: expect.stringContaining('say which version') })
  writeFileSync(path.join(folder, 'left-over'), '')
  expect(release('7.8.9')).toMatchObject({ status: 1, stderr: expect.stringContaining('not committed') })
  rmSync(path.join(folder, 'left-over'))
  writeFileSync(path.join(folder, 'CHANGELOG.md'), '# Changelog\n\n## unreleased\n\n## 0.1.0 (2026-01-01)\n')
  git('commit', '--quiet', '--all', '--message', 'nothing to tell')
  expect(release('7.8.9')).toMatchObject({ status: 1, stderr: expect.stringContaining('with something to tell') })
  expect(git('tag', '--list')).toBe('')
})

test.skipIf(!isClone)('a release whose test fixtures cannot be created leaves the repository unchanged', () => {
  const { folder, git, release } = clone()
  writeFileSync(path.join(folder, 'scripts/keep-release.ts'), "throw new Error('no server for this test')\n")
  git('commit', '--quiet', '--all', '--message', 'a broken script')
  const head = git('rev-parse', 'HEAD')
  expect(release('7.8.9', '--no-pack')).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/nothing was changed[^]*no server for this test/),
  })
  expect([git('status', '--porcelain'), git('rev-parse', 'HEAD'), git('tag', '--list')]).toEqual(['', head, ''])
})
