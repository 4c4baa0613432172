import { Ajv } from 'ajv'
import type { ValidateFunction } from 'ajv'
import type { FastifySchemaCompiler } from 'fastify'

// Parameters are text on the wire and become what the schema says; bodies are JSON and stay what they are.
const shared = { allErrors: true, useDefaults: true, strict: false, verbose: true, removeAdditional: false } as const
const parameters = new Ajv({ ...shared, coerceTypes: true })
const bodies = new Ajv({ ...shared, coerceTypes: false, useDefaults: false })

/** Many routes take the same parameters. By content, because every application has copies of its own of the schemas. */
const compiled = new Map<string, ValidateFunction>()

/**
 * Checks parameters and small bodies. A body that is a shared schema is judged further in:
 * documents by the service, a calculation by its route.
 */
export const compileValidator: FastifySchemaCompiler<object> = ({ schema, httpPart }) => {
  if (httpPart === 'headers' || (httpPart === 'body' && '$ref' in schema)) return () => true
  const of = httpPart === 'body' ? bodies : parameters
  const key = `${of === bodies ? 'body' : 'parameters'} ${JSON.stringify(schema)}`
  const validate = compiled.get(key) ?? of.compile(schema)
  compiled.set(key, validate)
  return validate
}
