// Operations on the service itself: liveness, readiness, metrics, self-checks.
import { Type } from 'typebox'
import { operations } from '../notation/operation.ts'
import { closed, shape, type Inside } from '../notation/schema.ts'

export const Finding = shape('Finding', {
  check: Type.String(),
  status: Type.Enum(['ok', 'warning', 'problem', 'not_checked'], {
    description: '`not_checked`: the processor does not answer, which is a finding of its own.',
  }),
  detail: Type.String(),
  hint: Type.Optional(Type.String()),
})
export type Finding = Inside<typeof Finding>

const Check = Type.Object({ ok: Type.Boolean(), detail: Type.String() }, closed)
export const Readiness = Type.Object(
  { ready: Type.Boolean(), checks: Type.Object({ store: Check, processor: Check, workers: Check }, closed) },
  closed,
)
export type Readiness = Inside<typeof Readiness>

const open = { tag: 'Operations', access: 'open', method: 'GET' } as const
const byKey = { tag: 'Operations', access: 'service_key', scope: 'read', method: 'GET' } as const

export const descriptionOperations = operations({
  getOpenApi: {
    ...open,
    path: '/api/v1/openapi.json',
    summary: 'This description',
    answers: { 200: { description: 'OpenAPI 3.1.', schema: Type.Object({}, { additionalProperties: true }) } },
  },
})

export const doctorOperations = operations({
  runDoctor: {
    ...byKey,
    path: '/api/v1/billing/admin/doctor',
    summary: 'Check the installation and list problems',
    query: {
      max_age: Type.Integer({
        minimum: 0,
        maximum: 604_800,
        default: 0,
        description:
          'Return the findings of the last run if it is at most this many seconds ago and no version was applied since. They cost no call to the processor. 0: run the checks.',
      }),
    },
    answers: {
      200: { description: 'The findings.', schema: Type.Object({ findings: Type.Array(Finding) }, closed) },
    },
  },
})

export const serverOperations = operations({
  getHealth: {
    ...open,
    path: '/healthz',
    summary: 'Check whether the process is alive',
    answers: {
      200: {
        description: 'It is.',
        schema: Type.Object({ status: Type.Literal('ok'), uptime_seconds: Type.Integer({ minimum: 0 }) }, closed),
      },
    },
  },
  getReadiness: {
    ...open,
    path: '/readyz',
    summary: 'Check whether the service can work: store, processor, workers',
    answers: { 200: { description: 'It can.', schema: Readiness } },
    errors: ['store_unavailable', 'processor_unavailable', 'worker_unavailable'],
  },
  getMetrics: {
    ...byKey,
    path: '/metrics',
    summary: 'Metrics for Prometheus',
    answers: { 200: { description: 'The figures.', schema: Type.String(), mediaType: 'text/plain' } },
  },
})
