// Revision page: the changes of a revision, its document, and the rollback to it.
import { useState } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import type { BillingDocument, Revision } from '@ratecard/client'
import { reportedChanges } from '../../../ratecard/src/base/wording/change-words.ts'
import { placeWords } from '../../../ratecard/src/base/wording/place-words.ts'
import { api } from '../api.ts'
import { useAct, useLoaded } from '../frame/live.ts'
import { useMayAct } from '../session.ts'
import { useActor } from '../ui/actor.tsx'
import {
  AllowanceButtons,
  AllowedNotes,
  approveAndPlanAgain,
  careful,
  hintsAt,
  needsApproval,
  type Allowances,
} from '../ui/tenant/allowances.tsx'
import { Card, Copy, Facts, Loading, Page, Problem, Show, Time, Who } from '../ui/basic.tsx'
import { Id, Text } from '../ui/text.tsx'
import { changesText } from '../ui/plan/changes.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { Impact, PlanView } from '../ui/plan/plan-view.tsx'
import { RevisionChanges } from '../ui/plan/revision-changes.tsx'
import { useOverride, Violations } from '../ui/plan/violations.tsx'

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
                  ['What', changesText(reportedChanges(entry), 'done')],
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
            <PlanThen of={entry} />
            <RevisionChanges of={entry} />
            {entry.document === null ? null : <Document text={JSON.stringify(entry.document, null, 2)} />}
          </>
        )}
      </Show>
      {isAsking ? (
        <RollBack revision={revision} document={loaded.value?.document ?? null} onClose={() => setAsking(false)} />
      ) : null}
    </Page>
  )
}

/** Renders what the plan said of money and people when it was applied. Nothing for a revision of before that was kept. */
function PlanThen({ of: { plan } }: { readonly of: Revision }) {
  if (plan === null || plan.summary === '') return null
  return (
    <Card title="When it was applied">
      <div className="stack">
        <p>
          <b>{plan.summary}</b>
        </p>
        <Violations of={plan.violations} />
        {plan.impact.length === 0 ? null : <Impact impact={plan.impact} who={plan.who} />}
      </div>
    </Card>
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

interface RollBackProps {
  readonly revision: number
  readonly document: BillingDocument | null
  readonly onClose: () => void
}

function RollBack({ revision, document, onClose }: RollBackProps) {
  const { actor, fields } = useActor()
  const [, go] = useLocation()
  const [allowed, setAllowed] = useState(careful)
  const plan = useLoaded(
    `rollback ${revision} ${JSON.stringify(allowed)}`,
    (signal) => api.admin.rollback(revision, { dryRun: true, ...allowed, signal }),
    { isLive: false },
  )
  const { override, field, isAllowed } = useOverride(plan.value?.violations ?? [], actor.message)
  const apply = useAct(async () => {
    const started = await api.admin.startRollback(revision, {
      ...actor,
      ...override,
      ...allowed,
      ...(plan.value === undefined ? {} : { expectPlan: plan.value.plan }),
    })
    go(started.started ? `/plan/${encodeURIComponent(started.pushId)}` : '/history')
  })
  const isNothing = plan.value?.status === 'unchanged'
  const planAgain = (allowances: Allowances) => {
    apply.reset()
    setAllowed(allowances)
  }
  // After a refusal, the main button of the dialog makes another plan in place of the rollback, e.g. one that overwrites edits.
  const again =
    plan.error !== null && hintsAt(plan.error, '--force') && !allowed.force
      ? { act: 'Overwrite these edits and show what changes', allowed: { ...allowed, force: true } }
      : needsApproval(plan.error) || needsApproval(apply.error)
        ? { act: approveAndPlanAgain, allowed: { ...allowed, approveImpact: true } }
        : null
  const place = <Placed extends { readonly pointer: string }>(issues: readonly Placed[]) =>
    issues.map((issue) => ({ ...issue, place: placeWords(document, issue.pointer) }))
  return (
    <Confirm
      title={`Roll back to revision ${revision}?`}
      act={again?.act ?? 'Roll back'}
      isRunning={apply.isRunning}
      isReady={again !== null || (plan.value !== undefined && !isNothing && isAllowed)}
      error={apply.error}
      onConfirm={() => (again === null ? void apply.run() : planAgain(again.allowed))}
      onClose={onClose}
    >
      <p>Its content becomes a new revision. Prices that still exist at the processor are restored.</p>
      {plan.error === null ? null : (
        <Problem error={plan.error} place={place} {...(again === null ? { onRetry: plan.reload } : {})} />
      )}
      <AllowedNotes of={allowed} />
      {plan.value === undefined ? (
        plan.error === null ? (
          <Loading what="Planning" />
        ) : null
      ) : isNothing ? (
        <p>This is already the live price list.</p>
      ) : (
        <PlanView
          outcome={plan.value}
          document={document}
          place={place}
          acts={<AllowanceButtons of={plan.value.warnings} allowed={allowed} onAllow={planAgain} />}
        />
      )}
      {field}
      {fields}
    </Confirm>
  )
}
