import type { ErrorObject } from 'ajv/dist/2020.js'
import type { IssueCode } from '../../base/errors/codes.ts'
import { didYouMean } from '../../base/errors/suggest.ts'
import { currencies, standardCurrencies } from '../../base/money/currencies.ts'
import { isObject, quoteValue } from '../rules/draft.ts'
import { latestMoment } from '../schema/moment.ts'
import {
  addressPattern,
  decimalPattern,
  idPattern,
  minorUnits,
  statementPattern,
  taxCodePattern,
} from '../schema/fields.ts'

export interface IssueText {
  readonly code: IssueCode
  readonly detail: string
  readonly hint?: string
}

/**
 * Returns issue code and message for one schema error. `path` is the path of the invalid value. For a missing field it is the path of the
 * object that lacks the field.
 */
export function schemaIssue(error: ErrorObject, path: readonly string[]): IssueText {
  const subject = subjectOf(path)
  switch (error.keyword) {
    case 'required':
      return issueText(
        'field_missing',
        `${capitalize(placeOf(path))} has no "${String(error.params['missingProperty'])}".`,
      )
    case 'additionalProperties':
      return unknownFieldIssue(error, path)
    case 'type':
      return wrongTypeIssue(error, path, subject)
    case 'enum':
    case 'const':
      return notAllowedIssue(error, path, subject)
    case 'anyOf':
      return noAlternativeIssue(error, path, subject)
    case 'pattern':
      return patternIssue(error, path, subject)
    case 'minimum':
    case 'exclusiveMinimum':
    case 'maximum':
      return rangeIssue(error, path, subject)
    default:
      return sizeIssue(error, path, subject)
  }
}

function unknownFieldIssue(error: ErrorObject, path: readonly string[]): IssueText {
  const field = path.at(-1) ?? ''
  const parent = error.parentSchema
  const known: unknown = isObject(parent) ? parent['properties'] : undefined
  if (path.at(-2) === 'currency_options') return currencyIssue(`A key of ${placeOf(path.slice(0, -1))}`, field)
  if (!isObject(known))
    return issueText('value_invalid', `${quoteValue(field)} cannot be a key of ${placeOf(path.slice(0, -1))}.`, keyHint)
  const hint =
    field === '<<'
      ? 'Merge keys of YAML are not read: write the fields out, or repeat a whole value with an alias (`*name`).'
      : (didYouMean(field, Object.keys(known)) ?? `Remove it. Known fields: ${Object.keys(known).join(', ')}.`)
  return issueText(
    'field_unknown',
    `${capitalize(placeOf(path.slice(0, -1)))} has no field ${quoteValue(field)}.`,
    hint,
  )
}

function currencyIssue(subject: string, code: unknown): IssueText {
  const near = typeof code === 'string' ? didYouMean(code.trim(), currencies) : undefined
  const hint =
    near ??
    `Use one of ${standardCurrencies.join(', ')}, or another currency of the processor with \`extra_currencies\`.`
  return issueText('currency_unknown', `${subject} is ${quoteValue(code)}, which is not a supported currency.`, hint)
}

const keyHint = 'Keys must have 1 to 40 characters and no square brackets.'

const typeNames: Readonly<Record<string, string>> = {
  string: 'text in quotes',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
}

function wrongTypeIssue(error: ErrorObject, path: readonly string[], subject: string): IssueText {
  const expected = String(error.params['type'])
  const detail = `${subject} must be ${typeNames[expected] ?? expected}, not ${kindOf(error.data)}.`
  return issueText('type_wrong', detail, typeHint(expected, error.data, path.at(-1) ?? ''))
}

function typeHint(expected: string, value: unknown, field: string): string | undefined {
  if (value === null) return 'Leave out the field instead of setting it to null.'
  if (expected === 'integer' && typeof value === 'number' && /amount/.test(field))
    return field === 'amount' || field === 'unit_amount'
      ? 'Amounts are whole minor units (1200 is $12.00); smaller fractions go into `unit_amount_decimal`.'
      : 'Amounts are whole minor units: 1200 is $12.00.'
  if (expected === 'integer' && typeof value === 'string' && /^-?\d+\.\d+$/.test(value) && minorUnits.has(field))
    return 'Amounts are whole minor units without quotes: 1250 is 12.50 in a currency with cents.'
  if (/integer|number/.test(expected) && typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value))
    return `Write ${value} without quotes.`
  if (expected === 'string' && typeof value === 'number')
    return field === 'version' ? versionHint(undefined) : 'Write it in quotes, as it stands there.'
  if (expected === 'boolean' && (value === 'true' || value === 'false')) return `Write ${value} without quotes.`
  return undefined
}

