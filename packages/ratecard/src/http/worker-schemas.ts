// What requests and answers about workers look like, for OpenAPI and for the check of requests.
import { Type } from 'typebox'
import { closed, nullable, Time } from './wire-schemas.ts'

const text = (description: string) => Type.String({ description })

export const DeploymentBodySchema = Type.Object(
  {
    name: Type.Optional(text('The worker’s name, when given the same as in the path.')),
    modules: Type.Array(
      Type.Object(
        {
          name: Type.String({ minLength: 1, maxLength: 200 }),
          type: Type.Enum(['esm', 'text', 'data', 'wasm', 'json']),
          content: text('base64 for `data` and `wasm`, the text itself for the others.'),
        },
        closed,
      ),
      { minItems: 1, description: 'The bundle, at most 10 MB.' },
    ),
    main: text('Name of the module that holds the handlers.'),
    source_map: Type.Optional(nullable(text('Source map of the main module, version 3, as JSON text.'))),
    compatibility_date: Type.String({ description: '`YYYY-MM-DD`.' }),
    compatibility_flags: Type.Optional(Type.Array(Type.String())),
    vars: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'Environment values, JSON.' })),
    secrets: Type.Optional(
      Type.Record(Type.String(), Type.String(), { description: 'Sealed at rest and never shown again.' }),
    ),
    crons: Type.Optional(Type.Array(Type.String(), { description: 'Replace the schedules before.' })),
    cpu_ms: Type.Optional(nullable(Type.Integer({ description: 'CPU time of one request or run, 10 to 300,000.' }))),
    hosts: Type.Optional(Type.Array(Type.String(), { description: 'Host names of its own.' })),
    service_key: Type.Optional(
      nullable(
        Type.Enum(['read', 'write'], {
          description:
            'A service key of its own of this scope, in `env.RATECARD_SERVICE_KEY`; revoked with the worker.',
        }),
      ),
    ),
    pass_credentials: Type.Optional(
      Type.Boolean({
        description:
          'Let `X-Service-Key` and the cookies of this service reach the worker. Without it they are taken out.',
      }),
    ),
    environment: Type.Optional(nullable(Type.String({ maxLength: 100 }))),
    author: Type.Optional(nullable(Type.String({ maxLength: 200 }))),
    message: Type.Optional(nullable(Type.String({ maxLength: 2000 }))),
  },
  closed,
)

export const DeploymentSchema = Type.Object(
  {
    id: Type.String(),
    created_at: Time('When it was uploaded.'),
    author: nullable(Type.String()),
    message: nullable(Type.String()),
    checksum: text('sha256 over code and configuration, values of the environment apart.'),
    environment: nullable(Type.String()),
    active: Type.Boolean({ description: 'Whether it serves now.' }),
    variables: Type.Array(Type.String(), { description: 'Names of the environment values.' }),
    crons: Type.Array(Type.String()),
    size_bytes: Type.Integer({ minimum: 0 }),
  },
  closed,
)

export const WorkerSchema = Type.Object(
  {
    name: Type.String(),
    url: Type.String(),
    state: Type.Enum(['running', 'starting', 'restarting', 'stopped', 'idle', 'unavailable'], {
      description: 'On the replica that answers. An idle worker starts with the next request.',
    }),
    restarts: Type.Integer({ minimum: 0 }),
    last_exit: nullable(text('Why it last ended by itself, or cannot be started.')),
    hosts: Type.Array(Type.String()),
    deployment: DeploymentSchema,
    crons: Type.Array(Type.Object({ cron: Type.String(), next_at: Time('Its next tick.') }, closed)),
  },
  closed,
)

export const RunSchema = Type.Object(
  {
    id: Type.String(),
    cron: Type.String(),
    scheduled_time: Time('The tick’s own time.'),
    started_at: nullable(Time('null when it never started.')),
    finished_at: nullable(Time('null while it runs.')),
    outcome: Type.Enum([
      'ok',
      'exception',
      'exceeded_cpu',
      'exceeded_memory',
      'timed_out',
      'skipped',
      'missed',
      'lost',
      'running',
    ]),
    cpu_ms: nullable(Type.Number({ minimum: 0 })),
    error: Type.Optional(text('Message and trace of the first failure.')),
  },
  closed,
)

export const LogLineSchema = Type.Object(
  {
    id: Type.String(),
    time: Time('When the worker said it.'),
    level: Type.String({
      description: 'debug, log, info, warn, error, exception, or system for the host’s own words.',
    }),
    message: Type.String(),
    request_id: Type.Optional(Type.String()),
    run_id: Type.Optional(Type.String()),
    deployment: Type.String(),
  },
  closed,
)
