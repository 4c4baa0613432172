// Operations for the dashboard only: the caller's service key, detection of changes, and sign-in links.
import { Type } from 'typebox'
import { ServiceKey } from './keys.ts'
import { operations } from '../notation/operation.ts'
import { choice, closed, nullable, shape, Time, type Inside } from '../notation/schema.ts'

const admin = '/api/v1/billing/admin'
const all = { tag: 'Access', access: 'service_key' } as const

export const ProcessorMode = choice('ProcessorMode', ['sandbox', 'test', 'live'])

export const AccountInfo = shape('AccountInfo', {
  mode: ProcessorMode,
  account_id: nullable(Type.String({ description: 'Id of the account at the processor; null until it is known.' })),
  environment: nullable(
    Type.String({ description: '`RATECARD_ENVIRONMENT` of the server; null if it is not set and the key is live.' }),
  ),
  billing_time: Time(
    'Time by which deals, trials, allowances, credits and grants end. It is real time, except in a service that runs its own sandbox: there it is the time of the sandbox’s clock.',
  ),
})
export type AccountInfo = Inside<typeof AccountInfo>

export const ChangeState = shape('ChangeState', {
  tag: Type.String({ description: 'Opaque text. If it differs from the previous tag, load the data again.' }),
  processor_silent_since: nullable(
    Time('Time since which the processor has not answered this replica; null while it answers.'),
  ),
})

export const dashboardOperations = operations({
  getOwnKey: {
    ...all,
    method: 'GET',
    scope: 'read',
    path: `${admin}/keys/current`,
    summary: 'Get the service key of this request',
    answers: { 200: { description: 'The key, without its value.', schema: ServiceKey } },
  },
  getAccount: {
    ...all,
    method: 'GET',
    scope: 'read',
    path: `${admin}/account`,
    summary: 'Get the processor account that this service writes to',
    description:
      '`sandbox`: a server that stands in for the processor; `test` and `live`: the mode of the key. `account_id` is null before the first push if the processor cannot be reached.',
    answers: { 200: { description: 'The account.', schema: AccountInfo } },
  },
  getChangeTag: {
    ...all,
    method: 'GET',
    scope: 'read',
    path: `${admin}/changes`,
    summary: 'Get the change tag of the dashboard’s data',
    description:
      'Poll this route to learn whether the dashboard’s data has changed: while the tag stays the same, it has not.',
    answers: {
      200: {
        description: 'The tag.',
        schema: ChangeState,
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
      'The link opens a page with a sign-in button. The button works once, within ten minutes, and signs in with the rights of the key of this request. Opening the page does not use up the link.',
    answers: {
      201: {
        description: 'The link.',
        schema: Type.Object(
          {
            url: Type.String({
              description: 'URL to open in a browser; relative if the setting RATECARD_PUBLIC_URL is missing.',
            }),
            expires_at: Time('Time at which the link stops working.'),
          },
          closed,
        ),
      },
    },
  },
})
