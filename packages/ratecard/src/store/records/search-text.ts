// Normalization of text, so that lists can be searched and sorted by name.

/** Letters that Unicode does not decompose into a base letter and an accent, in lower case. `ß` becomes `ss` by its upper case. */
const plainLetters: Readonly<Record<string, string>> = {
  ...{ ł: 'l', đ: 'd', ð: 'd', ħ: 'h', ø: 'o', ŧ: 't', ƀ: 'b', ǥ: 'g', ɨ: 'i', ʉ: 'u', ƶ: 'z' },
  ...{ æ: 'ae', œ: 'oe', þ: 'th', ŋ: 'ng' },
}
const specialLetter = new RegExp(`[${Object.keys(plainLetters).join('')}]`, 'g')

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
    .replaceAll(specialLetter, (letter) => plainLetters[letter] ?? letter)
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
