// Separate from schema.ts, because case conversion needs only these symbols and not the schema builders.

/** Extra information of a schema beside its JSON Schema. Symbol keys are not copied to OpenAPI or to validators. */
export const named = Symbol('name of a shape')
export const verbatim = Symbol('belongs to its author')
export const target = Symbol('what a reference refers to')
export const coded = Symbol('another form inside')
export const moment = Symbol('a time in a request')
export const absence = Symbol('what absence is inside')
