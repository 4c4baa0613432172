// Reads which policies a request overrides.
import type { FastifyRequest } from 'fastify'
import { requireOwner } from '../authentication/auth.ts'
import { actorOf, headerInvalid } from './request-parts.ts'

/**
 * Returns the ids in the query parameter `override`. Throws `key_scope` unless the key has scope `owner`, and `request_invalid` if the
 * request gives no reason. A dry run needs neither of these.
 */
export function overrideOf(
  request: FastifyRequest,
  text: string | undefined,
  { dryRun = false }: { readonly dryRun?: boolean } = {},
): { readonly override?: readonly string[] } {
  if (text === undefined) return {}
  const override = text
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '')
  if (dryRun) return { override }
  requireOwner(request)
  if (actorOf(request).message === null)
    throw headerInvalid(
      'x-ratecard-message',
      'An override needs a reason in the header X-Ratecard-Message (`--message`).',
    )
  return { override }
}
