// Text in the form in which lists are searched and sorted by name.

/**
 * Returns text without case, accents and repeated spaces, e.g. `straße  ÅÉ` as `strasse ae`. Upper case comes first because it decides what
 * lower case cannot, e.g. `ß` is `SS`. The Greek sigma has two lower-case forms.
 */
export function searchForm(text: string): string {
  return text
    .toUpperCase()
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll('ς', 'σ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** Between the fields of one row: never part of a searched text, so that no match spans two fields. */
const fieldEnd = '\n'

/** Returns the text that a row is found by. A search finds any part of a field. */
export function searchText(fields: readonly (string | null)[]): string {
  return fields.flatMap((field) => (field === null ? [] : searchForm(field))).join(fieldEnd)
}
