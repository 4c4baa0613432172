import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

/**
 * Heartbeat interval (ms). Proxies close connections after about 60 s without data. The interval is a quarter of that, so that a lost
 * heartbeat does no harm.
 */
const heartbeatMs = 15_000
const heartbeat = ': still here\n\n'

/**
 * Sends the events of `source` as server-sent events. While there is no event, sends comments as heartbeats. Waits for the first event, so
 * that a failure before it becomes an ordinary error response. The stream ends when the source ends.
 */
export async function eventStream<Event>(
  source: AsyncIterable<Event>,
  render: (event: Event) => { readonly event: string; readonly data: unknown },
): Promise<Readable> {
  const events = source[Symbol.asyncIterator]()
  const first = await events.next()
  return Readable.from(eventFrames(events, first, render), { objectMode: false })
}

/**
 * Like `eventStream`, but does not wait for the first event. The client gets the response headers at once, even if the source is idle for
 * long.
 */
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
      yield* eventFrames(events, first, render)
      return
    }
  }
}

async function* eventFrames<Event>(
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

/** Resolves with the result of `pending`, or with null if the heartbeat interval passes first. */
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

/** Returns a signal that aborts when the client disconnects. */
export function goneWith(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => {
    gone.abort()
  })
  return gone.signal
}
