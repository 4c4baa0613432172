// Declarative checks of parameters: names, types, enums, lengths. Order and messages are those of the real API: unknown names first, then
// missing ones, then invalid values. Rules about objects are in `endpoints`.
import { UnknownParameters, UnknownValue, missingParam, badRequest } from '../responses/errors.ts'
import { elementsOf, isNode, type FormNode, type FormValue } from './form.ts'

/** A parameter. `read` returns its value or throws the API's error. `name` is the full name, e.g. `recurring[interval]`. */
export interface Param<T, R extends boolean = boolean> {
  readonly required: R
  readonly read: (value: FormValue, name: string) => T
}

export type Fields = Readonly<Record<string, Param<unknown>>>

/**
 * Values of the fields after reading. The value of an absent optional parameter is undefined, and that of a cleared parameter (`''`) is
 * null.
 */
export type Read<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends Param<infer T, infer R> ? (R extends true ? T : T | undefined) : never
}

type Optional<T> = Param<T, false>

function optional<T>(read: (value: FormValue, name: string) => T): Optional<T> {
  return { required: false, read }
}

/** A parameter whose value is checked or converted after it was read. */
export function checked<T, U>(param: Optional<T>, check: (given: T, name: string) => U): Optional<U> {
  return optional((value, name) => check(param.read(value, name), name))
}

export function required<T>(param: Optional<T>): Param<T, true> {
  return { required: true, read: param.read }
}

export function readParams<F extends Fields>(fields: F, form: FormNode, prefix = ''): Read<F> {
  const nameOf = (name: string): string => (prefix === '' ? name : `${prefix}[${name}]`)
  const unknown = Object.keys(form).filter((name) => !Object.hasOwn(fields, name))
  if (unknown[0] !== undefined) {
    throw new UnknownParameters(unknown.map(nameOf))
  }
  for (const [name, param] of Object.entries(fields)) {
    if (param.required && form[name] === undefined) throw missingParam(nameOf(name))
  }
  const read = Object.entries(fields).map(([name, param]) => {
    const value = form[name]
    return [name, value === undefined ? undefined : param.read(value, nameOf(name))] as const
  })
  // The value of each field comes from the reader of that field, so the type is right.
  return Object.fromEntries(read) as Read<F>
}

function scalar(value: FormValue, name: string): string {
  if (isNode(value)) throw badRequest('Invalid string', name)
  if (value === '') throw emptyError(name)
  return value
}

function emptyError(name: string): Error {
  const message =
    `You passed an empty string for '${name}'. We assume empty values are an attempt to unset a parameter; ` +
    `however '${name}' cannot be unset. You should remove '${name}' from your request or supply a non-empty value.`
  return badRequest(message, name, 'parameter_invalid_empty')
}

/** A parameter that `''` clears; its value is then null. */
export function emptyable<T>(param: Optional<T>): Optional<T | null> {
  return optional((value, name) => (value === '' ? null : param.read(value, name)))
}

export function text(limits: { readonly max?: number; readonly pattern?: RegExp } = {}): Optional<string> {
  const max = limits.max ?? 5000
  return optional((value, name) => {
    const given = scalar(value, name)
    if (given.length > max) {
      const shown = given.length > 60 ? `${given.slice(0, 30)}...${given.slice(-20)}` : given
      throw badRequest(`Invalid string: ${shown}; must be at most ${max} characters`, name)
    }
    if (limits.pattern !== undefined && !limits.pattern.test(given)) {
      const shown = limits.pattern.source.replace('^', '\\A').replace(/\$$/, '\\z')
      throw badRequest(
        `This value must match the regex pattern. (/${shown}/ does not match for the value ${given}).`,
        name,
      )
    }
    return given
  })
}

/** A parameter with an email address. */
export function email(): Optional<string> {
  return checked(text({ max: 512 }), (given, name) => {
    if (!/^[^\s@]+@[^\s@]+$/.test(given)) throw badRequest(`Invalid email address: ${given}`, name, 'email_invalid')
    return given
  })
}

export function integer(limits: { readonly min?: number; readonly max?: number } = {}): Optional<number> {
  return optional((value, name) => {
    const given = scalar(value, name)
    const number = Number(given)
    if (!/^-?\d+$/.test(given) || !Number.isSafeInteger(number)) {
      throw badRequest(`Invalid integer: ${given}`, name, 'parameter_invalid_integer')
    }
    const { min, max } = limits
    if (min === 0 && number < 0) throw badRequest('Invalid non-negative integer', name, 'parameter_invalid_integer')
    if (min !== undefined && number < min) {
      throw badRequest(`This value must be greater than or equal to ${min}.`, name, 'parameter_invalid_integer')
    }
    if (max !== undefined && number > max) {
      throw badRequest(`This value must be less than or equal to ${max}.`, name, 'parameter_invalid_integer')
    }
    return number
  })
}

/** A parameter with a number. Its error messages show limits with a decimal place as the real API does, e.g. `0` as 0.0. */
export function number(limits: { readonly min?: number; readonly max?: number } = {}): Optional<number> {
  return optional((value, name) => {
    const given = scalar(value, name)
    if (!/^-?\d+(\.\d+)?$/.test(given)) throw badRequest(`Invalid decimal: ${given}`, name)
    const read = Number(given)
    const shown = Number.isInteger(read) ? read.toFixed(1) : String(read)
    if (limits.min !== undefined && read < limits.min) {
      throw badRequest(`This value must be greater than or equal to ${limits.min} (it currently is '${shown}').`, name)
    }
    if (limits.max !== undefined && read > limits.max) {
      throw badRequest(`This value must be less than or equal to ${limits.max} (it currently is '${shown}').`, name)
    }
    return read
  })
}

