import { createClient } from '@ratecard/client'

interface Env {
  RATECARD_API_URL: string
  RATECARD_SERVICE_KEY: string
  ALERT_URL?: string
}

export default {
  async scheduled(event: { cron: string; scheduledTime: number }, env: Env, ctx: Context): Promise<void> {
    const ratecard = createClient({ baseUrl: env.RATECARD_API_URL, serviceKey: env.RATECARD_SERVICE_KEY })
    const isPushing = async () =>
      (await ratecard.admin.pushes({ limit: 5 })).pushes.some(({ state }) => state === 'running')
    const wasPushing = await isPushing()
    const { differences } = await ratecard.admin.drift()
    // A push writes its objects one by one before it becomes the version to compare with, so its own writes look like edits until then.
    if (wasPushing || (await isPushing())) return console.log('a push is running, so nothing was compared')
    const edited = differences.map(({ kind, configId }) => `${kind} ${configId}`)
    const day = new Date(event.scheduledTime).toISOString().slice(0, 10)
    const text = edited.length === 0 ? `${day}: nothing was edited` : `${day}: edited by hand: ${edited.join(', ')}`
    console.log(text)
    if (edited.length > 0 && env.ALERT_URL !== undefined) ctx.waitUntil(alert(env.ALERT_URL, text))
  },
}

async function alert(url: string, text: string): Promise<void> {
  const body = JSON.stringify({ text })
  const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  // A rejection fails the run: a report that nobody got must not look like a good night.
  if (!answer.ok) throw new Error(`${new URL(url).host} answered ${answer.status}`)
}

interface Context {
  waitUntil(promise: Promise<unknown>): void
}
