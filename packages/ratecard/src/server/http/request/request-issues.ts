// Converts ajv errors about parameters and small bodies to issues. Documents are validated by the service instead.
import type { FastifySchemaValidationError } from 'fastify/types/schema.js'
import { pointerOf, type Issue } from '../../../base/errors/issue.ts'
import { didYouMean } from '../../../base/errors/suggest.ts'

const places: Readonly<Record<string, readonly string[]>> = {
  querystring: ['query'],
  params: ['path'],
  headers: ['header'],
}

export function validationIssues(errors: readonly FastifySchemaValidationError[], context: string): Issue[] {
  return errors.map((error) => toIssue(error, places[context] ?? []))
}

function toIssue(error: FastifySchemaValidationError, place: readonly string[]): Issue {
  const path = [...place, ...error.instancePath.split('/').slice(1)]
  const name = path.at(-1) ?? 'body'
  const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
  const { params } = error
  switch (error.keyword) {
    case 'additionalProperties': {
      const unknown = text(params['additionalProperty'])
      const hint = didYouMean(unknown, knownNames(error))
      return requestIssue('field_unknown', [...path, unknown], `There is no "${unknown}" here.`, hint)
    }
    case 'required': {
      const missing = text(params['missingProperty'])
      return requestIssue('field_missing', [...path, missing], `"${missing}" is required.`)
    }
    case 'type':
      return requestIssue('type_wrong', path, `"${name}" must be ${[params['type']].flat().map(text).join(' or ')}.`)
    case 'enum':
      return requestIssue(
        'enum_unknown',
        path,
        `"${name}" must be one of ${[params['allowedValues']].flat().map(text).join(', ')}.`,
      )
    case 'minItems':
    case 'minLength':
      return requestIssue('value_invalid', path, `"${name}" must have at least ${sizeText(error)}.`)
    case 'maxItems':
    case 'maxLength':
      return requestIssue('value_invalid', path, `"${name}" must have at most ${sizeText(error)}.`)
    default:
      return requestIssue('value_invalid', path, `"${name}" ${error.message ?? 'is invalid'}.`)
  }
}

/** Returns the limit of a list or text with its unit, e.g. `1 item`. */
function sizeText({ keyword, params }: FastifySchemaValidationError): string {
  const limit = Number(params['limit'])
  return `${String(limit)} ${keyword.endsWith('Items') ? 'item' : 'character'}${limit === 1 ? '' : 's'}`
}

/** Returns the property names that the failed schema allows. With the option `verbose`, ajv includes the failed schema in the error. */
function knownNames(error: FastifySchemaValidationError): string[] {
  const schema = 'parentSchema' in error ? error.parentSchema : undefined
  if (typeof schema !== 'object' || schema === null || !('properties' in schema)) return []
  return Object.keys(schema.properties ?? {})
}

function requestIssue(code: Issue['code'], path: readonly string[], detail: string, hint?: string): Issue {
  return { code, pointer: pointerOf(path), severity: 'error', detail, ...(hint === undefined ? {} : { hint }) }
}
