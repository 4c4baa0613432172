import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

/** Proxies close connections that are silent for a minute; half of that leaves room for one lost beat. */
const heartbeatMs = 15_000
const heartbeat = ': still here\n\n'

/**
 * Server-sent events from `source`, with a comment as heartbeat while nothing happens. Waits for the first event, so that a
 * failure before it is an ordinary error; the stream ends when the source does.
 */
export async function eventStream<Event>(
  source: AsyncIterable<Event>,
  render: (event: Event) => { readonly event: string; readonly data: unknown },
): Promise<Readable> {
  const events = source[Symbol.asyncIterator]()
  const first = await events.next()
  return Readable.from(frames(events, first, render), { objectMode: false })
}

/** The same without the wait, for sources that may be silent for long: the client learns at once that it is connected. */
export function openEventStream<Event>(
  source: AsyncIterable<Event>,
  render: (event: Event) => { readonly event: string; readonly data: unknown },
): Readable {
  return Readable.from(openFrames(source[Symbol.asyncIterator](), render), { objectMode: false })
}

async function* openFrames<Event>(
  events: AsyncIterator<Event>,
  render: (event: Event) => { readonly event: string; readonly data: unknown },
): AsyncGenerator<string> {
  yield heartbeat
  const pending = events.next()
  for (;;) {
    const first = await orHeartbeat(pending)
    if (first === null) yield heartbeat
    else {
      yield* frames(events, first, render)
      return
    }
  }
}

async function* frames<Event>(
  events: AsyncIterator<Event>,
  first: IteratorResult<Event>,
  render: (event: Event) => { readonly event: string; readonly data: unknown },
): AsyncGenerator<string> {
  let next = first
  for (let id = 1; next.done !== true; id++) {
    const { event, data } = render(next.value)
    yield `id: ${String(id)}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`
    const pending = events.next()
    for (;;) {
      const result = await orHeartbeat(pending)
      if (result !== null) {
        next = result
        break
      }
      yield heartbeat
    }
  }
}

/** null when nothing came for the length of a heartbeat. */
async function orHeartbeat<Result>(pending: Promise<Result>): Promise<Result | null> {
  let timer: NodeJS.Timeout | undefined
  const silence = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, heartbeatMs, null)
  })
  try {
    return await Promise.race([pending, silence])
  } finally {
    clearTimeout(timer)
  }
}

export function sendEvents(reply: FastifyReply, stream: Readable): FastifyReply {
  return reply.type('text/event-stream; charset=utf-8').header('x-accel-buffering', 'no').send(stream)
}

/** Aborts when the client has left. */
export function goneWith(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => {
    gone.abort()
  })
  return gone.signal
}
