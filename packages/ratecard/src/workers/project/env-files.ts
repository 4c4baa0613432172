import { parse } from 'dotenv'

/** The variables of an environment file (`NAME=value` lines, quotes, comments). Nothing in it is expanded. */
export function parseEnvFile(text: string): ReadonlyMap<string, string> {
  return new Map(Object.entries(parse(text.replace(/^\uFEFF/, ''))))
}
