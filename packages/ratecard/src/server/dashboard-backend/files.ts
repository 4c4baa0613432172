// Serves the built files of the dashboard. Only files that the build lists are served, so no path of a request reaches the file system.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** Output folder of scripts/build-dashboard.mjs. The relative path is the same from the sources and from the built files. */
const folder = fileURLToPath(new URL('../../../dist/pages/', import.meta.url))

export type Encoding = 'br' | 'gzip' | 'identity'

export interface BuiltFile {
  readonly mediaType: string
  bytes(encoding: Encoding): Promise<Buffer>
}

/** Data that is embedded in the HTML of a page for a signed-in user. */
export interface KnownToPages {
  /** Token that proves that a request comes from a page of the dashboard. Token and change tag need no HTML escaping. */
  readonly pageToken: string
  /** Current change tag. It is embedded in the page, so that the page does not have to request it first. */
  readonly changeTag: string
}

export interface BuiltPages {
  /** Returns the HTML that loads the page at `place`, a path below the dashboard's path. Without `known` the user is not signed in. */
  index(place: string, known?: KnownToPages): string
  /** URL of the style sheet, which pages without script use too. */
  readonly styleSheet: string
  /** Returns a built file by its name, which contains a hash of its content; undefined for an unknown name. */
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
  /** Script files by page path, e.g. `/tenants/:tenant`, for every page except the first one. */
  readonly scripts: Readonly<Record<string, readonly string[]>>
  readonly files: readonly string[]
}

/** Returns a function that loads the built pages. It reads them once, at its first call. It returns null if the pages are not built. */
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
  // Compress the files of the first page now, because the browser will request them next.
  for (const [name, file] of files) if (index.includes(name)) void file.bytes('br')
  return {
    index: (place, known) =>
      index.replace(
        '</head>',
        () => `${preloadTags(manifest, place)}${known === undefined ? '' : embeddedTags(known)}</head>`,
      ),
    styleSheet: manifest.styleSheet,
    file: (name) => files.get(name),
  }
}

/** Returns `modulepreload` links for the scripts of a page, so that they load in parallel with the first script. */
function preloadTags({ scripts }: Manifest, place: string): string {
  const names = place.split('/')
  const isAt = (pattern: string) => {
    const parts = pattern.split('/')
    return parts.length === names.length && parts.every((part, index) => part.startsWith(':') || part === names[index])
  }
  const [, files = []] = Object.entries(scripts).find(([pattern]) => isAt(pattern)) ?? []
  return files.map((file) => `<link rel="modulepreload" href="${file}">\n`).join('')
}

/** Returns meta tags with the page token and the change tag. Neither contains a character that could end its HTML attribute. */
const embeddedTags = ({ pageToken, changeTag }: KnownToPages) =>
  `<meta name="page-token" content="${pageToken}">
<meta name="change-tag" content="${changeTag}">
`

const compress = { br: promisify(brotliCompress), gzip: promisify(gzip) }
const slowly = { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }

/** Returns a file of the build. The file is compressed once for each encoding, at the first request for that encoding. */
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
