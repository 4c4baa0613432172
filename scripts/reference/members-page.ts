// Generates the page on how Ratecard treats every member of the processor's objects, from the tables that the product uses.
import { documentName } from '../../packages/ratecard/src/catalog/fields/tables.ts'
import { resourceKinds, type ResourceKind } from '../../packages/ratecard/src/catalog/resource.ts'
import { memberTables } from '../../packages/ratecard/src/processor/stripe/kinds/members.ts'
import type { MemberRow, MemberTable } from '../../packages/ratecard/src/processor/stripe/kinds/members.ts'
import { code, page, table } from './markdown.ts'

const intro = `The objects of the processor have more members than the document has fields. For each kind, this is what becomes of every one of them.
The tables are held complete by the SDK’s types: a member that a new release adds does not compile until somebody decides. One that an
answer has and no table knows counts as not expressible as soon as it has a value.`

const meanings = table(
  ['Becomes', 'What that means'],
  [
    ['a field', 'It is pulled, planned, written and watched for drift under this name.'],
    ['derived', 'It follows from something else, or is the processor’s own affair. Nothing is lost.'],
    ['refused', 'An object that has it is neither adopted nor pulled: it would bill something else. `pull` names it.'],
    [
      'not expressible',
      'It is left as it is. `pull` names it (`unrepresentable`), `drift` notes it, and a plan that replaces the object warns (`not_carried_over`).',
    ],
    ['not expressible, carried', 'The same, but an object that replaces it takes it over.'],
  ],
)

function rowsOf(kind: ResourceKind, members: MemberTable, prefix = ''): string[][] {
  return Object.entries(members).flatMap(([name, row]) => {
    const path = `${prefix}${name}`
    if ('within' in row) return rowsOf(kind, row.within, `${path}.`)
    if ('each' in row) return rowsOf(kind, row.each, `${path}[].`)
    return [[code(path), ...became(kind, row)]]
  })
}

function became(kind: ResourceKind, row: Exclude<MemberRow, { within: unknown } | { each: unknown }>): string[] {
  if ('field' in row) return [`field ${code(documentName(kind, row.field))}`, '']
  if ('derived' in row) return ['derived', row.derived]
  if ('refused' in row) return ['refused', row.refused]
  return [row.carriedWith === undefined ? 'not expressible' : 'not expressible, carried', row.notExpressible]
}

export function membersPage(): string {
  return page('Every member of the processor’s objects', 'the tables of members (processor/stripe/kinds/members.ts)', [
    intro,
    meanings,
    ...resourceKinds.flatMap((kind) => [
      `## ${kind.replaceAll('_', ' ')}`,
      table(['Member', 'Becomes', 'Why, or from what'], rowsOf(kind, memberTables[kind])),
    ]),
  ])
}
