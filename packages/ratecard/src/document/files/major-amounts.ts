// Warns about amounts that were written like amounts of the currency, e.g. `199.00` for €199.00: the value 199 is €1.99. Only the text of a file tells
// them apart, so this is no rule of the document. Pure.
import { isCurrency, currencyDecimals } from '../../base/money/currencies.ts'
import { pathOf, type Issue } from '../../base/errors/issue.ts'
import { formatMinor } from '../../base/money/format.ts'
import { isObject, warningIssue } from '../rules/draft.ts'
import { minorUnits } from '../schema/fields.ts'
import type { Position } from './position.ts'

/** A number of a file, as it is written. */
export interface WrittenNumber {
  readonly pointer: string
  readonly text: string
  readonly position: Position
}

/** True for a whole number with decimals, e.g. `199.00` or `12.0`. Another number with decimals is refused by the schema. */
export const isWrittenWithDecimals = (text: string): boolean => /^-?\d+\.0+$/.test(text)

export function majorAmounts(document: unknown, numbers: readonly WrittenNumber[]): readonly (Issue & Position)[] {
  return numbers.flatMap(({ pointer, text, position }) => {
    const path = pathOf(pointer)
    const currency = currencyAt(document, path)
    if (!minorUnits.has(path.at(-1) ?? '') || !isCurrency(currency)) return []
    const [whole = ''] = text.split('.')
    const factor = 10 ** currencyDecimals[currency]
    // Without decimals in the currency, both readings are the same amount.
    if (factor === 1) return []
    const meant = BigInt(whole) * BigInt(factor)
    const detail = `\`${text}\` is ${formatMinor(whole, currency)}, because amounts are in minor units.`
    const hint = `Write ${String(meant)} for ${formatMinor(meant, currency)}, or ${whole} for ${formatMinor(whole, currency)}.`
    return [{ ...warningIssue('amount_looks_major', pointer, detail, hint), ...position }]
  })
}

/** Returns the currency of an amount: the key in `currency_options`, or the nearest `currency` around it; empty if there is none. */
function currencyAt(document: unknown, path: readonly string[]): string {
  const options = path.lastIndexOf('currency_options')
  if (options >= 0) return path[options + 1] ?? ''
  const around: unknown[] = [document]
  for (const token of path) around.push(memberOf(around.at(-1), token))
  const currency = around.findLast((value) => isObject(value) && typeof value['currency'] === 'string')
  return isObject(currency) ? String(currency['currency']) : ''
}

const memberOf = (value: unknown, token: string): unknown =>
  Array.isArray(value) ? (value[Number(token)] as unknown) : isObject(value) ? value[token] : undefined
