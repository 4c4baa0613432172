// List of the changes of a plan, of drift, or between two revisions. Each resource has one line, with its changed fields below.
import type { ChangeReport, Detail, FieldChange } from '@ratecard/client'
import { kindWords, pluralize, shown } from '../words.ts'
import { Badge, Id, Text } from './basic.tsx'

type Tone = 'good' | 'note' | 'warn' | 'bad' | 'plain'

const actions: Readonly<Record<string, readonly [string, Tone]>> = {
  create: ['create', 'good'],
  adopt: ['adopt', 'good'],
  reactivate: ['reactivate', 'good'],
  update: ['update', 'note'],
  rename: ['rename', 'note'],
  replace: ['replace', 'warn'],
  archive: ['archive', 'bad'],
  keep: ['keep', 'plain'],
  added: ['added', 'good'],
  changed: ['changed', 'note'],
  removed: ['removed', 'bad'],
}

interface ChangeRow {
  readonly kind: string
  readonly configId: string
  readonly action: string
  readonly fields: readonly (Pick<FieldChange, 'field' | 'before' | 'after'> & {
    readonly origin?: FieldChange['origin']
  })[]
  readonly display: Detail['display']
}

/** Maximum length (characters) of the old and new value together on one line. Longer values are collapsed. */
const maxTextLength = 120

export function Changes({ changes }: { readonly changes: readonly ChangeRow[] }) {
  return (
    <ul className="changes">
      {changes.map((change) => (
        <li key={`${change.kind} ${change.configId}`}>
          <div>
            <Badge tone={(actions[change.action] ?? ['', 'plain'])[1]}>
              {(actions[change.action] ?? [change.action])[0]}
            </Badge>
          </div>
          <div className="change-body">
            <p>
              <span className="quiet">{kindWords[change.kind] ?? change.kind}</span> <Id>{change.configId}</Id>
            </p>
            <BeforeAfter before={change.display.before} after={change.display.after} />
            <Fields change={change} />
          </div>
        </li>
      ))}
    </ul>
  )
}

/**
 * Renders the fields of a change. Four or more fields of a created or archived resource are collapsed, because its summary line shows the
 * important ones.
 */
function Fields({ change }: { readonly change: ChangeRow }) {
  const fields = fieldsBeside(change).filter(({ before, after }) => !isEmpty(before) || !isEmpty(after))
  if (fields.length === 0) return null
  const list = (
    <ul className="plain-list stack-small">
      {fields.map((field) => (
        <li key={field.field} className="small">
          <code>{field.field}</code>{' '}
          {field.origin === 'drift' || field.origin === 'both' ? (
            <Badge tone="warn">edited at the processor</Badge>
          ) : null}
          <FieldValues before={field.before} after={field.after} />
        </li>
      ))}
    </ul>
  )
  const isWhole = fields.every(({ before }) => isEmpty(before)) || fields.every(({ after }) => isEmpty(after))
  if (!isWhole || fields.length < 4) return list
  return (
    <details>
      <summary className="small">{pluralize(fields.length, 'field')}</summary>
      {list}
    </details>
  )
}

const isEmpty = (value: unknown) =>
  value === null || value === undefined || (typeof value === 'object' && Object.keys(value).length === 0)

/**
 * Returns the fields to list below a change. Returns none if its line `before → after` already shows the only changed field (`amount`,
 * `name`, `display_name`, `url`).
 */
function fieldsBeside({ fields, display: { before, after } }: ChangeRow): ChangeRow['fields'] {
  const [only, ...rest] = fields
  const isSaid = rest.length === 0 && before !== null && after !== null && before !== after
  const isPlain = only !== undefined && ['amount', 'name', 'display_name', 'url'].includes(only.field)
  return isSaid && isPlain && (only.origin ?? 'edit') === 'edit' ? [] : fields
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

function FieldValues({ before, after }: { readonly before: unknown; readonly after: unknown }) {
  const [left, right] = [shown(before), shown(after)]
  const line = (
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

/** Returns a summary of the report as text: `3 prices created, 1 product archived`. */
export function reportWords(report: ChangeReport): string {
  const parts = Object.entries(report).flatMap(([kind, lists]) =>
    Object.entries(lists as Readonly<Record<string, readonly string[]>>).flatMap(([verb, ids]) =>
      ids.length === 0 || verb === 'unchanged' ? [] : [`${pluralize(ids.length, kindOf(kind))} ${verb}`],
    ),
  )
  return parts.length === 0 ? 'nothing changed' : parts.join(', ')
}

/** Returns the kind as text: `promotion_codes` → `promotion code`. */
const kindOf = (list: string) => kindWords[list.replace(/s$/, '')] ?? list.replace(/s$/, '').replaceAll('_', ' ')
