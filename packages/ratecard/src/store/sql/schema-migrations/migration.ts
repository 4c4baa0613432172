import type { Engine } from '../database/database.ts'

/** How an engine says what the engines say differently. */
export interface Dialect {
  readonly engine: Engine
  /** The type of columns that are compared and sorted byte by byte. */
  readonly key: string
}

/** One change of the schema, as statements that both engines take. */
export interface Migration {
  readonly name: string
  statements(engine: Dialect): readonly string[]
}