function notAllowedIssue(error: ErrorObject, path: readonly string[], subject: string): IssueText {
  const field = path.at(-1) ?? ''
  const listed: unknown = error.params['allowedValues'] ?? [error.params['allowedValue']]
  const allowed = (Array.isArray(listed) ? listed : []).map(String)
  if (path.at(-2) === 'extra_currencies') return currencyIssue('A code of `extra_currencies`', error.data)
  if (/currency$/.test(field)) return currencyIssue(subject, error.data)
  const code = field === 'interval' ? 'interval_unknown' : 'enum_unknown'
  const near = typeof error.data === 'string' ? didYouMean(error.data.trim(), allowed) : undefined
  return issueText(code, `${subject} is ${quoteValue(error.data)}, which is not one of ${allowed.join(', ')}.`, near)
}

function noAlternativeIssue(error: ErrorObject, path: readonly string[], subject: string): IssueText {
  const value: unknown = error.data
  const code = typeof value === 'string' || typeof value === 'number' ? 'value_invalid' : 'type_wrong'
  const got = value === null || typeof value === 'object' ? kindOf(value) : quoteValue(value)
  if (path.at(-1) === 'up_to') {
    const hint = typeof value === 'number' ? undefined : 'Write "inf" in quotes, in the last tier.'
    return issueText(code, `${subject} must be a whole number from 1 up, or "inf", not ${got}.`, hint)
  }
  if (path.at(-1) === 'limit') {
    const hint = typeof value === 'string' ? 'Write a number without quotes, or "unlimited".' : undefined
    return issueText(code, `${subject} must be a whole number from 0 up, or "unlimited", not ${got}.`, hint)
  }
  if (path.at(-2) === 'features')
    return issueText(
      code,
      `${subject} must be the id of a feature, or an object with \`id\` and \`limit\`, not ${got}.`,
      'For example "sso", or { "id": "projects", "limit": 10 }.',
    )
  return issueText(code, `${subject} must be a time, not ${got}.`, momentHint(value))
}

function momentHint(value: unknown): string {
  if (typeof value === 'number' && value > latestMoment)
    return `Give seconds, not milliseconds: ${Math.floor(value / 1000)}.`
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value))
    return `Add the time and the zone: "${value}T23:59:59Z".`
  return 'Write ISO 8601 with a time zone ("2031-02-28T23:59:59Z"), or Unix seconds.'
}

function patternIssue(error: ErrorObject, path: readonly string[], subject: string): IssueText {
  const value: unknown = error.data
  const field = path.at(-1) ?? ''
  if (path.length === 1 && field === 'version')
    return issueText(
      'version_format',
      `The version is ${quoteValue(value)}, which is not MAJOR.MINOR.PATCH.`,
      versionHint(value),
    )
  if (error.schema === decimalPattern) {
    if (typeof value === 'string' && /^-\d/.test(value))
      return issueText('amount_negative', `${subject} is below zero.`, belowZeroHint)
    return issueText(
      'value_invalid',
      `${subject} is ${quoteValue(value)}, which is not a plain decimal.`,
      'At most 12 digits, a point, and at most 12 decimals: "0.05".',
    )
  }
  const form = forms[String(error.schema)]
  if (form !== undefined)
    return issueText('value_invalid', `${subject} is ${quoteValue(value)}, which is not ${form.what}.`, form.hint)
  if (error.schema === idPattern)
    return issueText(
      'value_invalid',
      `${subject} is ${quoteValue(value)}, which is not an id.`,
      'An id must have 1 to 100 letters, digits, "_", "-" and ".", and start with a letter or a digit.',
    )
  if (field === 'code')
    return issueText(
      'value_invalid',
      `${subject} is ${quoteValue(value)}, which customers could not type.`,
      'A code may have letters, digits, "-" and "_" only.',
    )
  return issueText('value_invalid', `${subject} is ${quoteValue(value)}, which has the wrong form.`)
}

