// Text of files: UTF-8 only. A decoder that replaces what it cannot read would put U+FFFD into names that customers see.

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The text, or why the bytes are none: the end of a sentence that begins with the file's name, e.g. `is not UTF-8 but UTF-16.` */
export type DecodedText =
  { readonly text: string; readonly problem: null } | { readonly text: null; readonly problem: string }

/** Decodes the bytes of a file. A byte order mark of UTF-8 stays in the text. */
export function decodeText(bytes: Uint8Array): DecodedText {
  const encoding = wideEncodingOf(bytes)
  if (encoding !== null) return { text: null, problem: `is not UTF-8 but ${encoding}.` }
  try {
    return { text: utf8.decode(bytes), problem: null }
  } catch {
    return { text: null, problem: narrowProblem(bytes) }
  }
}

/** What to do about a file that is not UTF-8. */
export const utf8Hint = 'Save it as UTF-8, in your editor or with `iconv -t UTF-8`.'

/** Returns the encoding by its byte order mark, or by the zero bytes beside each ASCII character; null for any other text. */
function wideEncodingOf(bytes: Uint8Array): string | null {
  const [first, second, third, fourth] = bytes
  if (first === 0xff && second === 0xfe) return third === 0 && fourth === 0 ? 'UTF-32' : 'UTF-16 (little endian)'
  if (first === 0xfe && second === 0xff) return 'UTF-16 (big endian)'
  if (first === 0 && second === 0 && third === 0xfe && fourth === 0xff) return 'UTF-32'
  const start = bytes.subarray(0, 64)
  const zeros = (from: 0 | 1) => start.filter((byte, index) => index % 2 === from && byte === 0).length
  const most = start.length * 0.4
  return start.length < 4
    ? null
    : zeros(1) > most
      ? 'UTF-16 (little endian)'
      : zeros(0) > most
        ? 'UTF-16 (big endian)'
        : null
}

/** Describes the first byte that is not UTF-8. In the encodings with one byte for a character, such a byte is a letter like é. */
function narrowProblem(bytes: Uint8Array): string {
  const at = validLength(bytes)
  const line = bytes.subarray(0, at).reduce((count, byte) => count + (byte === 0x0a ? 1 : 0), 1)
  const byte = (bytes[at] ?? 0).toString(16).toUpperCase().padStart(2, '0')
  return `is not UTF-8: line ${String(line)} has the byte 0x${byte}, which is perhaps of ISO 8859-1 or Windows-1252.`
}

/** Returns the length of the longest start that is UTF-8. */
function validLength(bytes: Uint8Array): number {
  let [low, high] = [0, bytes.length]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    // As a stream, because the middle may be inside a character.
    if (decodes(bytes.subarray(0, middle), { stream: true })) low = middle
    else high = middle - 1
  }
  while (!decodes(bytes.subarray(0, low))) low--
  return low
}

function decodes(bytes: Uint8Array, options: { readonly stream?: boolean } = {}): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, options)
    return true
  } catch {
    return false
  }
}
