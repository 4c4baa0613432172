import { Ajv } from 'ajv'
import type { ValidateFunction } from 'ajv'
import type { FastifySchemaCompiler } from 'fastify'

// Parameters are text on the wire and become what the schema says; bodies are JSON and stay what they are.
const shared = { allErrors: true, useDefaults: true, strict: false, verbose: true, removeAdditional: false } as const
const parameters = new Ajv({ ...shared, coerceTypes: true })
const bodies = new Ajv({ ...shared, coerceTypes: false, useDefaults: false })

/** By content: many routes take the same parameters, and every application has copies of its own of the schemas. */
const compiled = { parameters: new Map<string, ValidateFunction>(), bodies: new Map<string, ValidateFunction>() }

/**
 * Checks parameters and small bodies. A body that is a shared schema is judged further in:
 * documents by the service, a calculation by its route. Compiled at first use: all at once they were a quarter of a start.
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
