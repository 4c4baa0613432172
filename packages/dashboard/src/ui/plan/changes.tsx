// List of the changes of a plan, or between two revisions. Each resource has one line, with its changed fields below.
import { useState } from 'react'
import type { Detail, FieldChange, PriceDocument } from '@ratecard/client'
import {
  changeWord,
  countedChanges,
  editedWords,
  kindWord,
  type ChangeAction,
  type Tense,
} from '../../../../ratecard/src/base/wording/change-words.ts'
import { useCatalog } from '../../frame/catalog.ts'
import { amountFields, leafChanges, needsTables, sidesOf } from '../../amounts/price-change.ts'
import { pluralize, shown } from '../../words/words.ts'
import { Badge } from '../basic.tsx'
import { Id, Text } from '../text.tsx'
import { nameOf, NamedPrice, NamedProduct } from '../named.tsx'
import { PriceChange, type SideNames } from '../price/price-change.tsx'

type Tone = 'good' | 'note' | 'warn' | 'bad' | 'plain'

const tones: Readonly<Record<ChangeAction, Tone>> = {
  create: 'good',
  adopt: 'good',
  reactivate: 'good',
  update: 'note',
  rename: 'note',
  replace: 'warn',
  archive: 'bad',
  keep: 'plain',
}

interface ChangeRow {
  readonly kind: string
  readonly configId: string
  readonly action: ChangeAction
  readonly fields: readonly (Pick<FieldChange, 'field' | 'before' | 'after'> & {
    readonly origin?: FieldChange['origin']
  })[]
  readonly display: Detail['display']
}

interface ChangesProps {
  readonly changes: readonly ChangeRow[]
  /** Prices of the newer document, for the amounts of a changed price. */
  readonly prices?: ReadonlyMap<string, PriceDocument>
  /** Words of the changes: of a plan, or of what was done. */
  readonly tense: Exclude<Tense, 'drift'>
}

/** Maximum number of changes in one flat list. A longer list is folded by kind. */
const mostFlat = 40
/** Maximum length (characters) of the old and new value together on one line. Longer values are collapsed. */
const maxTextLength = 120

export function Changes({ changes, prices, tense }: ChangesProps) {
  const shared = { prices: prices ?? noPrices, tense }
  if (changes.length <= mostFlat) return <ChangeList changes={changes} {...shared} />
  const kinds = [...new Set(changes.map(({ kind }) => kind))]
  return (
    <div className="stack-small">
      {kinds.map((kind) => (
        <Fold key={kind} kind={kind} changes={changes.filter((one) => one.kind === kind)} {...shared} />
      ))}
    </div>
  )
}

const beforeAndAfter: SideNames = ['Before', 'After']

const noPrices: ReadonlyMap<string, PriceDocument> = new Map()

type ListProps = Required<ChangesProps>

/**
 * Renders the changes of one kind, folded. A long list is closed at first, so that a plan of hundreds of changes begins with an overview. A
 * search field finds a change by its name or id.
 */
function Fold({ kind, changes, ...shared }: ListProps & { readonly kind: string }) {
  const [isOpen, setOpen] = useState(changes.length <= mostFlat)
  const [text, setText] = useState('')
  const wanted = text.trim().toLowerCase()
  const catalog = useCatalog()
  const found = changes.filter(({ configId }) =>
    [configId, nameOf(catalog, kind, configId) ?? ''].some((one) => one.toLowerCase().includes(wanted)),
  )
  const counts = countedChanges(changes, shared.tense)
  return (
    <details className="fold" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <b>{pluralize(changes.length, kindWord(kind))}</b> <span className="quiet">{counts.join(', ')}</span>
      </summary>
      {isOpen ? (
        <div className="stack-small details-body">
          {changes.length <= mostFlat ? null : (
            <input
              className="input"
              type="search"
              aria-label={`Find among the changes of kind ${kindWord(kind)}`}
              placeholder="Find by name or id"
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          )}
          <ChangeList changes={found} {...shared} />
          {found.length === 0 ? <p className="quiet">No change has this name or id.</p> : null}
        </div>
      ) : null}
    </details>
  )
}

const ChangeList = ({ changes, prices, tense }: ListProps) => (
  <ul className="changes">
    {changes.map((change) => (
      <li key={`${change.kind} ${change.configId}`}>
        <div>
          <Badge tone={tones[change.action]}>{changeWord(change.action, tense)}</Badge>
        </div>
        <ChangeBody change={change} known={prices.get(change.configId)} />
      </li>
    ))}
  </ul>
)

/** Renders the name of a changed product or price with its id. Other objects have no name but their id. */
export const NamedChange = ({ of: { kind, configId: id } }: { readonly of: Pick<ChangeRow, 'kind' | 'configId'> }) =>
  kind === 'price' ? (
    <NamedPrice id={id} isLink={false} />
  ) : kind === 'product' ? (
    <NamedProduct id={id} isLink={false} />
  ) : (
    <Id>{id}</Id>
  )

interface BodyProps {
  readonly change: ChangeRow
  readonly known: PriceDocument | undefined
}

function ChangeBody({ change, known }: BodyProps) {
  const isMoney = change.kind === 'price' && change.fields.some(({ field }) => amountFields.has(field))
  const sides = isMoney ? sidesOf(change, known) : null
  const hasTables = sides !== null && (sides.before !== null || sides.after !== null)
  // The tables of a price with both sides have all that the line would say.
  const isInTables = sides !== null && sides.before !== null && sides.after !== null && needsTables(sides)
  const drifted = change.fields.find(({ origin }) => origin !== undefined && origin !== 'edit')
  const left = hasTables ? change.fields.filter(({ field }) => !amountFields.has(field)) : change.fields
  return (
    <div className="change-body">
      <p>
        <span className="quiet">{kindWord(change.kind)}</span> <NamedChange of={change} />{' '}
        {hasTables ? <EditedBadge origin={drifted?.origin} /> : null}
      </p>
      {isInTables ? null : <BeforeAfter before={change.display.before} after={change.display.after} />}
      {hasTables ? <PriceChange sides={sides} names={beforeAndAfter} id={change.configId} /> : null}
      <Fields change={{ ...change, fields: left }} hasTables={hasTables} />
    </div>
  )
}

