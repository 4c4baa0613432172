export interface Env {
  /** Set in ratecard/environments/.env.<environment>. */
  WEBHOOK_ORIGIN?: string
}

export default {
  async fetch(request: Request): Promise<Response> {
    const url = new URL(request.url)
    if (url.pathname === '/') return Response.json({ worker: '{{name}}', time: new Date().toISOString() })
    return new Response('Not found', { status: 404 })
  },

  // Runs on the schedules of `[triggers] crons` in wrangler.toml, in UTC.
  async scheduled(event: ScheduledController, _env: Env, context: ExecutionContext): Promise<void> {
    context.waitUntil(report(event))
  },
}

async function report(event: ScheduledController): Promise<void> {
  console.log(`ran "${event.cron}" for ${new Date(event.scheduledTime).toISOString()}`)
}
