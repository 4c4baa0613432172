import { isAlias, isMap, isNode, isScalar, isSeq, parseDocument, visit, type Document, type Node } from 'yaml'
import { pathOf, pointerOf, type Issue } from '../../base/errors/issue.ts'
import { isWrittenWithDecimals, majorAmounts, type WrittenNumber } from './major-amounts.ts'
import { duplicateKey, LineIndex, syntaxIssue, type ParsedText, type Position } from './position.ts'

/**
 * Parses YAML 1.2 with the core schema, in which `no` and dates are text. Duplicate keys are reported as issues. Throws RangeError for
 * excessive nesting, which overflows the stack.
 */
export function parseYaml(text: string): ParsedText {
  const lines = new LineIndex(text)
  // The function reports duplicate keys itself. The library's check is off, because it reports neither the key nor its pointer.
  const parsed = parseDocument(text, { version: '1.2', schema: 'core', uniqueKeys: false, prettyErrors: false })
  const issues = [...parsed.errors, ...parsed.warnings].map(({ code, message, pos }) =>
    syntaxIssue(
      code === 'MULTIPLE_DOCS'
        ? 'A second YAML document begins here, and a file is one: write each into a file of its own.'
        : `The YAML is not valid here: ${message.replace(/[.:]?\s*$/, '')}.`,
      lines.at(pos[0]),
    ),
  )
  const broken = issues.length > 0 || brokenAliases(parsed, lines, issues)
  const value = broken ? undefined : plainValue(parsed, issues)
  const numbers: WrittenNumber[] = []
  walk(parsed.contents, [], { lines, issues, numbers })
  return {
    document: value,
    issues: [...issues, ...majorAmounts(value, numbers)].slice(0, 100),
    locate: (pointer) => lines.at(nearestNode(parsed, pathOf(pointer))?.range?.[0] ?? 0),
  }
}

function plainValue(parsed: Document, issues: (Issue & Position)[]): unknown {
  try {
    const value: unknown = parsed.toJS({ maxAliasCount: 100 })
    return value
  } catch (error) {
    // The library throws this if aliases expand to a huge document (e.g. "billion laughs").
    if (!(error instanceof ReferenceError)) throw error
    issues.push(syntaxIssue(`The aliases cannot be resolved: ${error.message}.`, { line: 1, column: 1 }))
    return undefined
  }
}

/** Maximum number of aliases. The library walks the whole document for each alias, so tens of thousands of aliases would take minutes. */
const maxAliases = 1_000

function brokenAliases(parsed: Document, lines: LineIndex, issues: (Issue & Position)[]): boolean {
  const anchors = new Set<string>()
  let aliases = 0
  visit(parsed, {
    Node: (_, node) => {
      if (!isAlias(node)) {
        if (node.anchor !== undefined) anchors.add(node.anchor)
        return undefined
      }
      const at = () => lines.at(node.range?.[0] ?? 0)
      if (!anchors.has(node.source)) issues.push(syntaxIssue(`No anchor is named "${node.source}".`, at()))
      aliases += 1
      if (aliases <= maxAliases) return undefined
      issues.push(syntaxIssue(`The file has more than ${maxAliases} aliases.`, at()))
      return visit.BREAK
    },
  })
  return issues.length > 0
}

interface Found {
  readonly lines: LineIndex
  readonly issues: (Issue & Position)[]
  /** Whole numbers that are written with decimals. */
  readonly numbers: WrittenNumber[]
}

/** Finds keys that occur twice, and whole numbers that are written with decimals. */
function walk(node: unknown, path: readonly (string | number)[], found: Found): void {
  const { lines, issues, numbers } = found
  if (isSeq(node)) node.items.forEach((item, index) => walk(item, [...path, index], found))
  if (isScalar(node) && typeof node.value === 'number' && isWrittenWithDecimals(node.source ?? ''))
    numbers.push({ pointer: pointerOf(path), text: node.source ?? '', position: lines.at(node.range?.[0] ?? 0) })
  if (!isMap(node)) return
  const seen = new Set<string>()
  for (const { key, value } of node.items) {
    if (!isScalar(key)) continue
    const name = String(key.value)
    const place = [...path, name]
    if (seen.has(name)) issues.push(duplicateKey(name, pointerOf(place), lines.at(key.range?.[0] ?? 0)))
    seen.add(name)
    walk(value, place, found)
  }
}

function nearestNode(parsed: Document, path: readonly string[]): Node | undefined {
  let node = resolveAlias(parsed.contents, parsed)
  for (const token of path) {
    const next = resolveAlias(childOf(node, token), parsed)
    if (next === undefined) return node
    node = next
  }
  return node
}

// If a key occurs twice, take its last member, because the parsed value comes from it.
function childOf(node: Node | undefined, token: string): unknown {
  if (isSeq(node)) return /^\d+$/.test(token) ? node.items[Number(token)] : undefined
  if (!isMap(node)) return undefined
  return node.items.findLast(({ key }) => isScalar(key) && String(key.value) === token)?.value
}

function resolveAlias(node: unknown, parsed: Document): Node | undefined {
  const target = isAlias(node) ? node.resolve(parsed) : node
  return isNode(target) ? target : undefined
}
