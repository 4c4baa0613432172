import type { Engine } from '../database/database.ts'

/** Differences between the engines in schema statements. */
export interface Dialect {
  readonly engine: Engine
  /** SQL type of columns that are compared and sorted byte by byte, e.g. text with the collation "C" in PostgreSQL. */
  readonly key: string
}

/** One schema change, with the statements for both engines. */
export interface Migration {
  readonly name: string
  statements(engine: Dialect): readonly string[]
}
