// Apart from schema.ts, because the crossing reads them and needs nothing that makes shapes.

/** What a shape knows beside its JSON Schema. Symbols keep it out of OpenAPI and of every copy that is made for a validator. */
export const named = Symbol('name of a shape')
export const verbatim = Symbol('belongs to its author')
export const target = Symbol('what a reference refers to')
export const coded = Symbol('another form inside')
export const moment = Symbol('a time in a request')
export const absence = Symbol('what absence is inside')
