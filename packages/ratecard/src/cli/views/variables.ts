// Formats the variables of a document with their origins. Never contains their values.

export interface VariableOrigin {
  readonly name: string
  /** Origin of the variable: path of an environment file, or `process environment`. */
  readonly from: string
}

/**
 * Formats variables grouped by origin, e.g. `WEBHOOK_ORIGIN (ratecard/environments/.env.dev); HOOK_HOST, HOOK_TOKEN (process environment)`.
 */
export function variablesText(variables: readonly VariableOrigin[], code = (text: string) => text): string {
  const places = Map.groupBy(variables, ({ from }) => from)
  return [...places].map(([from, used]) => `${used.map(({ name }) => code(name)).join(', ')} (${from})`).join('; ')
}
