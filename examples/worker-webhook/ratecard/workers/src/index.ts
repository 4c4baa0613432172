import { createClient } from '@ratecard/client'
import { verifyWebhook, WebhookError } from '@ratecard/client/webhooks'
import type { WebhookEvent } from '@ratecard/client/webhooks'
import { Hono } from 'hono'

interface Env {
  BILLING_WEBHOOK_SECRET: string
  RATECARD_API_URL: string
  RATECARD_SERVICE_KEY: string
}

const app = new Hono<{ Bindings: Env }>()

app.get('/', (context) => context.json({ ok: true }))

app.post('/hooks/billing', async (context) => {
  const signature = context.req.header('stripe-signature')
  const event = await verifyWebhook(await context.req.text(), signature, context.env.BILLING_WEBHOOK_SECRET)
  const tenant = await tenantOf(event, context.env)
  context.executionCtx.waitUntil(remember(event, tenant))
  return context.json({ received: event.id, tenant_id: tenant })
})

app.onError((error, context) => {
  if (error instanceof WebhookError) return context.json({ error: error.code }, 400)
  // Any other failure is ours: the processor delivers again.
  console.error(error)
  return context.json({ error: 'try_again' }, 500)
})

/** The tenant whose customer the event is about; null for a customer that the service does not know. */
async function tenantOf(event: WebhookEvent, env: Env): Promise<string | null> {
  const { customer } = event.data.object
  if (typeof customer !== 'string') return null
  const ratecard = createClient({ baseUrl: env.RATECARD_API_URL, serviceKey: env.RATECARD_SERVICE_KEY })
  const { tenants } = await ratecard.tenants.list({ processorCustomerId: customer })
  return tenants[0]?.id ?? null
}

/** Deliveries come twice now and then, and out of order: what stands here must bear it. */
async function remember(event: WebhookEvent, tenant: string | null): Promise<void> {
  console.log(`${event.type} for ${tenant ?? 'nobody we know'}`)
}

export default app
