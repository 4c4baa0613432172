// Operations for the dashboard only: the caller's service key, detection of changes, and sign-in links.
import { Type } from 'typebox'
import { ServiceKey } from './keys.ts'
import { operations } from './notation/operation.ts'
import { closed, Time } from './notation/schema.ts'

const admin = '/api/v1/billing/admin'
const all = { tag: 'Access', access: 'service_key' } as const

export const dashboardOperations = operations({
  getOwnKey: {
    ...all,
    method: 'GET',
    scope: 'read',
    path: `${admin}/keys/current`,
    summary: 'The service key that asks',
    answers: { 200: { description: 'The key, without its value.', schema: ServiceKey } },
  },
  getChangeTag: {
    ...all,
    method: 'GET',
    scope: 'read',
    path: `${admin}/changes`,
    summary: 'Whether anything changed',
    description:
      'Cheap to ask often. Nothing that these pages and lists show has changed for as long as the tag is equal.',
    answers: {
      200: {
        description: 'The tag.',
        schema: Type.Object({ tag: Type.String({ description: 'Text without a meaning of its own.' }) }, closed),
      },
    },
  },
  createDashboardLink: {
    ...all,
    method: 'POST',
    scope: 'write',
    path: `${admin}/dashboard/links`,
    summary: 'Create a link that signs in to the dashboard',
    description:
      'The page of the link has a button that signs in, once, within ten minutes, with the rights of the key of this request. Opening the page uses nothing up.',
    answers: {
      201: {
        description: 'The link.',
        schema: Type.Object(
          {
            url: Type.String({
              description: 'Where to go with a browser; relative when the service has no address of its own.',
            }),
            expires_at: Time('From then on it opens nothing.'),
          },
          closed,
        ),
      },
    },
  },
})
