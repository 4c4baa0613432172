// Builds docs/ as a website in site/dist:  npm run docs:site [-- --versions]
// With --versions the pages of each release (tags v…) are built too, under /v<version>/. Every link inside the site is checked.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { brokenLinks } from '../../site/links.ts'

const root = path.join(import.meta.dirname, '../..')
const site = path.join(root, 'site')
const out = path.join(site, 'dist')
/** Path under which the site is served, e.g. `/ratecard/` for project pages of a host. */
const base = process.env['DOCS_BASE'] ?? '/'
const { version } = JSON.parse(readFileSync(path.join(root, 'packages/ratecard/package.json'), 'utf8')) as {
  version: string
}

const run = (command: string, args: readonly string[], options: { cwd: string; env?: NodeJS.ProcessEnv }) =>
  execFileSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'], ...options })

/** Releases, newest first: tags that contain docs/README.md. */
function releases(): readonly string[] {
  if (!process.argv.includes('--versions')) return []
  const tags = execFileSync('git', ['tag', '--list', 'v*', '--sort=-version:refname'], { cwd: root, encoding: 'utf8' })
  return tags.split('\n').filter((tag) => tag !== '' && inTag(tag))
}

function inTag(tag: string): boolean {
  return execFileSync('git', ['ls-tree', '--name-only', tag, 'docs/README.md'], { cwd: root, encoding: 'utf8' }) !== ''
}

const tags = releases()
const versions = [
  { text: `${version} (main)`, link: base },
  ...tags.map((tag) => ({ text: tag.slice(1), link: `${base}${tag}/` })),
]

function build(docs: string, name: string, at: string): void {
  const folder = path.join(out, path.relative(base, at))
  const copy = path.join(site, '.pages')
  rmSync(copy, { recursive: true, force: true })
  cpSync(docs, copy, { recursive: true })
  cpSync(path.join(site, 'landing.md'), path.join(copy, 'landing.md'))
  cpSync(path.join(site, 'mark.svg'), path.join(copy, 'public/mark.svg'))
  const env = {
    DOCS_DIR: docs,
    DOCS_BASE: at,
    DOCS_OUT: folder,
    DOCS_VERSION: name,
    DOCS_VERSIONS: JSON.stringify(versions),
  }
  run(path.join(site, 'node_modules/.bin/vitepress'), ['build', site], { cwd: site, env: { ...process.env, ...env } })
}

if (!existsSync(path.join(site, 'node_modules/vitepress'))) run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: site })
rmSync(out, { recursive: true, force: true })
build(path.join(root, 'docs'), `${version} (main)`, base)
for (const tag of tags) {
  const checkout = mkdtempSync(path.join(os.tmpdir(), 'ratecard-docs-'))
  try {
    const archive = execFileSync('git', ['archive', tag], { cwd: root, maxBuffer: 1 << 30 })
    execFileSync('tar', ['-x', '-C', checkout], { input: archive })
    build(path.join(checkout, 'docs'), tag.slice(1), `${base}${tag}/`)
  } finally {
    rmSync(checkout, { recursive: true, force: true })
  }
}

const pages = globSync('**/*.html', { cwd: out })
const broken = brokenLinks(out, base, pages)
for (const { page, href, why } of broken) console.error(`${page}: ${href}: ${why}`)
if (broken.length > 0) throw new Error(`${broken.length} links lead nowhere.`)
console.log(`${pages.length} pages in site/dist; every link inside the site leads somewhere.`)