/**
 * A parameter with a non-negative decimal of minor units and at most 12 decimal places. Its value is the shortest form (`5.50` is `5.5`).
 */
export function decimal(): Optional<string> {
  return optional((value, name) => {
    const given = scalar(value, name)
    const parts = /^(\d+)(?:\.(\d*))?$/.exec(given)
    if (parts === null) {
      if (/^-\d+(\.\d*)?$/.test(given)) throw badRequest('Invalid non-negative decimal', name)
      throw badRequest(`Invalid decimal: ${given}`, name)
    }
    const fraction = parts[2] ?? ''
    if (fraction.length > 12)
      throw badRequest(`Invalid decimal: ${given}; must contain at maximum 12 decimal places.`, name)
    const whole = (parts[1] ?? '').replace(/^0+(?=\d)/, '')
    const places = fraction.replace(/0+$/, '')
    return places === '' ? whole : `${whole}.${places}`
  })
}

export function boolean(): Optional<boolean> {
  return optional((value, name) => {
    const given = scalar(value, name)
    if (given !== 'true' && given !== 'false') throw badRequest(`Invalid boolean: ${given}`, name)
    return given === 'true'
  })
}

/** Unix time (seconds) of the end of the year 9999. Later dates cannot be formatted as ISO text. */
const maxTimestamp = 253_402_300_799

/** A parameter with a time in Unix seconds. */
export function timestamp(): Optional<number> {
  return checked(integer({ min: 0 }), (moment, name) => {
    if (moment > maxTimestamp) throw badRequest('Invalid timestamp: must be an integer Unix timestamp', name)
    return moment
  })
}

/** A parameter with a time in Unix seconds, or one of the given words. */
export function timestampOr<const T extends string>(...words: readonly T[]): Optional<number | T> {
  const moment = timestamp()
  return optional((value, name) => words.find((word) => word === value) ?? moment.read(value, name))
}

export function nowOrTimestamp(): Optional<number | 'now'> {
  return timestampOr('now')
}

/** Checks that a timestamp (seconds) is after `now`, by at most five years. Returns it. */
export function futureTimestamp(value: number, name: string, now: number): number {
  if (value <= now) {
    const message = `The parameter \`${name}\` expects a unix timestamp representing a date and time in the future.`
    throw badRequest(`${message} You specified the value \`${value}\` which is in the past.`, name)
  }
  const fiveYears = 5 * 366 * 86_400
  if (value > now + fiveYears)
    throw badRequest('Invalid timestamp: can be no more than five years in the future.', name)
  return value
}

export function oneOf<const T extends string>(...values: readonly T[]): Optional<T> {
  return optional((value, name) => {
    const given = isNode(value) ? '' : value
    if (given === '') throw isNode(value) ? badRequest('Invalid string', name) : emptyError(name)
    const found = values.find((allowed) => allowed === given)
    if (found === undefined)
      throw new UnknownValue(`Invalid ${name}: must be one of ${alternatives(values)}`, name, given)
    return found
  })
}

function alternatives(values: readonly string[]): string {
  if (values.length < 3) return values.join(' or ')
  return `${values.slice(0, -1).join(', ')}, or ${values.at(-1) ?? ''}`
}

export function list<T>(item: Optional<T>, limits: { readonly max?: number } = {}): Optional<readonly T[]> {
  return optional((value, name) => {
    if (value === '') throw emptyError(name)
    const elements = isNode(value) ? elementsOf(value) : undefined
    if (elements === undefined) throw badRequest('Invalid array', name)
    if (limits.max !== undefined && elements.length > limits.max) {
      throw badRequest(`Array ${name} exceeded maximum ${limits.max} allowed elements.`, name)
    }
    return elements.map((element, index) => item.read(element, `${name}[${index}]`))
  })
}

export function shape<F extends Fields>(fields: F): Optional<Read<F>> {
  return optional((value, name) => {
    if (value === '') throw emptyError(name)
    if (!isNode(value)) throw badRequest('Invalid object', name)
    return readParams(fields, value, name)
  })
}

/** A parameter with a map of arbitrary names. `checkName` throws for an invalid name. */
export function mapOf<T>(
  item: Optional<T>,
  checkName: (key: string, name: string) => void,
): Optional<ReadonlyMap<string, T>> {
  return optional((value, name) => {
    if (value === '') throw emptyError(name)
    if (!isNode(value)) throw badRequest('Invalid object', name)
    const entries = Object.entries(value).map(([key, inner]): [string, T] => {
      checkName(key, name)
      return [key, item.read(inner, `${name}[${key}]`)]
    })
    return new Map(entries)
  })
}

/** A range filter of lists: a time in seconds (`created=…`) or bounds (`created[gte]=…`). */
export interface Range {
  readonly gt?: number | undefined
  readonly gte?: number | undefined
  readonly lt?: number | undefined
  readonly lte?: number | undefined
}

const rangeFields = { gt: timestamp(), gte: timestamp(), lt: timestamp(), lte: timestamp() }

export function range(): Optional<Range> {
  return optional((value, name) => {
    if (isNode(value)) return readParams(rangeFields, value, name)
    const moment = timestamp().read(value, name)
    return { gte: moment, lte: moment }
  })
}
