export type Value = string | number | null

/** A condition on a field of an object. `field` is a dotted path; it is inserted into SQL, so it must never come from a request. */
export type Condition =
  | { readonly field: string; readonly is: string | number | boolean | null }
  | { readonly field: string; readonly isAnyCase: string }
  | { readonly field: string; readonly in: readonly string[] }
  | { readonly field: string; readonly each: string; readonly is: string }
  | { readonly field: string; readonly op: '>' | '>=' | '<' | '<='; readonly value: number }

export function bind(value: Value, values: Value[]): '?' {
  values.push(value)
  return '?'
}

/** Returns the condition as SQL on the column `body`. Appends its values to `values`. */
export function toSql(condition: Condition, values: Value[]): string {
  const field = `body ->> '$.${condition.field}'`
  if ('isAnyCase' in condition) return `lower(${field}) = lower(${bind(condition.isAnyCase, values)})`
  if ('each' in condition) {
    const matches = `value ->> '$.${condition.each}' = ${bind(condition.is, values)}`
    return `EXISTS (SELECT 1 FROM json_each(body, '$.${condition.field}') WHERE ${matches})`
  }
  if ('op' in condition) return `${field} ${condition.op} ${bind(condition.value, values)}`
  if ('in' in condition) return `${field} IN (${condition.in.map((value) => bind(value, values)).join(', ')})`
  if (condition.is === null) return `${field} IS NULL`
  const value = typeof condition.is === 'boolean' ? Number(condition.is) : condition.is
  return `${field} = ${bind(value, values)}`
}
