// Reads a wrangler.json or wrangler.jsonc: JSON with comments and trailing commas, as wrangler reads both.
import {
  findNodeAtLocation,
  getNodeValue,
  parseTree,
  printParseErrorCode,
  type Node,
  type ParseError,
} from 'jsonc-parser'
import { positionAt, type ManifestPositions, type Position } from './manifest-positions.ts'
import { isTable, type Table } from './manifest-values.ts'

export type ParsedTable =
  { readonly table: Table; readonly positions: ManifestPositions } | { readonly problem: string; readonly at: Position }

/** Parses the text. The result is the document with the positions of its values, or its first problem. */
export function parseJsonManifest(text: string): ParsedTable {
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { allowTrailingComma: true })
  const [error] = errors
  if (error !== undefined) {
    // E.g. `CommaExpected` becomes `comma expected`.
    const name = printParseErrorCode(error.error)
      .replaceAll(/\B[A-Z]/g, ' $&')
      .toLowerCase()
    return { problem: `The file is not valid JSON: ${name}.`, at: positionAt(text, error.offset) }
  }
  const table: unknown = root === undefined ? undefined : getNodeValue(root)
  if (root === undefined || !isTable(table))
    return { problem: 'The file is not a JSON object.', at: { line: 1, column: 1 } }
  const twice = repeatedKey(root)
  if (twice !== null)
    return { problem: `"${String(twice.value)}" is written twice in one object.`, at: positionAt(text, twice.offset) }
  return { table, positions: locateJson(root, text) }
}

/** Returns the first key that an object contains for the second time; null if there is none. The parser would take the last one silently. */
function repeatedKey({ type, children = [] }: Node): Node | null {
  const keys = new Set<unknown>()
  for (const child of children) {
    const [key] = type === 'object' ? (child.children ?? []) : []
    if (key !== undefined && keys.has(key.value)) return key
    keys.add(key?.value)
    const inner = repeatedKey(child)
    if (inner !== null) return inner
  }
  return null
}

function locateJson(root: Node, text: string): ManifestPositions {
  const find = (path: readonly (string | number)[]): Node => {
    for (let length = path.length; length > 0; length--) {
      const found = findNodeAtLocation(root, path.slice(0, length))
      if (found !== undefined) return found
    }
    return root
  }
  return {
    value: (path) => positionAt(text, find(path).offset),
    key: (path) => {
      const node = find(path)
      return positionAt(text, (node.parent?.type === 'property' ? node.parent : node).offset)
    },
  }
}
