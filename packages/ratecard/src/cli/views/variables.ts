// The variables of a document and where each comes from. Never a value.

export interface VariableOrigin {
  readonly name: string
  /** An environment file, or the process environment. */
  readonly from: string
}

/** By place, e.g. `WEBHOOK_ORIGIN (ratecard/environments/.env.dev); HOOK_HOST, HOOK_TOKEN (process environment)`. */
export function variablesText(variables: readonly VariableOrigin[], code = (text: string) => text): string {
  const places = Map.groupBy(variables, ({ from }) => from)
  return [...places].map(([from, used]) => `${used.map(({ name }) => code(name)).join(', ')} (${from})`).join('; ')
}
