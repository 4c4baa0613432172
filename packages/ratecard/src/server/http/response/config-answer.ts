// Responses that are compressed in advance, with content negotiation and conditional requests. Used for GET config and for the script of
// the pricing table.
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RouteResponse } from '../contract/route.ts'
import type { PublishedConfig } from '../../../api/push/config.ts'

export type Encoding = 'br' | 'gzip' | 'identity'

interface Representation {
  readonly etag: string
  readonly body: Buffer
  readonly headers: Readonly<Record<string, string>>
}

interface Representations {
  readonly identity: Representation
  readonly gzip: Representation
  readonly br: Representation
  readonly tags: readonly string[]
}

export interface ConfigAnswer extends Pick<Representation, 'headers'> {
  readonly status: 200 | 304
  readonly body: Buffer | null
}

/**
 * Cache policy of the public price list: caches must revalidate it on every use. Otherwise a list that is one minute old could show a price
 * that is no longer charged.
 */
export const publicCacheControl = 'public, max-age=0, must-revalidate'
/** CORS headers that let pages of every origin read the public responses. */
export const publicHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'ETag, X-Request-Id, Retry-After',
  'cross-origin-resource-policy': 'cross-origin',
  'x-content-type-options': 'nosniff',
} as const

/** Media type and cache policy of a kind of content. */
interface Kind {
  readonly mediaType: string
  readonly cacheControl: string
}

const jsonKind: Kind = { mediaType: 'application/json; charset=utf-8', cacheControl: publicCacheControl }

const compressGzip = promisify(gzip)
const compressBrotli = promisify(brotliCompress)
const made = new WeakMap<Content, Promise<Representations>>()

type Content = Pick<PublishedConfig, 'body' | 'etag'>

interface ConfigRequest {
  readonly acceptEncoding: string | undefined
  readonly ifNoneMatch: string | undefined
}

/**
 * Returns the response to a GET or HEAD with the given request headers. The first request compresses the content; later ones reuse the
 * bytes.
 */
export async function configAnswer(
  published: Content,
  request: ConfigRequest,
  kind: Kind = jsonKind,
): Promise<ConfigAnswer> {
  const representations = made.get(published) ?? prepareRepresentations(published, kind)
  made.set(published, representations)
  return chooseAnswer(await representations, request)
}

function chooseAnswer(ready: Representations, { acceptEncoding, ifNoneMatch }: ConfigRequest): ConfigAnswer {
  const chosen = ready[encodingOf(acceptEncoding)]
  const tag = matchedTag(ifNoneMatch, chosen.etag, ready.tags)
  if (tag === null) return { status: 200, headers: chosen.headers, body: chosen.body }
  const { 'content-length': _length, 'content-encoding': _encoding, 'content-type': _type, ...rest } = chosen.headers
  return { status: 304, headers: { ...rest, etag: tag }, body: null }
}

async function prepareRepresentations({ body, etag }: Content, kind: Kind): Promise<Representations> {
  const [zipped, brotli] = await Promise.all([
    compressGzip(body, { level: 9 }),
    compressBrotli(body, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
    }),
  ])
  const identity = representation('identity', body, etag, kind)
  // Compression makes tiny documents larger. For such a document, the uncompressed bytes are sent.
  const smaller = (encoding: Encoding, bytes: Buffer) =>
    bytes.length < body.length ? representation(encoding, bytes, etag.replace(/"$/, `-${encoding}"`), kind) : identity
  const all = { identity, gzip: smaller('gzip', zipped), br: smaller('br', brotli) }
  return { ...all, tags: [...new Set(Object.values(all).map((one) => one.etag))] }
}

function representation(
  encoding: Encoding,
  body: Buffer,
  etag: string,
  { mediaType, cacheControl }: Kind,
): Representation {
  const headers = {
    ...publicHeaders,
    'cache-control': cacheControl,
    vary: 'Accept-Encoding',
    etag,
    'content-type': mediaType,
    'content-length': String(body.length),
    ...(encoding === 'identity' ? {} : { 'content-encoding': encoding }),
  }
  return { etag, body, headers }
}

/** Returns the available encoding with the highest weight in `Accept-Encoding`. On equal weights, prefers Brotli, then gzip. */
export function encodingOf(header = ''): Encoding {
  const weights = new Map<string, number>()
  for (const item of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim())
    const given = parameters.find((parameter) => parameter.startsWith('q='))
    const weight = given === undefined ? 1 : Number(given.slice(2))
    weights.set(name, Number.isFinite(weight) ? weight : 0)
  }
  const weightOf = (name: string, otherwise: number) => weights.get(name) ?? weights.get('*') ?? otherwise
  const [br, gz, plain] = [weightOf('br', 0), weights.get('x-gzip') ?? weightOf('gzip', 0), weightOf('identity', 0)]
  if (br > 0 && br >= gz && br >= plain) return 'br'
  return gz > 0 && gz >= plain ? 'gzip' : 'identity'
}

/**
 * Sends a response that caches may store but must revalidate, or 304 if the client already has it. With a service key, only the caller's
 * own cache may store it. An `answer` that is text must be serialized JSON.
 */
export async function sendCacheable(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: RouteResponse | string,
  mediaType = 'application/json; charset=utf-8',
): Promise<FastifyReply> {
  const body = typeof answer === 'string' ? answer : ((await answer.content()) ?? '')
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`
  reply
    .headers(publicHeaders)
    .header('vary', 'X-Service-Key')
    .header('cache-control', request.caller === null ? publicCacheControl : 'private, no-store')
    .header('etag', etag)
  if (matchedTag(request.headers['if-none-match'], etag, [etag]) !== null) return reply.code(304).send()
  return reply.type(mediaType).send(body)
}

const tagPattern = /(?:W\/)?("[^"]*")/g

/**
 * Returns the entity tag for a 304 response; null if a full response is needed. It is `chosen` if `If-None-Match` is `*` or contains it.
 * Otherwise it is one of `tags` (the tags of all encodings of the content) that the header contains. Supports lists and weak comparison
 * (RFC 9110, 13.1.2).
 */
export function matchedTag(header: string | undefined, chosen: string, tags: readonly string[]): string | null {
  if (header === undefined) return null
  if (header.trim() === '*') return chosen
  const listed = new Set([...header.matchAll(tagPattern)].map((match) => match[1] ?? ''))
  if (listed.has(chosen)) return chosen
  return tags.find((tag) => listed.has(tag)) ?? null
}
