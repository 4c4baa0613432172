// Prepares a release of all packages without publishing it:
//   node scripts/release.mjs <version> [--dry-run]
// Sets the version everywhere, gives the unreleased section of CHANGELOG.md its version and date, creates the fixtures for upgrade tests, commits,
// tags, builds and packs. Prints the remaining manual steps. After a failure only the commit and the tag may remain, and their names are
// printed. Needs PostgreSQL on this machine.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const [version = '', ...flags] = process.argv.slice(2)
const dry = flags.includes('--dry-run')
const say = (line) => process.stdout.write(`${line}\n`)
const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
const npm = (...args) =>
  execFileSync('npm', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
const read = (name) => readFileSync(path.join(root, name), 'utf8')
const write = (name, text) => writeFileSync(path.join(root, name), text)

/** Folders of the published packages, in the order of their dependencies. */
const folders = JSON.parse(read('package.json')).workspaces
/** The section of CHANGELOG.md that is not released yet: its heading, and what it tells. */
const unreleased = /^## .*unreleased\n([^]*?)(?=^## |(?![^]))/m

function refuse(why) {
  process.stderr.write(`release: ${why}\n`)
  process.exit(1)
}

/** Returns 1 if version `a` is later than `b`, -1 if earlier, 0 if equal. A release version is three numbers. */
function compare(a, b) {
  const [left, right] = [a, b].map((text) => text.split('.').map(Number))
  const at = left.findIndex((part, index) => part !== right[index])
  return at === -1 ? 0 : Math.sign(left[at] - right[at])
}

function check() {
  if (!/^\d+\.\d+\.\d+$/.test(version)) refuse('say which version: node scripts/release.mjs 1.2.3')
  const current = JSON.parse(read('packages/ratecard/package.json')).version
  // The version may equal the current one: the first release has the version that the manifests already contain.
  if (compare(version, current) < 0) refuse(`${version} is before ${current}`)
  if (git('tag', '--list', `v${version}`) !== '') refuse(`there is a tag v${version} already`)
  if (git('status', '--porcelain') !== '') refuse('there are changes that are not committed')
  const told = unreleased.exec(read('CHANGELOG.md'))?.[1]?.trim() ?? ''
  if (told === '') refuse('CHANGELOG.md has no section "unreleased" with something to tell')
  return told
}

/** Files outside of the manifests that contain the version. It follows the first group of each pattern. */
const action = /(github-action@v)[\d.]+/g
const pinned = [
  ['deploy/kubernetes/kustomization.yaml', /(newTag: ).*/],
  ['integrations/gitlab/ratecard.gitlab-ci.yml', /(RATECARD_VERSION: ).*/],
  ...['plan', 'apply', 'drift'].map((name) => [`integrations/github-action/examples/${name}.yml`, action]),
  ['docs/guides/prices-in-pull-requests.md', action],
]

/** Sets the version in the manifests of all packages, and in their references to each other. */
function setVersions() {
  const names = new Set(folders.map((folder) => JSON.parse(read(`${folder}/package.json`)).name))
  for (const folder of folders) {
    const manifest = JSON.parse(read(`${folder}/package.json`))
    manifest.version = version
    for (const kind of ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'])
      for (const name of Object.keys(manifest[kind] ?? {})) if (names.has(name)) manifest[kind][name] = `^${version}`
    write(`${folder}/package.json`, `${JSON.stringify(manifest, null, 2)}\n`)
  }
  const lock = JSON.parse(read('package-lock.json'))
  for (const folder of folders) {
    const { dependencies, devDependencies, peerDependencies, optionalDependencies } = JSON.parse(
      read(`${folder}/package.json`),
    )
    const entry = lock.packages[folder]
    const given = { dependencies, devDependencies, peerDependencies, optionalDependencies }
    entry.version = version
    for (const [kind, value] of Object.entries(given)) if (value !== undefined) entry[kind] = value
  }
  write('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`)
  for (const [file, pattern] of pinned)
    write(
      file,
      read(file).replace(pattern, (_, before) => `${before}${version}`),
    )
}

/** Gives the unreleased section of the changelog the version and the day of the last commit. */
function dateChanges() {
  const heading = `## ${version} (${git('log', '-1', '--format=%cs')})`
  write('CHANGELOG.md', read('CHANGELOG.md').replace(/^## .*unreleased$/m, heading))
}

/** Fixture files that scripts/keep-release.ts writes. */
const fixtures = [`stores/${version}-sqlite`, `stores/${version}-postgres`, `services/${version}`].map(
  (name) => `test/fixtures/${name}.json.gz`,
)

/**
 * Creates the fixtures of this release for the upgrade tests. Reverts everything if that fails, which is possible because the tree was
 * clean before.
 */
function keepFixtures() {
  const there = fixtures.filter((name) => existsSync(path.join(root, name)))
  if (there.length === fixtures.length) return say(`The fixtures of ${version} are there already.`)
  try {
    // The fixtures come from the working tree's own sources, and some of those are built and not committed.
    for (const script of [['scripts/sources.ts'], ['scripts/keep-release.ts', version]])
      execFileSync(process.execPath, script, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  } catch (error) {
    for (const name of fixtures) if (!there.includes(name)) rmSync(path.join(root, name), { force: true })
    git('reset', '--quiet', '--hard')
    refuse(`its fixtures could not be kept; nothing was changed.\n${String(error.stderr ?? error)}`)
  }
}

const told = check()
if (dry) {
  say(`Would release ${version} of ${folders.join(', ')} and tell:\n\n${told}`)
} else {
  setVersions()
  keepFixtures()
  dateChanges()
  git('add', '--all')
  git('commit', '--quiet', '--message', `release ${version}`)
  git('tag', '--annotate', `v${version}`, '--message', `Ratecard ${version}`)
  say(`Committed and tagged v${version}.`)
  if (!flags.includes('--no-pack')) {
    npm('run', 'build')
    say(npm('run', '--silent', 'pack', '--', '--out', 'tarballs'))
  }
  say(`Nothing is published. Look at it (git show v${version}; npm run pack:check), then:

  git push --follow-tags
  for tarball in tarballs/*.tgz; do npm publish --provenance --access public "$tarball"; done

Provenance needs a pipeline that npm trusts (its OIDC token), so publish from there. To take it back before that:
  git tag --delete v${version} && git reset --hard HEAD~1`)
}
