export type EditPath = readonly (string | number)[]

export interface SourceEdit {
  readonly path: EditPath
  /** undefined removes the member or item. The index after the last item appends. */
  readonly value: unknown
}

/** The text cannot be changed there without changing something else: an alias, a merged key, an anchor. */
export class NotEditable extends Error {
  override readonly name = 'NotEditable'
}
