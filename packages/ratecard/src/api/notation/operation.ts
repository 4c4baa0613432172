// An operation of the API as data: one row says everything about it but what it does. Routes are bound to rows in http, and the
// client's calls are generated from them.
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
  | 'Enterprise'
  | 'Jobs'
  | 'Workers'
  | 'Access'
  | 'Operations'

export interface ResponseSpec {
  readonly description: string
  /** null: no body. */
  readonly schema: TSchema | null
  readonly mediaType?: string
  readonly headers?: Readonly<Record<string, { readonly type: string; readonly description: string }>>
}

/** What a service key may do. */
export const KeyScope = choice(
  'KeyScope',
  keyScopes,
  '`read`: reads, validates, asks for dry runs, sees no webhook secrets. `write`: everything.',
)

/** What a service key must have to be let in. `dry_run`: the scope `write`, or `read` for a request that says `dry_run=true`. */
export type ScopeNeeded = Inside<typeof KeyScope> | 'dry_run'

interface Basis {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** With parameters as `:name`. */
  readonly path: string
  readonly summary: string
  readonly tag: Tag
  readonly description?: string
  readonly params?: Readonly<Record<string, TSchema>>
  readonly query?: Readonly<Record<string, TSchema>>
  readonly headers?: Readonly<Record<string, TSchema>>
  readonly body?: TSchema
  /** Bytes; 64 KiB when absent. */
  readonly bodyLimit?: number
  /** The body is a whole document: it stays JSON text until the service checks it. */
  readonly keepsText?: true
  readonly answers: Readonly<Record<number, ResponseSpec>>
  /** Of an answer that is a stream: the data of each server-sent event, by its name. */
  readonly events?: Readonly<Record<string, TSchema>>
  /** Beyond those that its access and its body bring. */
  readonly errors?: readonly ProblemCode[]
}

export type Operation = Basis &
  (
    | {
        /** Anybody may call it; `public` shows more to whoever has a key, of any scope. */
        readonly access: 'public' | 'open'
      }
    | {
        /** `session`: the session cookie of a tenant, or a service key. */
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

/** Statuses that a handler may give. */
export type StatusOf<Row extends Operation> = keyof Row['answers'] & number
export type ValueAt<Row extends Operation, Status> = Status extends keyof Row['answers']
  ? Row['answers'][Status] extends { readonly schema: infer Schema extends TSchema }
    ? Inside<Schema>
    : // eslint-disable-next-line @typescript-eslint/no-invalid-void-type -- what a handler without an answer returns
      void
  : never
/** What the answer holds: of any of the statuses that have a body. */
export type ValueOf<Row extends Operation> = ValueAt<Row, StatusOf<Row>>

/** `Have` with `never` in place of each member that `Want` does not name: a value with such a member does not compile. */
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

/** A list with its page. */
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
/** What a key adds to the errors of an operation. */
export const keyErrors = ['idempotency_key_reused', 'request_in_progress'] as const satisfies readonly ProblemCode[]

/** What any call of the processor can end with. */
export const processorErrors = [
  'processor_unauthorized',
  'processor_broken',
  'processor_rate_limited',
  'processor_unavailable',
  'processor_timeout',
  'processor_rejected',
] as const satisfies readonly ProblemCode[]

/** What anything that concerns a customer of the processor can end with. */
export const customerErrors = [...processorErrors, 'account_mismatch'] as const satisfies readonly ProblemCode[]

/** What anything that plans and applies can end with. */
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
