// A fake code host with the API calls about comments of pull requests on GitHub and GitLab. It keeps everything in memory.
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { listenLocally } from '../../support/listen.ts'

export interface Comment {
  readonly id: number
  body: string
  readonly author: string
}

export interface CodeHost {
  readonly url: string
  readonly comments: Comment[]
  /** Numbers of the merged pull requests, by commit hash. */
  readonly merged: Map<string, number>
  /** The received requests, as `METHOD /path`. */
  readonly asked: string[]
  close(): Promise<void>
}

export const hostToken = 'tok_only_in_a_header_7f3a'
const perPage = 100

async function bodyOf(request: IncomingMessage): Promise<{ body?: string }> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return chunks.length === 0 ? {} : (JSON.parse(Buffer.concat(chunks).toString('utf8')) as { body?: string })
}

export async function startCodeHost(): Promise<CodeHost> {
  const comments: Comment[] = []
  const merged = new Map<string, number>()
  const asked: string[] = []
  let nextId = 1
  const seen = ({ id, body, author }: Comment) => ({
    id,
    body,
    user: { login: author },
    author: { id: author },
    system: false,
  })
  const create = (body: string, author: string) => {
    const comment = { id: nextId++, body, author }
    comments.push(comment)
    return seen(comment)
  }

  function answer(method: string, url: URL, body: string, me: string): unknown {
    const path = url.pathname
    const page = Number(url.searchParams.get('page') ?? '1')
    const listed = () => comments.slice((page - 1) * perPage, page * perPage).map(seen)
    const change = (id: number) => {
      const comment = comments.find((one) => one.id === id)
      if (comment === undefined) return null
      comment.body = body
      return seen(comment)
    }
    const rows: readonly (readonly [string, RegExp, (...ids: string[]) => unknown])[] = [
      ['GET', /^\/repos\/acme\/shop\/issues\/7\/comments$/, listed],
      ['POST', /^\/repos\/acme\/shop\/issues\/7\/comments$/, () => create(body, me)],
      ['PATCH', /^\/repos\/acme\/shop\/issues\/comments\/(\d+)$/, (id) => change(Number(id))],
      [
        'GET',
        /^\/repos\/acme\/shop\/commits\/(\w+)\/pulls$/,
        (sha = '') =>
          [...merged]
            .filter(([commit]) => commit === sha)
            .map(([commit, number]) => ({ number, merged_at: 'now', merge_commit_sha: commit })),
      ],
      ['GET', /^\/user$/, () => ({ id: me })],
      ['GET', /^\/projects\/acme%2Fshop\/merge_requests\/7\/notes$/, listed],
      ['POST', /^\/projects\/acme%2Fshop\/merge_requests\/7\/notes$/, () => create(body, me)],
      ['PUT', /^\/projects\/acme%2Fshop\/merge_requests\/7\/notes\/(\d+)$/, (id) => change(Number(id))],
      [
        'GET',
        /^\/projects\/acme%2Fshop\/repository\/commits\/(\w+)\/merge_requests$/,
        (sha = '') =>
          [...merged]
            .filter(([commit]) => commit === sha)
            .map(([commit, number]) => ({ iid: number, state: 'merged', merge_commit_sha: commit })),
      ],
    ]
    for (const [wanted, pattern, act] of rows) {
      const match = wanted === method ? pattern.exec(path) : null
      if (match !== null) return act(...match.slice(1))
    }
    return null
  }

  const server = createServer((request, response) => {
    void bodyOf(request).then(({ body = '' }) => {
      const url = new URL(request.url ?? '/', 'http://host')
      const method = request.method ?? 'GET'
      asked.push(`${method} ${url.pathname}${url.search}`)
      const { authorization, 'private-token': token } = request.headers
      const me = token === undefined ? 'github-actions[bot]' : 'bot'
      const allowed = authorization === `Bearer ${hostToken}` || token === hostToken
      const found = allowed ? answer(method, url, body, me) : null
      response.writeHead(allowed ? (found === null ? 404 : 200) : 401, { 'content-type': 'application/json' })
      response.end(JSON.stringify(found ?? {}))
    })
  })
  await listenLocally(server)
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    comments,
    merged,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve()
        })
        server.closeAllConnections()
      }),
  }
}
