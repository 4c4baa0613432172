// Words for changes, the same in the terminal, in comments and in the dashboard: in plans, pushes, the history, comparisons and drift.

interface Words {
  /** The word before the change is made, e.g. in a plan. */
  readonly todo: string
  /** The word after it, e.g. in the history. */
  readonly done: string
}

/** Words by action. The order is that of summaries. */
export const changeWords = {
  create: { todo: 'create', done: 'created' },
  adopt: { todo: 'adopt', done: 'adopted' },
  reactivate: { todo: 'bring back', done: 'brought back' },
  update: { todo: 'update', done: 'updated' },
  rename: { todo: 'rename', done: 'renamed' },
  replace: { todo: 'replace', done: 'replaced' },
  archive: { todo: 'archive', done: 'archived' },
  keep: { todo: 'keep', done: 'unchanged' },
} as const satisfies Readonly<Record<string, Words>>

export type ChangeAction = keyof typeof changeWords

const actions = Object.keys(changeWords) as readonly ChangeAction[]

/** Words for a write at the processor, by operation of a push's step. */
export const stepWords = {
  create: changeWords.create,
  update: changeWords.update,
  archive: changeWords.archive,
  attach: { todo: 'add a feature to', done: 'added a feature to' },
  detach: { todo: 'remove a feature from', done: 'removed a feature from' },
  record: { todo: 'record', done: 'recorded' },
} as const satisfies Readonly<Record<string, Words>>

/**
 * Tense of a word. `todo`: before the change is made, e.g. in a plan. `done`: after it, e.g. in the history. `drift`: what happened to an
 * object at the processor, which the action of the change would undo.
 */
export type Tense = keyof Words | 'drift'

export function changeWord(action: ChangeAction, tense: Tense): string {
  if (tense !== 'drift') return changeWords[action][tense]
  return action === 'create' ? 'missing' : action === 'reactivate' ? 'switched off' : 'edited'
}

/** What the dashboard and the terminal call an edit that was made outside of Ratecard. */
export const editedWords = { drift: 'edited at the processor', both: 'edited here and at the processor' } as const

interface Sides {
  readonly before: unknown
  readonly after: unknown
}

interface Difference {
  readonly fields: readonly Sides[]
  readonly display: Sides
}

/**
 * Turns the differences of a drift report around, so that `before` is the value of the document and `after` the edited one at the processor. The
 * report has the opposite, the push that would undo the edit: e.g. an amount edited from 1500 to 1700 is 1700 → 1500 there.
 */
export function asEdits<D extends Difference>(differences: readonly D[]): readonly D[] {
  const turned = <S extends Sides>(sides: S): S => ({ ...sides, before: sides.after, after: sides.before })
  return differences.map((one) => ({ ...one, fields: one.fields.map(turned), display: turned(one.display) }))
}

interface Drift {
  readonly inSync: boolean
  readonly differences: readonly { readonly action: ChangeAction; readonly fields: readonly unknown[] }[]
}

/**
 * Returns e.g. `3 fields of 2 objects were edited at the processor since revision 30.` If an object is missing or switched off:
 * `2 objects differ at the processor since revision 30: 1 missing, 1 edited (3 fields).` `since` names the last applied version.
 */
export function driftText({ inSync, differences }: Drift, since: string): string {
  if (inSync) return `There is no drift: nothing was edited at the processor since ${since}.`
  const counted = (number: number, noun: string) => `${String(number)} ${noun}${number === 1 ? '' : 's'}`
  const edited = differences.filter(({ action }) => changeWord(action, 'drift') === 'edited')
  const count = edited.reduce((sum, { fields }) => sum + Math.max(1, fields.length), 0)
  const fields = counted(count, 'field')
  const objects = counted(differences.length, 'object')
  if (edited.length === differences.length)
    return `${fields} of ${objects} ${count === 1 ? 'was' : 'were'} edited at the processor since ${since}.`
  const others = countedChanges(
    differences.filter((one) => !edited.includes(one)),
    'drift',
  )
  const parts = edited.length === 0 ? others : [...others, `${String(edited.length)} edited (${fields})`]
  return `${objects} ${differences.length === 1 ? 'differs' : 'differ'} at the processor since ${since}: ${parts.join(', ')}.`
}

/** Returns the number of changes by word, e.g. `2 to create`, `2 created` or `2 edited`. Unchanged resources do not count. */
export function countedChanges(changes: readonly { readonly action: ChangeAction }[], tense: Tense): readonly string[] {
  const counts = new Map<string, number>()
  for (const action of actions) {
    const number = action === 'keep' ? 0 : changes.filter((change) => change.action === action).length
    const word = changeWord(action, tense)
    if (number > 0) counts.set(word, (counts.get(word) ?? 0) + number)
  }
  return [...counts].map(([word, number]) => `${String(number)} ${tense === 'todo' ? 'to ' : ''}${word}`)
}

/** Lists of a change report, with the action that most of their ids had. */
const actionOfList: Readonly<Record<string, ChangeAction>> = {
  created: 'create',
  updated: 'update',
  archived: 'archive',
  deactivated: 'archive',
  unchanged: 'keep',
}

export interface ReportedChange {
  readonly kind: string
  readonly configId: string
  readonly action: ChangeAction
}

interface Reported {
  /** Ids by list (e.g. `created`), by the plural of the kind (e.g. `tax_rates`). */
  readonly changes: object
  /** Actions that have no list of their own in the report, e.g. `replace`. */
  readonly actions?: readonly ReportedChange[]
  readonly archivedWebhooks?: readonly string[]
}

/** Returns the changes of a change report, each with its exact action. Unchanged resources are left out. */
export function reportedChanges({
  changes,
  actions: exact = [],
  archivedWebhooks = [],
}: Reported): readonly ReportedChange[] {
  const known = new Map(exact.map(({ kind, configId, action }) => [`${kind} ${configId}`, action]))
  const listed = Object.entries(changes).flatMap(([kinds, lists]) => {
    const kind = kinds === 'portal' ? kinds : kinds.slice(0, -1)
    return Object.entries(lists as Readonly<Record<string, readonly string[]>>).flatMap(([list, ids]) =>
      ids.map((configId) => ({
        kind,
        configId,
        action: known.get(`${kind} ${configId}`) ?? actionOfList[list] ?? 'update',
      })),
    )
  })
  const removed = archivedWebhooks.map((configId) => ({ kind: 'webhook', configId, action: 'archive' as const }))
  return [...listed, ...removed].filter(({ action }) => action !== 'keep')
}

/** Returns the noun of a kind, e.g. `promotion code` for `promotion_code`. */
export const kindWord = (kind: string): string =>
  kind === 'tax' ? 'tax settings' : kind === 'portal' ? 'portal configuration' : kind.replaceAll('_', ' ')