const forms: Readonly<Record<string, { readonly what: string; readonly hint: string }>> = {
  [taxCodePattern]: { what: 'tax code', hint: 'A tax code is "txcd_" and eight digits: "txcd_10103001".' },
  [addressPattern]: { what: 'web address', hint: 'Write a complete URL, e.g. "https://example.com/pro".' },
  [statementPattern]: {
    what: 'statement descriptor',
    hint: 'It has 5 to 22 plain characters, at least one letter, and none of < > \\ \' " *.',
  },
}

function versionHint(value: unknown): string {
  const [major, minor = '0', patch = '0'] = typeof value === 'string' ? (value.match(/\d+/g) ?? []) : []
  return major === undefined ? 'Write three numbers, for example "1.0.0".' : `Write "${major}.${minor}.${patch}".`
}

const belowZeroHint = 'To give money back, use a coupon or a credit. 0 is a free price.'

function rangeIssue(error: ErrorObject, path: readonly string[], subject: string): IssueText {
  const limit = String(error.params['limit'])
  const value = String(error.data)
  const field = path.at(-1) ?? ''
  if (error.keyword === 'minimum' && /^(amount|unit_amount|flat_amount)$/.test(field) && Number(value) < 0)
    return issueText('amount_negative', `${subject} is ${value}, below zero.`, belowZeroHint)
  const bound = { minimum: 'at least', exclusiveMinimum: 'more than', maximum: 'at most' }[error.keyword] ?? 'within'
  return issueText('value_invalid', `${subject} is ${value}, but must be ${bound} ${limit}.`)
}

// The message does not quote the value, because a value that exceeds its maximum length may be too long for a message.
function sizeIssue(error: ErrorObject, path: readonly string[], subject: string): IssueText {
  const limit = String(error.params['limit'])
  switch (error.keyword) {
    case 'minItems':
      return issueText(path.at(-1) === 'tiers' ? 'tiers_invalid' : 'value_invalid', `${subject} is empty.`)
    case 'minLength':
      return issueText('value_invalid', `${subject} is empty.`)
    case 'maxLength':
      return issueText('value_invalid', `${subject} is longer than ${limit} characters.`)
    case 'maxItems':
      return issueText('value_invalid', `${subject} has more than ${limit} entries.`)
    case 'maxProperties':
      return issueText('value_invalid', `${subject} has more than ${limit} keys.`)
    case 'false schema':
      return issueText('field_unknown', `${subject} is not allowed here.`, 'Remove it.')
    case 'format':
      if (error.params['format'] === 'date-time')
        return issueText(
          'value_invalid',
          `${subject} is ${quoteValue(error.data)}, which is not a time.`,
          momentHint(error.data),
        )
      return issueText('value_invalid', `${subject} is not valid: ${error.message ?? error.keyword}.`)
    default:
      return issueText('value_invalid', `${subject} is not valid: ${error.message ?? error.keyword}.`)
  }
}

const singular: Readonly<Record<string, string>> = {
  products: 'product',
  prices: 'price',
  meters: 'meter',
  webhooks: 'webhook',
  coupons: 'coupon',
  promotion_codes: 'promotion code',
  tax_rates: 'tax rate',
  rates: 'tax rate id',
  portal: 'portal configuration',
  tiers: 'tier',
  events: 'event',
  features: 'feature',
  marketing_features: 'feature',
  images: 'image',
  limits: 'limit',
  applies_to: 'product id',
  attached_prices: 'price id',
  rules: 'rule',
  value: 'entry',
}

/** Returns a readable name of the value at a path: `the price`, `the document`, `"ui"`. */
function placeOf(path: readonly string[]): string {
  if (path.length === 0) return 'the document'
  const list = path.length > 1 && /^\d+$/.test(path.at(-1) ?? '') ? singular[path.at(-2) ?? ''] : undefined
  return list === undefined ? quoteValue(path.at(-1)) : `the ${list}`
}

function subjectOf(path: readonly string[]): string {
  return capitalize(placeOf(path))
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'an object'
  if (typeof value === 'string') return `the text ${quoteValue(value)}`
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : typeof value
}

function issueText(code: IssueCode, detail: string, hint?: string): IssueText {
  return { code, detail, ...(hint === undefined ? {} : { hint }) }
}
