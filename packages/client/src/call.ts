// Calls an operation of the API contract. It fills in the path, and converts member names between camelCase and snake_case in the objects
// that the contract lists. Names within documents, metadata and events are not converted, because their authors chose them.
import { RatecardError, isRecord } from './error.ts'
import { readEvents } from './event-stream.ts'
import { camel, snake } from './names.generated.ts'
import type { ApiResponse, RequestOptions, CallOptions, Transport } from './transport.ts'
import { operations, type BillingDocument, type Operations } from './wire.generated.ts'

type Id = keyof Operations
export type AnswerOf<Name extends Id> = Operations[Name] extends { answers: infer Answers }
  ? Answers[keyof Answers]
  : null
type BodyOf<Body> = BillingDocument extends Body ? object : Body
type Parts<Name extends Id> = {
  readonly [Part in keyof Operations[Name] & ('params' | 'body')]: Part extends 'body'
    ? BodyOf<Operations[Name][Part]>
    : Operations[Name][Part]
} & {
  readonly [Part in keyof Operations[Name] & 'query']?: {
    readonly [Member in keyof Operations[Name][Part]]?: Operations[Name][Part][Member] | undefined
  }
} & Pick<RequestOptions, 'headers' | 'keyed'>
type EventOf<Name extends Id> = Operations[Name] extends { events: infer Events }
  ? { [Event in keyof Events]: readonly [Event, Events[Event]] }[keyof Events]
  : never

/** Members whose values contain names to convert as well, keyed by the member's snake_case name. */
interface CaseMap {
  readonly [name: string]: CaseMap
}

export interface WriteOptions extends CallOptions {
  /** Idempotency key: retrying with the same key returns the first result. Generated if omitted. */
  readonly idempotencyKey?: string | undefined
}

export interface ActOptions extends CallOptions {
  /** Author of the change, shown in the audit trail. */
  readonly author?: string | undefined
  readonly message?: string | undefined
}

/** Moves author, message and idempotency key from the options into headers. All other options are passed to the transport. */
export function acted<Options extends ActOptions & WriteOptions>({
  author,
  message,
  idempotencyKey,
  ...options
}: Options) {
  return { ...options, headers: { ...actorHeaders({ author, message }), 'idempotency-key': idempotencyKey } }
}

/** Returns the headers for author and message. Both are percent-encoded, because a header value is a single line of Latin-1. */
export function actorHeaders(actor: { author?: string | undefined; message?: string | undefined }) {
  const encoded = (text: string | undefined) =>
    text?.replace(/[^\x20-\x24\x26-\x7e]/gu, (character) => encodeURIComponent(character))
  return { 'x-ratecard-author': encoded(actor.author), 'x-ratecard-message': encoded(actor.message) }
}

/** Calls an operation and returns the response body with camelCase names. */
export async function call<Name extends Id>(
  transport: Transport,
  name: Name,
  parts: Parts<Name>,
  options: CallOptions & Pick<RequestOptions, 'headers'> = {},
): Promise<AnswerOf<Name>> {
  return (await answer(transport, name, parts, options)).body as AnswerOf<Name>
}

/**
 * Calls an operation and returns status, headers and body. Fails with `answer_invalid` if the body is no JSON object; does not validate its
 * members.
 */
export async function answer<Name extends Id>(
  transport: Transport,
  name: Name,
  parts: Parts<Name>,
  options: CallOptions & Pick<RequestOptions, 'headers'> = {},
): Promise<ApiResponse> {
  const { path, turns, request } = requestOf(name, parts, options)
  const { status, headers, body } = await transport.send(path, request)
  if (status !== 204 && (typeof body !== 'object' || body === null))
    throw new RatecardError({
      code: 'answer_invalid',
      status,
      message: `The response to ${path} is not a JSON object.`,
    })
  return { status, headers, body: convertCase(body, turns, camel) }
}

/** Yields the server-sent events of an operation. Skips event types that are not in `known`. */
export async function* events<Name extends Id>(
  transport: Transport,
  name: Name,
  known: readonly string[],
  parts: Parts<Name>,
  options: CallOptions & Pick<RequestOptions, 'headers'> = {},
): AsyncGenerator<EventOf<Name>> {
  const { path, turns, request } = requestOf(name, parts, options)
  const body = await transport.stream(path, { ...request, headers: { accept: 'text/event-stream' } })
  for await (const { event, data } of readEvents(body)) {
    const parsed: unknown = JSON.parse(data)
    if (known.includes(event) && isRecord(parsed))
      yield [event, convertCase(parsed, turns, camel)] as unknown as EventOf<Name>
  }
}

function requestOf(
  name: Id,
  given: { readonly params?: object; readonly query?: object; readonly body?: unknown } & Pick<
    RequestOptions,
    'headers' | 'keyed'
  >,
  options: CallOptions & Pick<RequestOptions, 'headers'>,
) {
  const [method, template, turns, bodyTurns = null]: readonly [string, string, CaseMap | null, (CaseMap | null)?] =
    operations[name]
  const { params = {}, query, body, ...rest } = given
  const values = convertCase(params, {}, snake) as Readonly<Record<string, string | number>>
  const path = template.replace(/:(\w+)/g, (_, part: string) => encodeURIComponent(values[part] ?? ''))
  const request = {
    ...options,
    ...rest,
    headers: { ...options.headers, ...rest.headers },
    method,
    ...(query === undefined ? {} : { query: convertCase(query, {}, snake) }),
    ...(body === undefined ? {} : { body: convertCase(body, bodyTurns, snake) }),
  } as RequestOptions
  return { path, turns, request }
}

/**
 * Converts the member names of `value` with the function `spell`. `turns` lists the members to convert, by their snake_case names in both
 * directions of the conversion.
 */
function convertCase(value: unknown, turns: CaseMap | null | undefined, spell: (name: string) => string): unknown {
  if (turns === null || turns === undefined || value instanceof Date) return value
  if (Array.isArray(value)) return value.map((item) => convertCase(item, turns, spell))
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [spell(name), convertCase(member, turns[snake(name)], spell)]),
  )
}
