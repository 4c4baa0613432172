// Normalization of text, so that lists can be searched and sorted by name.

/**
 * Returns the text without case, accents and repeated spaces, e.g. `strasse ae` for `straße  ÅÉ`. It is converted to upper case first,
 * because lower case alone does not unify all spellings, e.g. `ß` and `SS`. The Greek sigma has two lower-case forms.
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

/** Separates the fields in a row's search text. A search text never contains it, so that no match spans two fields. */
const fieldEnd = '\n'

/** Returns the search text of a row: a search finds the row by any part of any field. */
export function searchText(fields: readonly (string | null)[]): string {
  return fields.flatMap((field) => (field === null ? [] : searchForm(field))).join(fieldEnd)
}
