// Binds what an operation does to its row of the contract: input is checked and decoded before, output is encoded after, so that a
// handler sees camelCase alone and nothing that its row does not name leaves the service.
import { Type } from 'typebox'
import type { TSchema } from 'typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify'
import { yieldToRequests } from '../../event-loop.ts'
import { fromWire, toWire } from '../../api/notation/case-conversion.ts'
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

/** A request to an operation, in the form of the rooms. */
export interface RouteContext<Row extends Operation> {
  readonly params: ParamsOf<Row>
  readonly query: QueryOf<Row>
  readonly body: BodyOf<Row>
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** For a row with several statuses, and for headers. */
  readonly answer: <const Status extends StatusOf<Row>, Value extends ValueAt<Row, Status>>(
    status: Status,
    value: Value & Only<ValueAt<Row, Status>, Value>,
    headers?: Readonly<Record<string, string>>,
  ) => RouteResponse<Row>
}

/** An answer, made by `Call.answer`; put into the wire's form when it is sent. */
export class RouteResponse<Row extends Operation = Operation> {
  declare readonly row: Row
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly #schema: TSchema | null
  readonly #value: unknown

  /** Without a schema the value is in the wire's form already. */
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

  /** In the wire's form; undefined where the answer has none. */
  body(): unknown {
    return this.#schema === null ? this.#value : toWire(this.#schema, this.#value as never)
  }

  /** The JSON of the body; undefined where the answer has none. */
  async text(): Promise<string | undefined> {
    // Of the largest documents each of the three steps takes about 100 ms: the encoding, the text, and the bytes that are sent.
    await yieldToRequests()
    const body = this.body()
    await yieldToRequests()
    const text = body === undefined ? undefined : JSON.stringify(body)
    await yieldToRequests()
    return text
  }
}

type Options = Pick<RouteShorthandOptions, 'onRequest' | 'exposeHeadRoute' | 'helmet' | 'config'>

export interface Route<Row extends Operation = Operation> {
  readonly row: Row
  readonly options: Options
  readonly run: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>
}

/** One route for each row: a row without one does not compile. */
export type Routes<Rows extends Readonly<Record<string, Operation>>> = { readonly [Id in keyof Rows]: Route<Rows[Id]> }

/** The handler gives the value of the row's one success, or what `Call.answer` made. A member that the row does not name does not compile. */
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

/** For what is no JSON made here: streams, text, bytes that exist already. */
export function rawRoute<Row extends Operation>(
  row: Row,
  handler: (call: RouteContext<Row>) => Promise<FastifyReply> | FastifyReply,
  options: Options = {},
): Route<Row> {
  return { row, options, run: async (request, reply) => handler(callOf(row, request, reply)) }
}

/** Adds routes, by operation id, to a scope whose paths begin with `prefix`. */
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
  const text = await answer.text()
  reply.code(answer.status).headers(answer.headers)
  if (text === undefined) return reply.send()
  if (reply.getHeader('content-type') === undefined) reply.type('application/json; charset=utf-8')
  return reply.send(text)
}

/** Statuses of success, 304 apart: that one is for whoever compares tags. */
function successesOf(row: Operation): readonly [number, ...number[]] {
  const [first = 200, ...others] = Object.keys(row.answers)
    .map(Number)
    .filter((status) => status < 300)
  return [first, ...others]
}
