import type { ClientRequest, IncomingMessage } from 'node:http'

/** What the client reads of an answer. */
type Read = Pick<Response, 'ok' | 'status' | 'url' | 'body' | 'text'> & { readonly headers: Pick<Headers, 'get'> }

/**
 * `fetch` over `node:http`, as far as the client needs it: Node’s own loads an HTTP library and a WebAssembly parser first, which
 * takes longer than all else that a command does. An answer that leads elsewhere, and proxies, are left to the real one.
 */
export const plainFetch = (async (input: string | URL | Request, init: RequestInit = {}): Promise<Read> => {
  if (input instanceof URL || typeof input === 'string') {
    const url = new URL(input)
    const answer = await answerTo(url, init)
    if (![301, 302, 303, 307, 308].includes(answer.statusCode ?? 0)) return readOf(url, answer)
    answer.resume()
  }
  return fetch(input, init)
  // The client takes no more of an answer than is here; a whole Response would load what this avoids.
}) as typeof fetch

function answerTo(url: URL, { method = 'GET', headers, body, signal }: RequestInit): Promise<IncomingMessage> {
  // An import of these modules would load all that they can export, among it that very library.
  const { request } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http')
  return new Promise((resolve, reject) => {
    const failed = (cause: unknown) => {
      reject(new TypeError('fetch failed', { cause }))
    }
    let sent: ClientRequest
    try {
      sent = request(
        url,
        { method, headers: headers as Record<string, string>, ...(signal ? { signal } : {}) },
        resolve,
      )
    } catch (error) {
      failed(error)
      return
    }
    sent.on('error', failed)
    sent.end(body ?? undefined)
  })
}

function readOf(url: URL, answer: IncomingMessage): Read {
  const status = answer.statusCode ?? 0
  return {
    ok: status >= 200 && status < 300,
    status,
    url: url.href,
    headers: {
      get: (name) => {
        const value = answer.headers[name.toLowerCase()]
        return value === undefined ? null : [value].flat().join(', ')
      },
    },
    get body() {
      return ReadableStream.from(partsOf(answer))
    },
    text: async () => {
      const parts: Uint8Array<ArrayBuffer>[] = []
      for await (const part of partsOf(answer)) parts.push(part)
      return Buffer.concat(parts).toString('utf8')
    },
  }
}

/** An answer that breaks off fails as it does in `fetch`, which callers know. */
async function* partsOf(answer: IncomingMessage): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  try {
    for await (const part of answer) yield part as Buffer<ArrayBuffer>
  } catch (cause) {
    throw new TypeError('terminated', { cause })
  }
}
