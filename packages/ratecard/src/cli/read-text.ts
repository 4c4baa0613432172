import { readFileSync } from 'node:fs'

/** The text of a file; a failure names it. */
export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    // A directory can be opened, and the failure to read from it no longer knows the name.
    throw error instanceof Error ? Object.assign(error, { path: file }) : error
  }
}
