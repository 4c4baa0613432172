import type { Engine } from '../database/database.ts'

/** How an engine says what the engines say differently. */
export interface Dialect {
  readonly engine: Engine
  /** The type of columns that are compared and sorted byte by byte. */
  readonly key: string
  /** Epoch milliseconds of a text as `toRfc3339` writes it. */
  readonly epochMs: (text: string) => string
}

/** One change of the schema, as statements that both engines take. */
export interface Migration {
  readonly name: string
  statements(engine: Dialect): readonly string[]
  /**
   * What is done at every start: servers of the release before, which may still run during a rolling upgrade, go on writing
   * rows in their way after the change.
   */
  readonly again?: (engine: Dialect) => readonly string[]
}
