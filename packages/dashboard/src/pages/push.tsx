// Push page: the steps of one push, live while it runs.
import { useEffect, useState } from 'react'
import { Link, useParams } from 'wouter'
import type { PushReport, PushStep } from '@ratecard/client'
import { kindWord, stepWords } from '../../../ratecard/src/base/wording/change-words.ts'
import { api } from '../api.ts'
import { useAct, useLoaded } from '../frame/live.ts'
import { useMayAct } from '../session.ts'
import { Card, Facts, Page, Problem, Show, Time, Who } from '../ui/basic.tsx'
import { Id, Text } from '../ui/text.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { Failure } from '../ui/failure.tsx'
import { NamedChange } from '../ui/plan/changes.tsx'
import { PushBadge } from '../ui/plan/push-badge.tsx'
import { RevisionChanges } from '../ui/plan/revision-changes.tsx'
import { pluralize, remaining } from '../words/words.ts'

export function Push() {
  const { push: id = '' } = useParams()
  const push = useLoaded(`push ${id}`, (signal) => api.admin.findPush(id, { signal }))
  return (
    <Page
      title={`Push of version ${push.value?.version ?? '…'}`}
      name="Push"
      lead={<Link href="/plan">All pushes</Link>}
    >
      <Show of={push} what="The push">
        {(report) => <Progress key={report.id} report={report} onEnd={push.reload} />}
      </Show>
    </Page>
  )
}

interface PushProgress {
  readonly state: PushReport['state']
  readonly stepsDone: number
  readonly steps: ReadonlyMap<number, PushStep>
}

/**
 * Returns the progress of a running push. It comes from the push's event stream and is newer than the loaded report. Calls `onEnd` when the
 * stream ends.
 */
function useEvents(report: PushReport, onEnd: () => void): PushProgress | null {
  const [live, setLive] = useState<PushProgress | null>(null)
  const isRunning = report.state === 'running' || report.state === 'planned'
  useEffect(() => {
    setLive(null)
    if (!isRunning) return undefined
    const controller = new AbortController()
    const follow = async () => {
      const steps = new Map<number, PushStep>()
      for await (const event of api.admin.pushEvents(report.id, { signal: controller.signal })) {
        if (event.type === 'step') {
          steps.set(event.step.index, event.step)
          setLive({ state: 'running', stepsDone: event.stepsDone, steps: new Map(steps) })
        } else setLive({ state: event.state, stepsDone: event.stepsDone, steps: new Map(steps) })
      }
    }
    follow()
      // The stream ended or broke. The page then loads the stored report, and the frame shows a banner for a lost connection.
      .catch(() => undefined)
      .finally(() => {
        if (!controller.signal.aborted) onEnd()
      })
    return () => controller.abort()
    // `onEnd` is not a dependency, because every render passes an equivalent function. So the stream stays open while the push runs.
  }, [report.id, isRunning])
  return isRunning ? live : null
}

function Progress({ report, onEnd }: { readonly report: PushReport; readonly onEnd: () => void }) {
  const live = useEvents(report, onEnd)
  const state = live?.state ?? report.state
  const done = live?.stepsDone ?? report.stepsDone
  const steps = report.steps.map((step) => live?.steps.get(step.index) ?? step)
  return (
    <>
      <Card title={<PushBadge state={state} />} aside={<Acts report={report} state={state} onDone={onEnd} />}>
        <div className="stack">
          <div className="stack-small">
            <progress
              className="progress"
              max={Math.max(1, report.stepsTotal)}
              value={report.stepsTotal === 0 && state === 'applied' ? 1 : done}
              aria-label="Steps done"
            />
            <p role="status" className="steps-count">
              {done} of {pluralize(report.stepsTotal, 'step')} done
              {state === 'applied' && report.revision !== null ? (
                <>
                  {' '}
                  · it is <Link href={`/history/${report.revision}`}>revision {report.revision}</Link>
                </>
              ) : null}
            </p>
          </div>
          <Facts
            rows={[
              ['Kind', report.kind],
              ['Who', <Who key="who" author={report.author} by={report.by} />],
              ['Planned', <Time key="at" at={report.createdAt} />],
              ['Why', report.message === null ? '—' : <Text key="why">{report.message}</Text>],
              ['Id', <Id key="id">{report.id}</Id>],
            ]}
          />
          {report.error === null ? null : <Failure error={report.error} />}
        </div>
      </Card>
      {report.revision === null ? null : <PushedChanges revision={report.revision} />}
      <Card title="Steps">
        {steps.length === 0 ? (
          <p className="quiet">The push writes nothing at the processor.</p>
        ) : (
          <ol className="changes">
            {steps.map((step) => (
              <li key={step.index}>
                <div>
                  <PushBadge state={step.state} />
                </div>
                <div className="change-body">
                  <p>
                    {stepWords[step.op][step.state === 'succeeded' ? 'done' : 'todo']}{' '}
                    <span className="quiet">{kindWord(step.kind)}</span> <NamedChange of={step} />
                    {step.attempts > 1 ? <span className="quiet small"> · {step.attempts} attempts</span> : null}
                  </p>
                  {step.error === null ? null : <Failure error={step.error} />}
                </div>
              </li>
            ))}
          </ol>
        )}
      </Card>
    </>
  )
}

/** Renders what an applied push changed. For a push that is not applied yet, the plan page shows the expected changes. */
function PushedChanges({ revision }: { readonly revision: number }) {
  const entry = useLoaded(`revision ${revision}`, (signal) => api.admin.revision(revision, { signal }))
  return entry.value === undefined ? null : <RevisionChanges of={entry.value} />
}

interface ActsProps {
  readonly report: PushReport
  readonly state: PushReport['state']
  readonly onDone: () => void
}

function Acts({ report, state, onDone }: ActsProps) {
  const mayAct = useMayAct()
  const [isAsking, setAsking] = useState(false)
  const stop = useAct(async () => {
    await api.admin.cancelPush(report.id)
    onDone()
  })
  const resume = useAct(async () => {
    await api.admin.startResume(report.id)
    setAsking(false)
    onDone()
  })
  if (!mayAct) return null
  return (
    <>
      {state === 'running' ? (
        <button
          type="button"
          className="button button-danger"
          disabled={stop.isRunning}
          onClick={() => void stop.run()}
        >
          Stop between two steps
        </button>
      ) : null}
      {state === 'interrupted' ? (
        <button type="button" className="button button-primary" onClick={() => setAsking(true)}>
          Resume …
        </button>
      ) : null}
      {stop.error === null ? null : <Problem error={stop.error} />}
      {isAsking ? (
        <Confirm
          title="Resume this push?"
          act="Resume"
          isRunning={resume.isRunning}
          error={resume.error}
          onConfirm={() => void resume.run()}
          onClose={() => setAsking(false)}
        >
          <p>
            {remaining(report, 'step of the plan', 'steps of the plan')} left. A step whose response was lost is checked
            at the processor first, so nothing is done twice. To abandon this push, push other files.
          </p>
        </Confirm>
      ) : null}
    </>
  )
}
