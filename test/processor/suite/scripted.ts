// The adapter with a server of scripted responses.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { listenLocally } from '../../support/listen.ts'
import { adapterTo } from '../../support/parts.ts'

export const secretKey = 'sk_test_veryverysecret42'

interface Seen {
  readonly method: string
  readonly url: string
  readonly headers: NodeJS.Dict<string | string[]>
  readonly body: string
}

interface Said {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: unknown
}

/** Creates the adapter with a server that sends these responses in order, and repeats the last one. */
export function against(...answers: Said[]) {
  let next = 0
  return answering(() => answers[Math.min(next++, answers.length - 1)] ?? { body: null })
}

export async function answering(answer: (request: Seen) => Said) {
  const seen: Seen[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      const one = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body }
      seen.push(one)
      const said = answer(one)
      response.writeHead(said.status ?? 200, {
        'content-type': 'application/json',
        'request-id': 'req_1',
        ...said.headers,
      })
      response.end(typeof said.body === 'string' ? said.body : JSON.stringify(said.body))
    })
  })
  await listenLocally(server)
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const apiBase = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { processor: adapterTo(apiBase, secretKey), seen }
}
