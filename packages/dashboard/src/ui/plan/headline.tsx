// What a revision changed, in one line of a list: its most telling change with both amounts, and how many there are besides.
import type { HistoryEntry } from '@ratecard/client'
import { changeWord, reportedChanges } from '../../../../ratecard/src/base/wording/change-words.ts'
import { pluralize } from '../../words/words.ts'
import { Text } from '../text.tsx'
import { changesText, NamedChange } from './changes.tsx'

export function Headline({ of: entry }: { readonly of: HistoryEntry }) {
  const { headline } = entry
  const changes = reportedChanges(entry)
  // A revision of before headlines were kept, or one without a change.
  if (headline === null) return changesText(changes, 'done')
  const { before, after, action } = headline
  const others = changes.length - 1
  return (
    <span className="inline-names">
      <NamedChange of={headline} />{' '}
      {before !== null && after !== null && before !== after ? (
        <span>
          <Text>{before}</Text> → <Text>{after}</Text>
        </span>
      ) : (
        changeWord(action, 'done')
      )}
      {others > 0 ? <span className="quiet small"> and {pluralize(others, 'more change')}</span> : null}
    </span>
  )
}
