// A gate before an API: each call is counted, and refused for a tenant that has not bought the API.
// A real gate knows its tenant by an API key; this one reads it from the header `x-tenant`.
import { createClient, RatecardError } from '@ratecard/client'
import type { Client } from '@ratecard/client'

interface Env {
  RATECARD_API_URL: string
  RATECARD_SERVICE_KEY: string
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const tenantId = request.headers.get('x-tenant')
    if (tenantId === null) return Response.json({ error: 'who_are_you' }, { status: 401 })
    const ratecard = createClient({ baseUrl: env.RATECARD_API_URL, serviceKey: env.RATECARD_SERVICE_KEY })
    if (!(await counted(ratecard, tenantId))) return refusal(ratecard, tenantId)
    return Response.json({ rendered: true })
  },
}

/** Counts a call. Returns false if the tenant may not make it; such a call is not recorded. */
async function counted({ usage }: Client, tenantId: string): Promise<boolean> {
  try {
    await usage.record({ meter: 'api_calls', value: 1, tenantId, enforce: true })
    return true
  } catch (error) {
    if (error instanceof RatecardError && error.code === 'limit_reached') return false
    throw error
  }
}

/** 402 if a price of the public list would allow the call, otherwise 403. */
async function refusal({ entitlements }: Client, tenantId: string): Promise<Response> {
  const { reason, offeredBy } = await entitlements.check('calls', { tenantId })
  return Response.json({ error: reason, offered_by: offeredBy }, { status: offeredBy.length > 0 ? 402 : 403 })
}
