export type EditPath = readonly (string | number)[]

export interface SourceEdit {
  readonly path: EditPath
  /** undefined removes the member or item. The index after the last item appends. */
  readonly value: unknown
}

/** Thrown if the text cannot be edited without changing other values, e.g. at an alias, a merge key or an anchor. */
export class NotEditable extends Error {
  override readonly name = 'NotEditable'
}
