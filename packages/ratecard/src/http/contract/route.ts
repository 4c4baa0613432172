// Connects a handler to its operation of the contract. Input is validated and decoded before the handler runs, and output is encoded after
// it. So handlers use camelCase only, and no member outside the contract is sent.
import { Type } from 'typebox'
import type { TSchema } from 'typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify'
import { yieldToRequests } from '../../event-loop.ts'
import { fromWire, toWire, wireJson } from '../../api/notation/case-conversion.ts'
import type {
  BodyOf,
  Only,
  Operation,
  ParamsOf,
  QueryOf,
  StatusOf,
  ValueAt,
  ValueOf,
} from '../../api/notation/operation.ts'
import { describeRoute } from './describe-route.ts'
import { compileValidator } from './validator.ts'

/** The decoded request of an operation, in camelCase. */
export interface RouteContext<Row extends Operation> {
  readonly params: ParamsOf<Row>
  readonly query: QueryOf<Row>
  readonly body: BodyOf<Row>
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** Builds a response with a status and headers. Handlers of operations with several success statuses use it. */
  readonly answer: <const Status extends StatusOf<Row>, Value extends ValueAt<Row, Status>>(
    status: Status,
    value: Value & Only<ValueAt<Row, Status>, Value>,
    headers?: Readonly<Record<string, string>>,
  ) => RouteResponse<Row>
}

/** Maximum length of JSON (characters) that is encoded without yielding to the event loop; takes about 1 ms. */
const chunkLength = 64 * 1024

/** A response, created by `RouteContext.answer`. It is encoded for the API when it is sent. */
export class RouteResponse<Row extends Operation = Operation> {
  declare readonly row: Row
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly #schema: TSchema | null
  readonly #value: unknown

  /** `schema`: null if `value` is already encoded for the API. */
  constructor(
    status: number,
    { schema, value }: { readonly schema: TSchema | null; readonly value: unknown },
    headers: Readonly<Record<string, string>>,
  ) {
    this.status = status
    this.headers = headers
    this.#schema = schema
    this.#value = value
  }

  /** Returns the encoded body; undefined if the response has none. */
  body(): unknown {
    return this.#schema === null ? this.#value : toWire(this.#schema, this.#value as never)
  }

  /**
   * Returns the JSON of the body; undefined if the response has none. Yields to the event loop while it encodes a large body, so that other
   * requests go on.
   */
  async bytes(): Promise<Buffer | undefined> {
    if (this.#schema === null) return this.#value === undefined ? undefined : Buffer.from(JSON.stringify(this.#value))
    const chunks: Buffer[] = []
    let text = ''
    for (const part of wireJson(this.#schema, this.#value)) {
      text += part
      if (text.length < chunkLength) continue
      chunks.push(Buffer.from(text))
      text = ''
      await yieldToRequests()
    }
    return Buffer.concat([...chunks, Buffer.from(text)])
  }
}

type Options = Pick<RouteShorthandOptions, 'onRequest' | 'exposeHeadRoute' | 'helmet' | 'config'>

export interface Route<Row extends Operation = Operation> {
  readonly row: Row
  readonly options: Options
  readonly run: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>
}

/** Type with a route for each operation, so that a missing route is a compile error. */
export type Routes<Rows extends Readonly<Record<string, Operation>>> = { readonly [Id in keyof Rows]: Route<Rows[Id]> }

/**
 * Creates the route of an operation. The handler returns the value of the only success response, or the result of `RouteContext.answer`. A
 * member outside the contract is a compile error.
 */
export function route<Row extends Operation, Value extends ValueOf<Row> | RouteResponse<Row>>(
  row: Row,
  handler: (
    call: RouteContext<Row>,
  ) => Promise<Value & (Value extends RouteResponse<Row> ? unknown : Only<ValueOf<Row>, Value>)>,
  options: Options = {},
): Route<Row> {
  const [success] = successesOf(row)
  return {
    row,
    options,
    run: async (request, reply) => {
      const value: unknown = await handler(callOf(row, request, reply))
      return send(reply, value instanceof RouteResponse ? (value as RouteResponse) : answered(row, success, value, {}))
    },
  }
}

/** Creates a route whose handler sends the response itself: a stream, text, or existing bytes. */
export function rawRoute<Row extends Operation>(
  row: Row,
  handler: (call: RouteContext<Row>) => Promise<FastifyReply> | FastifyReply,
  options: Options = {},
): Route<Row> {
  return { row, options, run: async (request, reply) => handler(callOf(row, request, reply)) }
}

/** Adds routes to a scope. All their paths start with `prefix`. `routes` is keyed by operation id. */
export function mount(
  scope: FastifyInstance,
  prefix: string,
  routes: Readonly<Record<string, Route>>,
  { isDescribed = true }: { readonly isDescribed?: boolean } = {},
): void {
  for (const [id, { row, options, run }] of Object.entries(routes))
    scope.route({
      ...options,
      method: row.method,
      url: row.path.slice(prefix.length),
      ...(row.bodyLimit === undefined ? {} : { bodyLimit: row.bodyLimit }),
      schema: { ...describeRoute(id, row), ...(isDescribed ? {} : { hide: true }) },
      ...(row.keepsText === true
        ? { config: { ...options.config, keepsText: true }, validatorCompiler: bodyAsItIs }
        : {}),
      handler: run,
    })
}

const bodyAsItIs: typeof compileValidator = (part) => (part.httpPart === 'body' ? () => true : compileValidator(part))

function callOf<Row extends Operation>(row: Row, request: FastifyRequest, reply: FastifyReply): RouteContext<Row> {
  const part = (fields: Operation['query'], given: unknown) => fromWire(Type.Object({ ...fields }), given)
  return {
    params: part(row.params, request.params),
    query: part(row.query, request.query),
    body: row.body === undefined ? undefined : fromWire(row.body, request.body),
    request,
    reply,
    answer: (status: number, value: unknown, headers = {}) => answered(row, status, value, headers),
  } as RouteContext<Row>
}

function answered<Row extends Operation>(
  row: Row,
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>>,
): RouteResponse<Row> {
  const schema: TSchema | null = row.answers[status]?.schema ?? null
  return new RouteResponse(status, { schema, value: schema === null ? undefined : value }, headers)
}

export async function send(reply: FastifyReply, answer: RouteResponse): Promise<FastifyReply> {
  const bytes = await answer.bytes()
  reply.code(answer.status).headers(answer.headers)
  if (bytes === undefined) return reply.send()
  if (reply.getHeader('content-type') === undefined) reply.type('application/json; charset=utf-8')
  return reply.send(bytes)
}

/** Returns the success statuses of an operation. 304 is excluded, because only conditional requests get it. */
function successesOf(row: Operation): readonly [number, ...number[]] {
  const [first = 200, ...others] = Object.keys(row.answers)
    .map(Number)
    .filter((status) => status < 300)
  return [first, ...others]
}
