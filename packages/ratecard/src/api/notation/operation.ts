// Type of an API operation as data, i.e. everything except its behavior. Routes are bound to operations in http. The client's types are
// generated from operations; the client's methods are written by hand.
import { Type, type TProperties, type TSchema } from 'typebox'
import type { ProblemCode } from '../../base/errors/codes.ts'
import { keyScopes } from '../../store/records/auth.ts'
import { choice, type Inside, type InsideObject } from './schema.ts'

export type Tag =
  | 'Price list'
  | 'Checkout'
  | 'Configuration'
  | 'Policies'
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
  '`read`: may read, validate and request dry runs, and sees no webhook secrets. `write`: may also change things. `owner`: may also set and override policies, and create owner keys.',
)

export type KeyScope = Inside<typeof KeyScope>

/**
 * Scope that an operation requires of a service key; a key with a wider scope is accepted too. `dry_run`: the scope `write`, or `read` for
 * a request with `dry_run=true`.
 */
export type ScopeNeeded = KeyScope | 'dry_run'

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
  /** Schema of the data of each server-sent event, by event name. Only operations that return a stream have it. */
  readonly events?: Readonly<Record<string, TSchema>>
  /** Error codes of this operation. The codes for authentication and for an invalid body are not repeated here. */
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

/** Type that makes additional members a compile error: `Have`, with type `never` for each member that `Want` does not have. */
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
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 10, description: 'Maximum number of items to return.' }),
  offset: Type.Integer({ minimum: 0, maximum: 1_000_000_000, default: 0, description: 'Number of items to skip.' }),
}
export const idParams = { id: Type.String({ description: 'The id.' }) }

export const actorHeaders = {
  'x-ratecard-author': Type.Optional(
    Type.String({
      description: 'Author of the change, in UTF-8; percent-encode characters that a header cannot contain.',
    }),
  ),
  'x-ratecard-message': Type.Optional(
    Type.String({
      description: 'Reason for the change, in UTF-8; percent-encode characters that a header cannot contain.',
    }),
  ),
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
/** Query parameter of operations that policies hold. */
export const overrideQuery = {
  override: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 5000,
      description:
        'Ids of policies to override, separated by commas. Needs a key of scope `owner`, and the reason in `X-Ratecard-Message`.',
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
export const customerErrors = [
  ...processorErrors,
  'account_mismatch',
  'customer_ambiguous',
  'customer_deleted',
] as const satisfies readonly ProblemCode[]

/** Errors of operations that plan and apply changes, e.g. a push. */
export const pushErrors = [
  ...processorErrors,
  'push_in_progress',
  'request_in_progress',
  'push_unfinished',
  'version_conflict',
  'processor_drift',
  'plan_stale',
  'policy_denied',
  'push_cancelled',
  'impact_not_approved',
  'account_mismatch',
  'idempotency_key_reused',
  'config_invalid',
  'written_form_mismatch',
  'plan_refused',
  'secret_unreadable',
] as const satisfies readonly ProblemCode[]
