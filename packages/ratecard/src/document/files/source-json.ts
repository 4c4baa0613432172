import {
  findNodeAtLocation,
  getNodePath,
  parseTree,
  printParseErrorCode,
  type Node,
  type ParseError,
} from 'jsonc-parser'
import { pathOf, pointerOf, type Issue } from '../../base/errors/issue.ts'
import { isWrittenWithDecimals, majorAmounts, type WrittenNumber } from './major-amounts.ts'
import { duplicateKey, LineIndex, syntaxIssue, type ParsedText, type Position } from './position.ts'

/**
 * Parses JSON. With `relaxed`, comments and trailing commas are allowed. Throws RangeError for excessive nesting, which overflows the
 * stack.
 */
export function parseJson(text: string, relaxed: boolean): ParsedText {
  const lines = new LineIndex(text)
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { disallowComments: !relaxed, allowTrailingComma: relaxed })
  // The parser reports some places twice, e.g. a trailing comma as a missing key and as a missing value.
  const apart = errors.filter(({ offset }, at) => errors.findIndex((other) => other.offset === offset) === at)
  const issues = apart.map((error) =>
    syntaxIssue(jsonErrorText(error), lines.at(error.offset), '#', jsonHint(error, text)),
  )
  const document = root === undefined ? undefined : toValue(root, [], lines, issues)
  const numbers = root === undefined ? [] : numbersIn(root, text, lines)
  return {
    document: errors.length > 0 ? undefined : document,
    issues: [...issues, ...majorAmounts(document, numbers)].slice(0, 100),
    locate: (pointer) => (root === undefined ? undefined : lines.at(nearestNode(root, pathOf(pointer)).offset)),
  }
}

function toValue(
  node: Node,
  path: readonly (string | number)[],
  lines: LineIndex,
  issues: (Issue & Position)[],
): unknown {
  if (node.type === 'array')
    return (node.children ?? []).map((child, index) => toValue(child, [...path, index], lines, issues))
  if (node.type !== 'object') return node.value
  const members = new Map<string, unknown>()
  for (const { children } of node.children ?? []) {
    const [key, value] = children ?? []
    if (key === undefined || value === undefined) continue
    const name = String(key.value)
    const place = [...path, name]
    if (members.has(name)) issues.push(duplicateKey(name, pointerOf(place), lines.at(key.offset)))
    members.set(name, toValue(value, place, lines, issues))
  }
  return Object.fromEntries(members)
}

/** Returns the numbers that are written with decimals although they are whole. */
function numbersIn(root: Node, text: string, lines: LineIndex): readonly WrittenNumber[] {
  const found: WrittenNumber[] = []
  const visit = (node: Node): void => {
    const { type, offset, length, children = [] } = node
    const written = type === 'number' ? text.slice(offset, offset + length) : ''
    if (isWrittenWithDecimals(written))
      found.push({ pointer: pointerOf(getNodePath(node)), text: written, position: lines.at(offset) })
    for (const child of children) visit(child)
  }
  visit(root)
  return found
}

function nearestNode(root: Node, path: readonly string[]): Node {
  let node = root
  for (const token of path) {
    if (node.type === 'array' && !/^\d+$/.test(token)) return node
    const next = findNodeAtLocation(node, [node.type === 'array' ? Number(token) : token])
    if (next === undefined) return node
    node = next
  }
  return node
}

function jsonErrorText(error: ParseError): string {
  const name = printParseErrorCode(error.error)
  return jsonErrors[name] ?? `The JSON is not valid here (${name}).`
}

function jsonHint({ error, offset }: ParseError, text: string): string | undefined {
  const name = printParseErrorCode(error)
  if (name === 'InvalidCommentToken') return 'Name the file .jsonc to keep comments.'
  const isTrailing = /^(PropertyName|Value)Expected$/.test(name) && text.slice(0, offset).trimEnd().endsWith(',')
  return isTrailing ? 'Remove the comma before it, or name the file .jsonc.' : undefined
}

const jsonErrors: Readonly<Record<string, string>> = {
  InvalidSymbol: 'This is not a JSON value. Text needs double quotes.',
  InvalidNumberFormat: 'This is not a JSON number.',
  PropertyNameExpected: 'A key in double quotes is expected here.',
  ValueExpected: 'A value is expected here.',
  ColonExpected: 'A ":" is expected here.',
  CommaExpected: 'A "," is expected here.',
  CloseBraceExpected: 'A "}" is expected here.',
  CloseBracketExpected: 'A "]" is expected here.',
  EndOfFileExpected: 'The document is complete before this place. Remove the text after it.',
  InvalidCommentToken: 'JSON has no comments.',
  UnexpectedEndOfComment: 'The comment is not closed.',
  UnexpectedEndOfString: 'The text has no closing quote.',
  UnexpectedEndOfNumber: 'The number is incomplete.',
  InvalidUnicode: 'The \\u escape is incomplete.',
  InvalidEscapeCharacter: 'This escape sequence does not exist in JSON.',
  InvalidCharacter: 'This character must be escaped.',
}
