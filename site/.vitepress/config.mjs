// The documentation as a website: a landing page, and the Markdown files of docs/, with docs/README.md as their list and as the menu.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { defineConfig } from 'vitepress'
import { menuOf, placeholdersAsText, relinked } from '../pages.mjs'

/** Set by scripts/docs/docs-site.ts: the folder of the Markdown files, the path under which the site is served, and its versions. */
const docs = path.resolve(process.env['DOCS_DIR'] ?? '../docs')
const base = process.env['DOCS_BASE'] ?? '/'
const version = process.env['DOCS_VERSION'] ?? 'this checkout'
const versions = JSON.parse(process.env['DOCS_VERSIONS'] ?? '[]')

const menu = menuOf(readFileSync(path.join(docs, 'README.md'), 'utf8'))
const decisions = readdirSync(path.join(docs, 'decisions'))
  .filter((name) => name.endsWith('.md'))
  .map((name) => ({
    text: titleOf(path.join(docs, 'decisions', name)),
    link: `/decisions/${name.replace(/\.md$/, '')}`,
  }))

function titleOf(file) {
  return /^# (.+)$/m.exec(readFileSync(file, 'utf8'))?.[1] ?? path.basename(file)
}

/** A menu that names every page, so that a page without an entry in docs/README.md fails the build. */
function refuseForgotten(groups) {
  const listed = new Set(groups.flatMap(({ items = [] }) => items.map(({ link }) => link)))
  const forgotten = ['guides', 'operations', 'reference'].flatMap((folder) =>
    readdirSync(path.join(docs, folder))
      .filter((name) => name.endsWith('.md') && !listed.has(`/${folder}/${name.replace(/\.md$/, '')}`))
      .map((name) => `docs/${folder}/${name}`),
  )
  if (forgotten.length > 0) throw new Error(`docs/README.md has no link to ${forgotten.join(', ')}.`)
}
if (version === 'this checkout') refuseForgotten(menu)

/**
 * How much a page counts in the search. Who looks for "rollback" wants the guide, and not the command or the shape of an answer. VitePress
 * turns the function into text, so it uses nothing from outside.
 */
const weightOf = (id) => (id.includes('/guides/') ? 4 : id.includes('/operations/') ? 2 : 1)

export default defineConfig({
  title: 'Ratecard',
  description:
    'Billing configuration as code, for Stripe: products, prices, deals and limits as files, with a plan before each change.',
  lang: 'en',
  base,
  head: [['link', { rel: 'icon', href: `${base}mark.svg` }]],
  // A copy of docs/: pages find Vue in this folder only.
  srcDir: '.pages',
  outDir: process.env['DOCS_OUT'] ?? path.join(import.meta.dirname, '../dist'),
  rewrites: { 'README.md': 'contents.md', 'landing.md': 'index.md' },
  cleanUrls: false,
  lastUpdated: false,
  markdown: {
    // The default themes have too little contrast for comments and keywords.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    // Headings of the reference contain paths such as /tenants/{id}, which would be read as attributes.
    attrs: { disable: true },
    anchor: { slugify: headingId },
    languageAlias: { 'sh-session': 'shellsession' },
    config: (md) => {
      relinked(md, { docs, repository: repositoryUrl() })
      placeholdersAsText(md)
    },
  },
  themeConfig: {
    logo: { src: '/mark.svg', alt: '' },
    nav: [
      { text: 'Fifteen minutes', link: '/guides/fifteen-minutes' },
      { text: 'All pages', link: '/contents' },
      { text: 'Reference', link: '/reference/config' },
      { text: version, items: versions.map(({ text, link }) => ({ text, link, target: '_self' })) },
    ],
    sidebar: {
      '/': [...menu, { text: 'Changing Ratecard itself', items: [{ text: 'Decisions', link: decisions[0].link }] }],
      '/decisions/': [
        { text: 'Documentation', link: '/contents' },
        { text: 'Decisions', items: decisions },
      ],
    },
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        // A line of each hit, and not its title alone.
        detailedView: true,
        miniSearch: { searchOptions: { boostDocument: weightOf } },
        // A search for "price" should find the guide, not forty decisions that mention prices.
        _render: (source, env, md) => (env.relativePath.startsWith('decisions/') ? '' : md.render(source, env)),
      },
    },
  },
})

/** Returns the id of a heading as code hosts make it, so that one link works in both places, e.g. `#rate_limited`. */
function headingId(heading) {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')
}

/** Address of the repository at its host, for links to files that are not part of the site. null if it is not known. */
function repositoryUrl() {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name } = process.env
  return server === undefined || name === undefined ? null : `${server}/${name}`
}
