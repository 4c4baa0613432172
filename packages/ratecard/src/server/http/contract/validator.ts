import { Ajv, type ValidateFunction } from 'ajv'
import type { FastifySchemaCompiler } from 'fastify'

// Options of ajv. Parameters arrive as text, so ajv coerces them to the type in the schema. Bodies are JSON and are not coerced.
const shared = { allErrors: true, useDefaults: true, strict: false, verbose: true, removeAdditional: false } as const
const parameters = new Ajv({ ...shared, coerceTypes: true })
const bodies = new Ajv({ ...shared, coerceTypes: false, useDefaults: false })

/**
 * Cache of compiled validators, by schema content. It saves memory and time, because many routes have equal parameters, and every
 * application instance has its own copies of the schemas.
 */
const compiled = { parameters: new Map<string, ValidateFunction>(), bodies: new Map<string, ValidateFunction>() }

/**
 * Returns the validator of parameters or of a small body. Accepts any body with a shared schema (`$ref`), because the service or the route
 * validates it later. Compiles at first use, because compiling all schemas would take a quarter of the startup time.
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
