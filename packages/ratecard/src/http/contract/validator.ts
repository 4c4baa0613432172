import { Ajv, type ValidateFunction } from 'ajv'
import type { FastifySchemaCompiler } from 'fastify'

// Parameters arrive as text and are coerced to the type in the schema. Bodies are JSON and are not coerced.
const shared = { allErrors: true, useDefaults: true, strict: false, verbose: true, removeAdditional: false } as const
const parameters = new Ajv({ ...shared, coerceTypes: true })
const bodies = new Ajv({ ...shared, coerceTypes: false, useDefaults: false })

/** Caches by schema content: many routes have equal parameters, and every application instance has its own copies of the schemas. */
const compiled = { parameters: new Map<string, ValidateFunction>(), bodies: new Map<string, ValidateFunction>() }

/**
 * Validates parameters and small bodies. A body with a shared schema (`$ref`) is validated later: documents by the service, a calculation
 * by its route. Compiled at first use, because compiling all schemas would take a quarter of the startup time.
 */
export const compileValidator: FastifySchemaCompiler<object> = ({ schema, httpPart }) => {
  if (httpPart === 'headers' || (httpPart === 'body' && '$ref' in schema)) return () => true
  const of = httpPart === 'body' ? 'bodies' : 'parameters'
  let known: ValidateFunction | undefined
  const judge: ReturnType<FastifySchemaCompiler<object>> = (data: unknown) => {
    known ??= validatorOf(of, schema)
    const valid = known(data)
    judge.errors = known.errors ?? null
    return valid
  }
  return judge
}

function validatorOf(of: keyof typeof compiled, schema: object): ValidateFunction {
  const key = JSON.stringify(schema)
  const validate = compiled[of].get(key) ?? (of === 'bodies' ? bodies : parameters).compile(schema)
  compiled[of].set(key, validate)
  return validate
}
