import { verifyWebhook, WebhookError } from '@ratecard/client/webhooks'

export default {
  async fetch(request, env, ctx): Promise<Response> {
    const { pathname } = new URL(request.url)
    if (pathname === '/' && request.method === 'GET') return Response.json({ worker: '{{name}}', ok: true })
    if (pathname === '/hooks/billing' && request.method === 'POST') return receiveBillingEvent(request, env, ctx)
    return new Response('Not found', { status: 404 })
  },

  // Runs on the schedules of `[triggers] crons` in wrangler.toml, in UTC.
  async scheduled(event, env, ctx): Promise<void> {
    // The run ends when everything given to waitUntil has ended; a rejection fails the run.
    ctx.waitUntil(report(event, env))
  },
} satisfies ExportedHandler<Env>

/** Handles events of the payment processor. Requests without a valid signature are refused. */
async function receiveBillingEvent(request: Request, env: Env, ctx: ExecutionContext): Promise<Response> {
  if (!env.BILLING_WEBHOOK_SECRET) return new Response('BILLING_WEBHOOK_SECRET is not set', { status: 503 })
  try {
    // The signature covers the exact text of the body: nothing is parsed before it is verified.
    const signature = request.headers.get('stripe-signature')
    const event = await verifyWebhook(await request.text(), signature, env.BILLING_WEBHOOK_SECRET)
    // Respond at once and do the work afterwards: the processor retries deliveries that take long.
    ctx.waitUntil(handleBillingEvent(event.type, event.id))
    return new Response(null, { status: 204 })
  } catch (error) {
    if (error instanceof WebhookError) return new Response(error.message, { status: 400 })
    throw error
  }
}

async function handleBillingEvent(type: string, id: string): Promise<void> {
  // Deliveries may arrive twice and out of order, so make the code here safe to retry.
  console.log(`billing event ${type} (${id})`)
}

async function report(event: ScheduledController, env: Env): Promise<void> {
  const time = new Date(event.scheduledTime).toISOString()
  console.log(`"${event.cron}" of ${time}; billing service: ${env.RATECARD_API_URL ?? 'not set'}`)
}
