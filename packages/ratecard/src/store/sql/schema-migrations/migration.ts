import type { Engine } from '../database/database.ts'

/** Differences between the engines in schema statements. */
export interface Dialect {
  readonly engine: Engine
  /** Type of columns that are compared and sorted byte by byte, e.g. text with the collation "C". */
  readonly key: string
}

/** One change of the schema, as statements for both engines. */
export interface Migration {
  readonly name: string
  statements(engine: Dialect): readonly string[]
}
