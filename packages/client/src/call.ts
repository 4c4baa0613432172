// A call of an operation of the contract: its path is filled in, and names are turned on the way out and on the way back, in the
// objects that the contract names. What belongs to an author (documents, metadata, events) passes as it is.
import { RatecardError, isRecord } from './error.ts'
import { readEvents } from './event-stream.ts'
import { camel, snake } from './names.generated.ts'
import type { ApiResponse, RequestOptions, CallOptions, Transport } from './transport.ts'
import { operations } from './wire.generated.ts'
import type { BillingDocument, Operations } from './wire.generated.ts'

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

/** Objects below which names turn, by the wire's names of the members. */
interface CaseMap {
  readonly [name: string]: CaseMap
}

export interface WriteOptions extends CallOptions {
  /** Generated when absent: a repeat with the same key answers the first result. */
  readonly idempotencyKey?: string | undefined
}

export interface ActOptions extends CallOptions {
  /** For the audit trail. */
  readonly author?: string | undefined
  readonly message?: string | undefined
}

/** Splits what is said in headers from what is said to the transport. */
export function acted<Options extends ActOptions & WriteOptions>({
  author,
  message,
  idempotencyKey,
  ...options
}: Options) {
  return { ...options, headers: { ...actorHeaders({ author, message }), 'idempotency-key': idempotencyKey } }
}

/** Header values are Latin-1 at most and one line: names and messages travel percent-encoded. */
export function actorHeaders(actor: { author?: string | undefined; message?: string | undefined }) {
  const encoded = (text: string | undefined) =>
    text?.replace(/[^\x20-\x24\x26-\x7e]/gu, (character) => encodeURIComponent(character))
  return { 'x-ratecard-author': encoded(actor.author), 'x-ratecard-message': encoded(actor.message) }
}

/** The answer of an operation, with the client's names. */
export async function call<Name extends Id>(
  transport: Transport,
  name: Name,
  parts: Parts<Name>,
  options: CallOptions & Pick<RequestOptions, 'headers'> = {},
): Promise<AnswerOf<Name>> {
  return (await answer(transport, name, parts, options)).body as AnswerOf<Name>
}

/** As `call`, with status and headers. Its body is taken for what the contract promises; one that is no JSON object is refused. */
export async function answer<Name extends Id>(
  transport: Transport,
  name: Name,
  parts: Parts<Name>,
  options: CallOptions & Pick<RequestOptions, 'headers'> = {},
): Promise<ApiResponse> {
  const { path, turns, request } = requestOf(name, parts, options)
  const { status, headers, body } = await transport.send(path, request)
  if (status !== 204 && (typeof body !== 'object' || body === null))
    throw new RatecardError({ code: 'answer_invalid', status, message: `The answer to ${path} is not a JSON object.` })
  return { status, headers, body: turned(body, turns, camel) }
}

/** The server-sent events of an operation. Kinds that this version does not know are passed over. */
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
      yield [event, turned(parsed, turns, camel)] as unknown as EventOf<Name>
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
  const values = turned(params, {}, snake) as Readonly<Record<string, string | number>>
  const path = template.replace(/:(\w+)/g, (_, part: string) => encodeURIComponent(values[part] ?? ''))
  const request = {
    ...options,
    ...rest,
    headers: { ...options.headers, ...rest.headers },
    method,
    ...(query === undefined ? {} : { query: turned(query, {}, snake) }),
    ...(body === undefined ? {} : { body: turned(body, bodyTurns, snake) }),
  } as RequestOptions
  return { path, turns, request }
}

/** `turns` is keyed by the wire's names, whichever way the names turn. */
function turned(value: unknown, turns: CaseMap | null | undefined, spell: (name: string) => string): unknown {
  if (turns === null || turns === undefined || value instanceof Date) return value
  if (Array.isArray(value)) return value.map((item) => turned(item, turns, spell))
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [spell(name), turned(member, turns[snake(name)], spell)]),
  )
}
