import { createHmac } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Command, CommandContext } from '../../../program/command.ts'
import { usageFailure } from '../../../failure.ts'
import { connect, type ServerConnection } from '../../../server-address.ts'
import { listOption } from '../../plan-and-apply.ts'

/** Poll interval (ms). The API allows one request per second on this route. */
const pollMs = 1000
const forwardTimeoutMs = 10_000

export const billingWebhookListen: Command = {
  name: 'billing webhook listen',
  summary: 'Forward the account’s events to your machine during development',
  description:
    'Polls the service for new events, and posts each one to your address. Events are signed like real deliveries, with a secret that stays the same for your service key. Nothing is registered at the processor. Stop the command with Ctrl-C.',
  options: [
    { flags: '--forward <url>', description: 'URL of your handler, e.g. http://127.0.0.1:3000/hooks.' },
    { flags: '--events <types>', description: 'Event types, separated by commas.', defaultText: 'all' },
    {
      flags: '--secret <secret>',
      description: 'Sign with this secret. Default: one that is derived from your service key.',
    },
    { flags: '--print-secret', description: 'Print the signing secret and stop.' },
  ],
  examples: [
    { command: 'ratecard billing webhook listen --forward http://127.0.0.1:3000/hooks', what: 'every event' },
    { command: 'export HOOK_SECRET=$(ratecard billing webhook listen --print-secret)', what: 'for your handler' },
  ],
  run: async (context) => {
    const { options, out } = context
    const connection = connect(context)
    const secret = options.text('secret') ?? secretFor(connection)
    if (options.flag('printSecret')) {
      out.print(secret)
      return { json: { secret } }
    }
    const target = forwardTarget(options.text('forward'))
    await listen(context, connection, { target, secret, types: listOption(options, 'events') ?? [] })
    return {}
  },
}

/**
 * Returns the signing secret for forwarded events. It is an HMAC with the service key, so that it is the same at every start and does not
 * reveal the key.
 */
function secretFor({ key }: ServerConnection): string {
  if (key === null)
    throw usageFailure('Listening needs a service key.', 'Set RATECARD_SERVICE_KEY, or give --service-key.')
  return `whsec_${createHmac('sha256', key).update('ratecard webhook listen').digest('hex')}`
}

function forwardTarget(text: string | undefined): URL {
  const url = text === undefined ? null : URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw usageFailure(
      text === undefined ? '--forward is missing.' : `"${text}" is not a valid URL.`,
      'Write it like --forward http://127.0.0.1:3000/hooks.',
    )
  if (url.protocol === 'http:' && !/^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(url.hostname))
    throw usageFailure(
      'Events contain customer data, so without https they are forwarded only to this machine.',
      'Use an https:// address, or one on 127.0.0.1.',
    )
  return url
}

interface ForwardOptions {
  readonly target: URL
  readonly secret: string
  /** Event types to forward; empty means all. */
  readonly types: readonly string[]
}

async function listen(
  context: CommandContext,
  { client, url }: ServerConnection,
  forwarding: ForwardOptions,
): Promise<void> {
  const { io, out } = context
  const { types } = forwarding
  const ask = (after: string | null) =>
    client.admin.processorEvents({ ...(after === null ? {} : { after }), types, signal: io.signal })
  // In an account without events, start with its first event.
  let after = (await ask(null)).last ?? ''
  out.say(`Listening to ${url}; each event goes to ${forwarding.target.href}. Ctrl-C ends it.`)
  out.say(`Signing secret for your handler: ${forwarding.secret}`)
  try {
    while (!io.signal.aborted) {
      const { events, last } = await ask(after)
      for (const event of events) await forward(context, forwarding, event)
      after = last ?? after
      if (events.length === 0) await wait(pollMs, undefined, { signal: io.signal })
    }
  } catch (error) {
    if (!io.signal.aborted) throw error
  }
}

type Event = Awaited<ReturnType<ServerConnection['client']['admin']['processorEvents']>>['events'][number]

async function forward({ io, out, global }: CommandContext, { target, secret }: ForwardOptions, event: Event) {
  const payload = JSON.stringify(event.body)
  const seconds = Math.floor(Date.now() / 1000)
  const signature = createHmac('sha256', secret)
    .update(`${String(seconds)}.${payload}`)
    .digest('hex')
  const answer = await postEvent(target, payload, `t=${String(seconds)},v1=${signature}`, io.signal)
  if (global.json) io.stdout.write(`${JSON.stringify({ id: event.id, type: event.type, ...answer })}\n`)
  const { paint } = out
  const verdict =
    answer.status === null
      ? paint.red(answer.error)
      : answer.status < 300
        ? paint.green(String(answer.status))
        : paint.red(String(answer.status))
  out.say(`${event.type.padEnd(40)} ${event.id}  ${verdict}`)
}

type ForwardResult =
  { readonly status: number; readonly error: null } | { readonly status: null; readonly error: string }

async function postEvent(target: URL, payload: string, signature: string, stop: AbortSignal): Promise<ForwardResult> {
  const timeout = AbortSignal.timeout(forwardTimeoutMs)
  try {
    const response = await fetch(target, {
      method: 'POST',
      body: payload,
      redirect: 'manual',
      headers: { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature },
      signal: AbortSignal.any([timeout, stop]),
    })
    await response.body?.cancel()
    return { status: response.status, error: null }
  } catch (cause) {
    const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
    const why = stop.aborted
      ? 'stopped'
      : timeout.aborted
        ? 'no answer within ten seconds'
        : inner instanceof Error
          ? inner.message
          : String(inner)
    return { status: null, error: why }
  }
}
