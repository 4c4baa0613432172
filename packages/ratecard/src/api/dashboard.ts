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
    summary: 'The service key of this request',
    answers: { 200: { description: 'The key, without its value.', schema: ServiceKey } },
  },
  getChangeTag: {
    ...all,
    method: 'GET',
    scope: 'read',
    path: `${admin}/changes`,
    summary: 'Whether anything changed',
    description:
      'Cheap to poll. While the tag stays the same, nothing that the pages and lists of the dashboard show has changed.',
    answers: {
      200: {
        description: 'The tag.',
        schema: Type.Object(
          {
            tag: Type.String({ description: 'Opaque text. If it differs from the previous tag, load the data again.' }),
          },
          closed,
        ),
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
      'The page of the link has a button that signs in, once, within ten minutes, with the rights of the key of this request. Opening the page alone does not use up the link.',
    answers: {
      201: {
        description: 'The link.',
        schema: Type.Object(
          {
            url: Type.String({
              description:
                'Address to open in a browser; relative when the service has no public address in its settings.',
            }),
            expires_at: Time('When the link stops working.'),
          },
          closed,
        ),
      },
    },
  },
})
