// Normalization of text, so that lists can be searched and sorted by name.

/** Lower-case letters that Unicode does not decompose into a base letter and an accent. `ß` is missing because its upper case is `SS`. */
const plainLetters: Readonly<Record<string, string>> = {
  ...{ ł: 'l', đ: 'd', ð: 'd', ħ: 'h', ø: 'o', ŧ: 't', ƀ: 'b', ǥ: 'g', ɨ: 'i', ʉ: 'u', ƶ: 'z' },
  ...{ æ: 'ae', œ: 'oe', þ: 'th', ŋ: 'ng' },
}
const specialLetter = new RegExp(`[${Object.keys(plainLetters).join('')}]`, 'g')

/**
 * Returns the text without case, accents and repeated spaces, e.g. `strasse ae` for `straße ÅÉ`. Converts it to upper case first, because
 * lower case alone would leave different spellings, e.g. `ß` and `SS`, or the two forms of the Greek sigma.
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

/** Separator between the fields of a row's search text. A text that users search for never contains it, so no match spans two fields. */
const fieldEnd = '\n'

/** Returns the search text of a row. A search finds the row by any part of any field. */
export function searchText(fields: readonly (string | null)[]): string {
  return fields.flatMap((field) => (field === null ? [] : searchForm(field))).join(fieldEnd)
}