/**
 * Renders the fields of a change. Four or more fields of a created or archived resource are collapsed, because the resource's summary line
 * shows the important fields.
 */
function Fields({ change, hasTables }: { readonly change: ChangeRow; readonly hasTables: boolean }) {
  const fields = fieldsBeside(change).filter(({ before, after }) => !isEmpty(before) || !isEmpty(after))
  if (fields.length === 0) return null
  const list = (
    <ul className="plain-list stack-small">
      {fields.map((field) => (
        <li key={field.field} className="small">
          <code>{field.field}</code> <EditedBadge origin={field.origin} />
          <FieldValues before={field.before} after={field.after} />
        </li>
      ))}
    </ul>
  )
  const isWhole = fields.every(({ before }) => isEmpty(before)) || fields.every(({ after }) => isEmpty(after))
  if (!isWhole || (fields.length < 4 && !hasTables)) return list
  return (
    <details>
      <summary className="small">{pluralize(fields.length, 'other field')}</summary>
      {list}
    </details>
  )
}

/** Renders where a field was edited, if it was edited at the processor. */
const EditedBadge = ({ origin = 'edit' }: { readonly origin?: ChangeRow['fields'][number]['origin'] }) =>
  origin === 'edit' ? null : <Badge tone="warn">{editedWords[origin]}</Badge>

const isEmpty = (value: unknown) =>
  value === null || value === undefined || (typeof value === 'object' && Object.keys(value).length === 0)

/** Fields that the line of a resource contains, by kind (`catalog/display.ts`). That of a price contains more than its amount. */
const fieldsInLine: Readonly<Record<string, readonly string[]>> = {
  coupon: ['percent_off', 'amount_off', 'currency', 'duration', 'duration_in_months'],
  feature: ['name'],
  meter: ['display_name', 'event_name'],
  price: ['amount'],
  product: ['name'],
  promotion_code: ['code', 'coupon'],
  tax_rate: ['display_name', 'percentage', 'inclusive'],
  webhook: ['url'],
}

/**
 * Returns the fields to list below a change: those that its line does not show. Tax settings are wholly in their line. A line that is the
 * same on both sides shows no change, and edits at the processor are always listed.
 */
function fieldsBeside({ kind, fields, display: { before, after } }: ChangeRow): ChangeRow['fields'] {
  if (kind === 'tax') return []
  const inLine = before === after ? [] : (fieldsInLine[kind] ?? [])
  return fields.filter(({ field, origin = 'edit' }) => origin !== 'edit' || !inLine.includes(field))
}

function BeforeAfter({ before, after }: Detail['display']) {
  if (before === after || before === null || after === null) {
    const only = after ?? before
    return only === null ? null : (
      <p>
        <Text>{only}</Text>
      </p>
    )
  }
  return (
    <p className="before-after">
      <del className="before">
        <Text>{before}</Text>
      </del>
      <span aria-hidden="true">→</span>
      <ins className="after">
        <Text>{after}</Text>
      </ins>
    </p>
  )
}

/** Renders the values of a field. Of a nested value only the parts that differ are shown, e.g. `features.2`. */
function FieldValues({ before, after }: { readonly before: unknown; readonly after: unknown }) {
  if (isEmpty(before) || isEmpty(after)) return <ValueLine before={before} after={after} />
  return leafChanges(before, after).map(({ path, ...leaf }) => (
    <div key={path}>
      {path === '' ? null : <code className="quiet">{path}</code>} <ValueLine {...leaf} />
    </div>
  ))
}

function ValueLine({ before, after }: { readonly before: unknown; readonly after: unknown }) {
  const [left, right] = [shown(before), shown(after)]
  const line = isEmpty(before) ? (
    <Text mono>{right}</Text>
  ) : (
    <span className="before-after">
      <del className="before">
        <Text mono>{left}</Text>
      </del>
      <span aria-hidden="true">→</span>
      <ins className="after">
        <Text mono>{right}</Text>
      </ins>
    </span>
  )
  if (left.length + right.length <= maxTextLength) return line
  return (
    <details>
      <summary>{pluralize(Math.max(left.length, right.length), 'character')}</summary>
      {line}
    </details>
  )
}

/** Returns a summary as text: `3 prices created, 1 product archived`, or for a plan `3 prices to create, 1 product to archive`. */
export function changesText(changes: readonly Pick<ChangeRow, 'kind' | 'action'>[], tense: 'todo' | 'done'): string {
  const numbers = new Map<string, { readonly of: Pick<ChangeRow, 'kind' | 'action'>; readonly number: number }>()
  for (const change of changes) {
    const key = `${change.kind} ${change.action}`
    const found = numbers.get(key) ?? { of: change, number: 0 }
    numbers.set(key, { ...found, number: found.number + 1 })
  }
  const parts = [...numbers.values()].map(
    ({ of: { kind, action }, number }) =>
      `${pluralize(number, kindWord(kind))} ${tense === 'todo' ? 'to ' : ''}${changeWord(action, tense)}`,
  )
  return parts.length === 0 ? 'nothing changed' : parts.join(', ')
}
