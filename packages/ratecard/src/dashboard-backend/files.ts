// The built files of the dashboard. Only what the build listed is ever served: no path of a request reaches the file system.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** Made by scripts/build-dashboard.mjs. The same place from the sources and from the build. */
const folder = fileURLToPath(new URL('../../dist/pages/', import.meta.url))

export type Encoding = 'br' | 'gzip' | 'identity'

export interface BuiltFile {
  readonly mediaType: string
  bytes(encoding: Encoding): Promise<Buffer>
}

/** What the pages of a session begin with, in their document. */
export interface KnownToPages {
  /** Says that a call comes from such a page. Needs no escaping, as the tag. */
  readonly pageToken: string
  /** As of now: one question less before anything is shown. */
  readonly changeTag: string
  /** JSON: answers of the API by their path, no older than the tag. What the page would ask for first. */
  readonly answers: string
}

export interface BuiltPages {
  /** The page that loads the others, at `place` below the dashboard's path; without `known` nobody is signed in. */
  index(place: string, known?: KnownToPages): string
  /** Address of the style sheet that pages without script share. */
  readonly styleSheet: string
  /** By name, which has a hash of the content in it; undefined for a name that the build did not make. */
  file(name: string): BuiltFile | undefined
}

const mediaTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

interface Manifest {
  readonly styleSheet: string
  /** Of a page beside the first one, by its path: `/tenants/:tenant`. */
  readonly scripts: Readonly<Record<string, readonly string[]>>
  readonly files: readonly string[]
}

/** null when the pages were not built. Read once, at the first call. */
export function createPages(from: string = folder): () => Promise<BuiltPages | null> {
  let known: Promise<BuiltPages> | null = null
  return async () => {
    known ??= readPages(from)
    try {
      return await known
    } catch (error) {
      known = null
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
      throw error
    }
  }
}

async function readPages(from: string): Promise<BuiltPages> {
  const manifest = JSON.parse(await readFile(path.join(from, 'manifest.json'), 'utf8')) as Manifest
  const files = new Map(manifest.files.map((name) => [name, builtFile(path.join(from, 'assets', name))]))
  const index = await readFile(path.join(from, 'index.html'), 'utf8')
  // The first visitor does not wait for it: the browser asks for these files a moment later.
  for (const [name, file] of files) if (index.includes(name)) void file.bytes('br')
  return {
    index: (place, known) =>
      index.replace('</head>', () => `${preloads(manifest, place)}${known === undefined ? '' : said(known)}</head>`),
    styleSheet: manifest.styleSheet,
    file: (name) => files.get(name),
  }
}

/** Fetched while the first script is on its way, which would ask for it afterwards. */
function preloads({ scripts }: Manifest, place: string): string {
  const names = place.split('/')
  const isAt = (pattern: string) => {
    const parts = pattern.split('/')
    return parts.length === names.length && parts.every((part, index) => part.startsWith(':') || part === names[index])
  }
  const [, files = []] = Object.entries(scripts).find(([pattern]) => isAt(pattern)) ?? []
  return files.map((file) => `<link rel="modulepreload" href="${file}">\n`).join('')
}

/** The block of answers is data to the browser, which runs nothing of it; no text in it can end it. */
const said = ({ pageToken, changeTag, answers }: KnownToPages) =>
  `<meta name="page-token" content="${pageToken}">
<meta name="change-tag" content="${changeTag}">
<script type="application/json" id="first-answers">${answers.replaceAll('<', '\\u003c')}</script>
`

const compress = { br: promisify(brotliCompress), gzip: promisify(gzip) }
const slowly = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }

/** Compressed when first asked for, once for each encoding. */
function builtFile(place: string): BuiltFile {
  const kept = new Map<Encoding, Promise<Buffer>>()
  const make = async (encoding: Encoding): Promise<Buffer> => {
    if (encoding === 'identity') return readFile(place)
    const plain = await bytes('identity')
    return encoding === 'br' ? compress.br(plain, slowly) : compress.gzip(plain, { level: 9 })
  }
  const bytes = (encoding: Encoding): Promise<Buffer> => {
    const present = kept.get(encoding)
    if (present !== undefined) return present
    const made = make(encoding)
    kept.set(encoding, made)
    made.catch(() => kept.delete(encoding))
    return made
  }
  return { mediaType: mediaTypes[path.extname(place)] ?? 'application/octet-stream', bytes }
}
