// Type of an API operation as data, i.e. everything except its behavior. Routes are bound to operations in http, and the client's methods
// are generated from operations.
import { Type } from 'typebox'
import type { TProperties, TSchema } from 'typebox'
import type { ProblemCode } from '../../errors/codes.ts'
import { keyScopes } from '../../store/records/auth.ts'
import { choice } from './schema.ts'
import type { Inside, InsideObject } from './schema.ts'

export type Tag =
  | 'Price list'
  | 'Checkout'
  | 'Configuration'
  | 'Pushes'
  | 'Tenants'
  | 'Money'
  | 'Enterprise'
  | 'Jobs'
  | 'Workers'
  | 'Access'
  | 'Operations'

export interface ResponseSpec {
  readonly description: string
  /** Schema of the body; null if the response has no body. */
  readonly schema: TSchema | null
  readonly mediaType?: string
  /** Media type of another form of the response, as text, e.g. `text/csv`. */
  readonly textType?: string
  readonly headers?: Readonly<Record<string, { readonly type: string; readonly description: string }>>
}

export const KeyScope = choice(
  'KeyScope',
  keyScopes,
  '`read`: reads, validates, asks for dry runs, sees no webhook secrets. `write`: everything.',
)

/** Scope that a service key needs. `dry_run`: the scope `write`, or `read` for a request with `dry_run=true`. */
export type ScopeNeeded = Inside<typeof KeyScope> | 'dry_run'

interface Basis {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path with parameters as `:name`, e.g. `/api/v1/billing/admin/keys/:id`. */
  readonly path: string
  readonly summary: string
  readonly tag: Tag
  readonly description?: string
  readonly params?: Readonly<Record<string, TSchema>>
  readonly query?: Readonly<Record<string, TSchema>>
  readonly headers?: Readonly<Record<string, TSchema>>
  readonly body?: TSchema
  /** Maximum size of the request body in bytes; default 64 KiB. */
  readonly bodyLimit?: number
  /** True: the body is a whole document, which stays JSON text until the service validates it. */
  readonly keepsText?: true
  readonly answers: Readonly<Record<number, ResponseSpec>>
  /** Only for a stream: schema of the data of each server-sent event, by event name. */
  readonly events?: Readonly<Record<string, TSchema>>
  /** Errors of this operation, in addition to those of its access and its body. */
  readonly errors?: readonly ProblemCode[]
}

export type Operation = Basis &
  (
    | {
        /** The operation needs no authentication. With `public`, a caller with a valid key of any scope gets more data. */
        readonly access: 'public' | 'open'
      }
    | {
        /** `session`: the operation needs a tenant's session cookie, or a service key. */
        readonly access: 'service_key' | 'session'
        readonly scope: ScopeNeeded
      }
  )

export const operations = <const Rows extends Readonly<Record<string, Operation>>>(rows: Rows): Rows => rows

type Part<Row, Name extends string> = Row extends { readonly [_ in Name]: infer Fields extends TProperties }
  ? InsideObject<Fields, number>
  : object

export type ParamsOf<Row> = Part<Row, 'params'>
export type QueryOf<Row> = Part<Row, 'query'>
export type BodyOf<Row> = Row extends { readonly body: infer Body } ? Inside<Body> : undefined

/** Statuses that the handler of an operation may return. */
export type StatusOf<Row extends Operation> = keyof Row['answers'] & number
export type ValueAt<Row extends Operation, Status> = Status extends keyof Row['answers']
  ? Row['answers'][Status] extends { readonly schema: infer Schema extends TSchema }
    ? Inside<Schema>
    : // eslint-disable-next-line @typescript-eslint/no-invalid-void-type -- what a handler without an answer returns
      void
  : never
/** Value of the response body, for any status with a body. */
export type ValueOf<Row extends Operation> = ValueAt<Row, StatusOf<Row>>

/** Makes a value with members outside of `Want` a compile error: `Have`, with type `never` for each member that `Want` does not have. */
export type Only<Want, Have> = Have extends readonly (infer Item)[]
  ? Want extends readonly (infer Wanted)[]
    ? readonly Only<Wanted, Item>[]
    : Want
  : Have extends object
    ? Want extends object
      ? string extends keyof Want
        ? Want
        : { [Name in keyof Have]: Name extends NamesOf<Want> ? Only<MemberOf<Want, Name>, Have[Name]> : never }
      : Want
    : Want
type NamesOf<Want> = Want extends unknown ? keyof Want : never
type MemberOf<Want, Name extends PropertyKey> = Want extends unknown
  ? Name extends keyof Want
    ? Want[Name]
    : never
  : never

/** Pagination parameters of a list. */
export const pageQuery = {
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 10, description: 'How many to list.' }),
  offset: Type.Integer({ minimum: 0, maximum: 1_000_000_000, default: 0, description: 'How many to skip.' }),
}
export const idParams = { id: Type.String({ description: 'The id.' }) }

export const actorHeaders = {
  'x-ratecard-author': Type.Optional(
    Type.String({ description: 'Author of the change; UTF-8, percent-encoded where needed.' }),
  ),
  'x-ratecard-message': Type.Optional(Type.String({ description: 'Why; UTF-8, percent-encoded where needed.' })),
}
export const keyHeader = {
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'A retry with the same key returns the first result.',
    }),
  ),
}
/** Further errors of operations that accept an Idempotency-Key. */
export const keyErrors = ['idempotency_key_reused', 'request_in_progress'] as const satisfies readonly ProblemCode[]

/** Errors of operations that call the processor. */
export const processorErrors = [
  'processor_unauthorized',
  'processor_broken',
  'processor_rate_limited',
  'processor_unavailable',
  'processor_timeout',
  'processor_rejected',
] as const satisfies readonly ProblemCode[]

/** Errors of operations on a customer at the processor. */
export const customerErrors = [...processorErrors, 'account_mismatch'] as const satisfies readonly ProblemCode[]

/** Errors of operations that plan and apply changes, e.g. a push. */
export const pushErrors = [
  ...processorErrors,
  'push_in_progress',
  'request_in_progress',
  'push_unfinished',
  'version_conflict',
  'processor_drift',
  'plan_stale',
  'push_cancelled',
  'impact_not_approved',
  'account_mismatch',
  'idempotency_key_reused',
  'config_invalid',
  'written_form_mismatch',
  'plan_refused',
  'secret_unreadable',
] as const satisfies readonly ProblemCode[]
