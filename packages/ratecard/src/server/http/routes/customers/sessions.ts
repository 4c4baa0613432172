import { sessionOperations as rows } from '../../../../api/customers/sessions.ts'
import type { RouteDeps } from '../deps.ts'
import { route, type Routes } from '../../contract/route.ts'
import { setSessionCookie } from '../../authentication/session.ts'

export const sessionRoutes = ({ service, publicUrl }: RouteDeps): Routes<typeof rows> => ({
  createSession: route(rows.createSession, async ({ body: { tenantId, ttlSeconds = null }, reply }) => {
    const session = await service.createSession(tenantId, ttlSeconds)
    const maxAgeSeconds = Math.round((session.expiresAt - session.createdAt) / 1000)
    setSessionCookie(reply, session.value, { maxAgeSeconds, publicUrl })
    return session
  }),
  revokeSession: route(rows.revokeSession, ({ params }) => service.revokeSession(params.id)),
})
