// What a revision changed, compared with the revision before it. The pages of a revision, a push and the history show it.
import { useMemo } from 'react'
import type { BillingDocument, DocumentDifference } from '@ratecard/client'
import { api } from '../../api.ts'
import { useLoaded } from '../../frame/live.ts'
import { pricesById } from '../../amounts/price-change.ts'
import { Card, Show } from '../basic.tsx'
import { Changes } from './changes.tsx'

interface RevisionProps {
  readonly of: { readonly revision: number; readonly document: BillingDocument | null }
}

export function RevisionChanges({ of: { revision, document } }: RevisionProps) {
  if (revision <= 1)
    return (
      <Card title="What changed">
        <p>This is the first revision: everything in it is new.</p>
      </Card>
    )
  return (
    <Card title={`What changed since revision ${revision - 1}`}>
      <Differences from={revision - 1} to={revision} document={document} />
    </Card>
  )
}

interface DifferencesProps {
  readonly from: number
  readonly to: number
  /** Document of the revision `to`. Absent: it is loaded. */
  readonly document?: BillingDocument | null
}

/** Renders the differences between two revisions, with amounts before and after. */
export function Differences({ from, to, document }: DifferencesProps) {
  const loaded = useLoaded(
    `difference ${from} ${to}`,
    async (signal) => {
      const [differences, later] = await Promise.all([
        api.admin.diff(from, to, { signal }),
        document === undefined ? api.admin.revision(to, { signal }) : { document },
      ])
      return { differences, later: later.document }
    },
    { isLive: false },
  )
  return (
    <Show of={loaded} what="The changes">
      {({ differences, later }) => <DifferenceList differences={differences} later={later} />}
    </Show>
  )
}

interface ListProps {
  readonly differences: readonly DocumentDifference[]
  readonly later: BillingDocument | null
}

function DifferenceList({ differences, later }: ListProps) {
  const prices = useMemo(() => pricesById(later), [later])
  if (differences.length === 0) return <p className="quiet">The two revisions are identical.</p>
  return <Changes changes={differences} prices={prices} tense="done" />
}
