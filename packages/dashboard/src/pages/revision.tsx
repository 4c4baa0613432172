// Revision page: the changes of a revision, its document, and the rollback to it.
import { useState } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import { api } from '../api.ts'
import { useAct, useLoaded } from '../live.ts'
import { useMayAct } from '../session.ts'
import { useActor } from '../ui/actor.tsx'
import { Card, Copy, Facts, Id, Loading, Page, Problem, Show, Text, Time, Who } from '../ui/basic.tsx'
import { reportWords } from '../ui/changes.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { PlanView } from '../ui/plan-view.tsx'

export function RevisionPage() {
  const { revision: text = '' } = useParams()
  const revision = Number(text)
  const mayAct = useMayAct()
  const [isAsking, setAsking] = useState(false)
  const loaded = useLoaded(`revision ${text}`, (signal) => api.admin.revision(revision, { signal }))
  return (
    <Page
      title={`Revision ${text}`}
      lead={<Link href="/history">All revisions</Link>}
      actions={
        mayAct && (loaded.value?.document ?? null) !== null ? (
          <button type="button" className="button" onClick={() => setAsking(true)}>
            Roll back to this …
          </button>
        ) : undefined
      }
    >
      <Show of={loaded} what="The revision">
        {(entry) => (
          <>
            <Card>
              <Facts
                rows={[
                  ['Version', entry.version],
                  ['Kind', entry.kind],
                  ['When', <Time key="when" at={entry.createdAt} />],
                  ['Who', <Who key="who" author={entry.author} by={entry.by} />],
                  ['Why', entry.message === null ? '—' : <Text key="why">{entry.message}</Text>],
                  ['What', reportWords(entry.changes)],
                  [
                    'Push',
                    entry.pushId === null ? (
                      '—'
                    ) : (
                      <Link key="push" href={`/plan/${encodeURIComponent(entry.pushId)}`}>
                        its steps
                      </Link>
                    ),
                  ],
                  ['Checksum', entry.checksum === '' ? '—' : <Id key="sum">{entry.checksum.slice(0, 16)}</Id>],
                ]}
              />
            </Card>
            {entry.document === null ? null : <Document text={JSON.stringify(entry.document, null, 2)} />}
          </>
        )}
      </Show>
      {isAsking ? <RollBack revision={revision} onClose={() => setAsking(false)} /> : null}
    </Page>
  )
}

const Document = ({ text }: { readonly text: string }) => (
  <Card title="Document" aside={<Copy text={text} />}>
    <details>
      <summary>Show it</summary>
      <pre className="log" tabIndex={0}>
        {text}
      </pre>
    </details>
  </Card>
)

function RollBack({ revision, onClose }: { readonly revision: number; readonly onClose: () => void }) {
  const { actor, fields } = useActor()
  const [, go] = useLocation()
  const plan = useLoaded(`rollback ${revision}`, (signal) => api.admin.rollback(revision, { dryRun: true, signal }), {
    isLive: false,
  })
  const apply = useAct(async () => {
    const started = await api.admin.startRollback(revision, {
      ...actor,
      ...(plan.value === undefined ? {} : { expectPlan: plan.value.plan }),
      approveImpact: (plan.value?.impact.length ?? 0) > 0,
    })
    go(started.started ? `/plan/${encodeURIComponent(started.pushId)}` : '/history')
  })
  const isNothing = plan.value?.status === 'unchanged'
  return (
    <Confirm
      title={`Roll back to revision ${revision}?`}
      act="Roll back"
      isRunning={apply.isRunning}
      isReady={plan.value !== undefined && !isNothing}
      error={apply.error}
      onConfirm={() => void apply.run()}
      onClose={onClose}
    >
      <p>Its content becomes a new revision. Prices that still exist at the processor are brought back as they were.</p>
      {plan.error === null ? null : <Problem error={plan.error} onRetry={plan.reload} />}
      {plan.value === undefined ? (
        plan.error === null ? (
          <Loading what="Planning" />
        ) : null
      ) : isNothing ? (
        <p>This is already the live price list.</p>
      ) : (
        <PlanView outcome={plan.value} />
      )}
      {fields}
    </Confirm>
  )
}
