// Symbols for information beside a schema. They are not in schema.ts, because the case conversion needs only the symbols and not the schema
// builders.

/** Extra information of a schema that is not part of its JSON Schema. Symbol keys are not copied to OpenAPI or to validators. */
export const named = Symbol('name of a shape')
export const verbatim = Symbol('belongs to its author')
export const target = Symbol('what a reference refers to')
export const coded = Symbol('another form inside')
export const moment = Symbol('a time in a request')
export const absence = Symbol('what absence is inside')
