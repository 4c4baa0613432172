// Symbols under which a schema stores information that is not part of its JSON Schema. They have their own file, so that the case
// conversion need not import the schema builders (schema.ts).

/** Extra information of a schema that is not part of its JSON Schema. Symbol keys are not copied to OpenAPI or to validators. */
export const named = Symbol('name of a shape')
export const verbatim = Symbol('belongs to its author')
export const target = Symbol('what a reference refers to')
export const coded = Symbol('another form inside')
export const moment = Symbol('a time in a request')
export const absence = Symbol('what absence is inside')
