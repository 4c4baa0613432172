// Connects a handler to its operation of the API contract. Input is validated and decoded before the handler runs, and output is encoded
// after it. So handlers only see camelCase, and members that are not in the contract are never sent.
import { Type, type TSchema } from 'typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify'
import { yieldToRequests } from '../../../base/event-loop.ts'
import { fromWire, toWire, wireJson } from '../../../api/notation/case-conversion.ts'
import type {
  BodyOf,
  Only,
  Operation,
  ParamsOf,
  QueryOf,
  StatusOf,
  ValueAt,
  ValueOf,
} from '../../../api/notation/operation.ts'
import { describeRoute } from './describe-route.ts'
import { compileValidator } from './validator.ts'

/** The decoded request of an operation, in camelCase. */
export interface RouteContext<Row extends Operation> {
  readonly params: ParamsOf<Row>
  readonly query: QueryOf<Row>
  readonly body: BodyOf<Row>
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** Builds a response with a status and headers. Needed by handlers of operations with several success statuses. */
  readonly answer: <const Status extends StatusOf<Row>, Value extends ValueAt<Row, Status>>(
    status: Status,
    value: Value & Only<ValueAt<Row, Status>, Value>,
    headers?: Readonly<Record<string, string>>,
  ) => RouteResponse<Row>
}

/** Maximum length (characters) of JSON that is encoded without yielding to the event loop. Encoding that much takes about 1 ms. */
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
   * Returns the JSON of the body; undefined if the response has no body. Yields to the event loop while it encodes a large body, so that
   * other requests are not blocked. A short body is a text, because Node sends a text together with the headers: with bytes, the two are
   * written separately, which takes twice the CPU time.
   */
  async content(): Promise<string | Buffer | undefined> {
    if (this.#schema === null) return this.#value === undefined ? undefined : JSON.stringify(this.#value)
    const chunks: Buffer[] = []
    let text = ''
    for (const part of wireJson(this.#schema, this.#value)) {
      text += part
      if (text.length < chunkLength) continue
      chunks.push(Buffer.from(text))
      text = ''
      await yieldToRequests()
    }
    return chunks.length === 0 ? text : Buffer.concat([...chunks, Buffer.from(text)])
  }
}

type Options = Pick<RouteShorthandOptions, 'onRequest' | 'exposeHeadRoute' | 'config'>

export interface Route<Row extends Operation = Operation> {
  readonly row: Row
  readonly options: Options
  readonly run: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>
}

/** Type with one route per operation. A missing route is a compile error. */
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
  const callOf = decoderOf(row)
  return {
    row,
    options,
    run: async (request, reply) => {
      const value: unknown = await handler(callOf(request, reply))
      return send(
        reply,
        value instanceof RouteResponse ? (value as RouteResponse) : toResponse(row, success, value, {}),
      )
    },
  }
}

/** Creates a route whose handler sends its response itself, e.g. a stream, a text, or bytes that already exist. */
export function rawRoute<Row extends Operation>(
  row: Row,
  handler: (call: RouteContext<Row>) => Promise<FastifyReply> | FastifyReply,
  options: Options = {},
): Route<Row> {
  const callOf = decoderOf(row)
  return { row, options, run: async (request, reply) => handler(callOf(request, reply)) }
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

/** Returns a function that decodes a request. The schemas of its parameters are built once per route. */
function decoderOf<Row extends Operation>(row: Row) {
  const params = Type.Object({ ...row.params })
  const query = Type.Object({ ...row.query })
  return (request: FastifyRequest, reply: FastifyReply) =>
    ({
      params: fromWire(params, request.params),
      query: fromWire(query, request.query),
      body: row.body === undefined ? undefined : fromWire(row.body, request.body),
      request,
      reply,
      answer: (status: number, value: unknown, headers = {}) => toResponse(row, status, value, headers),
    }) as RouteContext<Row>
}

function toResponse<Row extends Operation>(
  row: Row,
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>>,
): RouteResponse<Row> {
  const schema: TSchema | null = row.answers[status]?.schema ?? null
  return new RouteResponse(status, { schema, value: schema === null ? undefined : value }, headers)
}

export async function send(reply: FastifyReply, answer: RouteResponse): Promise<FastifyReply> {
  const content = await answer.content()
  reply.code(answer.status).headers(answer.headers)
  if (content === undefined) return reply.send()
  if (reply.getHeader('content-type') === undefined) reply.type('application/json; charset=utf-8')
  return reply.send(content)
}

/** Returns the success statuses of an operation. 304 is left out, because it only occurs for conditional requests. */
function successesOf(row: Operation): readonly [number, ...number[]] {
  const [first = 200, ...others] = Object.keys(row.answers)
    .map(Number)
    .filter((status) => status < 300)
  return [first, ...others]
}
