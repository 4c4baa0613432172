import type { Service } from '../../service/service.ts'
import { sessionOperations as rows } from '../../api/sessions.ts'
import { route } from '../contract/route.ts'
import type { Routes } from '../contract/route.ts'
import { setSessionCookie } from '../authentication/session.ts'

export interface SessionRouteDeps {
  readonly service: Pick<Service, 'createSession' | 'revokeSession'>
  readonly publicUrl: string | null
}

export const sessionRoutes = ({ service, publicUrl }: SessionRouteDeps): Routes<typeof rows> => ({
  createSession: route(rows.createSession, async ({ body: { tenantId, ttlSeconds = null }, reply }) => {
    const session = await service.createSession(tenantId, ttlSeconds)
    const maxAgeSeconds = Math.round((session.expiresAt - session.createdAt) / 1000)
    setSessionCookie(reply, session.value, { maxAgeSeconds, publicUrl })
    return session
  }),
  revokeSession: route(rows.revokeSession, ({ params }) => service.revokeSession(params.id)),
})
