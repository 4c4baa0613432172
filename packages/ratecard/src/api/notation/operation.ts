// An operation of the API as data: everything except its behavior. Routes are bound to operations in http, and the client's methods are
// generated from them.
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
  /** null if the response has no body. */
  readonly schema: TSchema | null
  readonly mediaType?: string
  /** Further media type of the response, as text, e.g. `text/csv`. */
  readonly textType?: string
  readonly headers?: Readonly<Record<string, { readonly type: string; readonly description: string }>>
}

export const KeyScope = choice(
  'KeyScope',
  keyScopes,
  '`read`: reads, validates, asks for dry runs, sees no webhook secrets. `write`: everything.',
)

/** Required scope of a service key. `dry_run`: the scope `write`, or `read` for a request with `dry_run=true`. */
export type ScopeNeeded = Inside<typeof KeyScope> | 'dry_run'

interface Basis {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Path with parameters as `:name`, e.g. `/api/v1/billing/admin/keys/:id`. */
  readonly path: string
  readonly summary: string
  readonly tag: Tag
  readonly description?: string
  readonly params?: Readonly<Record<string, TSchema>>
  readonly query?: Readonly<Record<string, TSchema>>
  readonly headers?: Readonly<Record<string, TSchema>>
  readonly body?: TSchema
  /** Maximum size in bytes; default 64 KiB. */
  readonly bodyLimit?: number
  /** The body is a whole document: it stays JSON text until the service validates it. */
  readonly keepsText?: true
  readonly answers: Readonly<Record<number, ResponseSpec>>
  /** For a stream: schema of the data of each server-sent event, by event name. */
  readonly events?: Readonly<Record<string, TSchema>>
  /** Errors in addition to those implied by access and body. */
  readonly errors?: readonly ProblemCode[]
}

export type Operation = Basis &
  (
    | {
        /** No authentication. With `public`, a caller with a valid key of any scope gets more data. */
        readonly access: 'public' | 'open'
      }
    | {
        /** `session`: a tenant's session cookie, or a service key. */
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

/** Statuses that a handler may return. */
export type StatusOf<Row extends Operation> = keyof Row['answers'] & number
export type ValueAt<Row extends Operation, Status> = Status extends keyof Row['answers']
  ? Row['answers'][Status] extends { readonly schema: infer Schema extends TSchema }
    ? Inside<Schema>
    : // eslint-disable-next-line @typescript-eslint/no-invalid-void-type -- what a handler without an answer returns
      void
  : never
/** Value of the response, for any status with a body. */
export type ValueOf<Row extends Operation> = ValueAt<Row, StatusOf<Row>>

/** `Have` with type `never` for each member that is missing in `Want`, so that a value with such a member is a compile error. */
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

/** Pagination parameters. */
export const pageQuery = {
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 10, description: 'How many to list.' }),
  offset: Type.Integer({ minimum: 0, maximum: 1_000_000_000, default: 0, description: 'How many to skip.' }),
}
export const idParams = { id: Type.String({ description: 'The id.' }) }

export const actorHeaders = {
  'x-ratecard-author': Type.Optional(
    Type.String({ description: 'Who changes it; UTF-8, percent-encoded where needed.' }),
  ),
  'x-ratecard-message': Type.Optional(Type.String({ description: 'Why; UTF-8, percent-encoded where needed.' })),
}
export const keyHeader = {
  'idempotency-key': Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: 'A repeat with the same key answers the first result.' }),
  ),
}
/** Errors in addition for operations with an Idempotency-Key. */
export const keyErrors = ['idempotency_key_reused', 'request_in_progress'] as const satisfies readonly ProblemCode[]

/** Errors of any processor call. */
export const processorErrors = [
  'processor_unauthorized',
  'processor_broken',
  'processor_rate_limited',
  'processor_unavailable',
  'processor_timeout',
  'processor_rejected',
] as const satisfies readonly ProblemCode[]

/** Errors of operations on a processor customer. */
export const customerErrors = [...processorErrors, 'account_mismatch'] as const satisfies readonly ProblemCode[]

/** Errors of operations that plan and apply. */
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
