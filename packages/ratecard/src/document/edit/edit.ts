export type EditPath = readonly (string | number)[]

export interface SourceEdit {
  readonly path: EditPath
  /** New value; undefined removes the member or item. If the path ends with the index after the last item, the value is appended. */
  readonly value: unknown
}

/** Thrown if an edit would change other values too, e.g. at an alias, a merge key or an anchor. */
export class NotEditable extends Error {
  override readonly name = 'NotEditable'
}
