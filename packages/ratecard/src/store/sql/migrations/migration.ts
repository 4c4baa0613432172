/** One change of the schema, as statements that both engines take. */
export interface Migration {
  readonly name: string
  statements(engine: {
    readonly key: string
    /** Epoch milliseconds of a text as `toRfc3339` writes it. */
    readonly epochMs: (text: string) => string
  }): readonly string[]
}
