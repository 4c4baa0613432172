import { useState } from 'react'
import { Link, useParams } from 'wouter'
import type { JobReport } from '@ratecard/client'
import { jobWords, stepSentences } from '../../../ratecard/src/base/wording/job-words.ts'
import { api } from '../api.ts'
import { useAct, useLoaded } from '../frame/live.ts'
import { useMayAct } from '../session.ts'
import { Card, Facts, Page, Problem, Prose, Show, Time, Who } from '../ui/basic.tsx'
import { Id, Text } from '../ui/text.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { Failure } from '../ui/failure.tsx'
import { NamedTenant } from '../ui/named.tsx'
import { JobSubject } from '../ui/job-subject.tsx'
import { PushBadge } from '../ui/plan/push-badge.tsx'
import { capitalized, localTime, remaining } from '../words/words.ts'

export function JobPage() {
  const { job: id = '' } = useParams()
  const job = useLoaded(`job ${id}`, (signal) => api.jobs.find(id, { signal }), { everyMs: 1500 })
  return (
    <Page
      title={job.value === undefined ? 'Job' : capitalized(jobWords[job.value.kind])}
      lead={<Link href="/jobs">All jobs</Link>}
    >
      <Show of={job} what="The job">
        {(one) => (
          <>
            <Card title={<PushBadge state={one.state} />} aside={<Acts job={one} onDone={job.reload} />}>
              <div className="stack">
                <progress
                  className="progress"
                  max={Math.max(1, one.stepsTotal)}
                  value={one.stepsDone}
                  aria-label="Steps done"
                />
                <Facts
                  rows={[
                    ['About', <JobSubject key="about" of={one} />],
                    ['Steps', `${one.stepsDone} of ${one.stepsTotal} done`],
                    ['Who', <Who key="who" author={one.author} by={one.by} />],
                    ['Started', <Time key="at" at={one.createdAt} />],
                    ...(one.resumesAt === null ? [] : [['Continues', <Time key="on" at={one.resumesAt} />] as const]),
                    ['Why', one.message === null ? '—' : <Text key="why">{one.message}</Text>],
                    ['Id', <Id key="id">{one.id}</Id>],
                  ]}
                />
                {one.error === null ? null : <Failure error={one.error} />}
              </div>
            </Card>
            {one.scheduledMoves.length === 0 ? null : (
              <Card title="Scheduled at the processor">
                <div className="stack">
                  {one.scheduledMoves.slice(0, 100).map((move) => (
                    <p key={move.item}>
                      {move.tenantId === null ? (
                        <Id>{move.customer}</Id>
                      ) : (
                        <NamedTenant id={move.tenantId} name={move.tenantName} />
                      )}
                      , <Id>{move.subscription}</Id> moves on <Time at={move.effectiveAt} />
                    </p>
                  ))}
                </div>
                {one.scheduledMoves.length > 100 ? (
                  <p className="quiet">and {one.scheduledMoves.length - 100} more</p>
                ) : null}
              </Card>
            )}
            <Card title="Steps">
              {one.steps.length === 0 ? (
                <p className="quiet">There was nothing to do.</p>
              ) : (
                <ol className="changes">
                  {one.steps.map((step) => (
                    <li key={step.index}>
                      <div>
                        <PushBadge state={step.state} />
                      </div>
                      <div className="change-body">
                        {stepSentences(step, { job: one, time: (at) => localTime(new Date(at)) }).map((sentence) => (
                          <p key={sentence}>
                            <Prose>{sentence}</Prose>
                          </p>
                        ))}
                        <Record of={step} />
                      </div>
                    </li>
                  ))}
                </ol>
              )}
            </Card>
          </>
        )}
      </Show>
    </Page>
  )
}

/** Renders what the journal stores of a step, collapsed. */
const Record = ({ of: { step, result, error } }: { readonly of: JobReport['steps'][number] }) => (
  <details>
    <summary className="small">Record in the journal</summary>
    <pre className="log" tabIndex={0}>
      {JSON.stringify({ step, result, error }, null, 2)}
    </pre>
  </details>
)

type Act = 'resume' | 'cancel' | 'take back'

const questions = {
  resume: { title: 'Resume this job?', act: 'Resume' },
  cancel: { title: 'Stop this job?', act: 'Stop it' },
  'take back': { title: 'Take back what is scheduled?', act: 'Take it back' },
} as const satisfies Record<Act, object>

function Acts({ job, onDone }: { readonly job: JobReport; readonly onDone: () => void }) {
  const mayAct = useMayAct()
  const [asked, setAsked] = useState<Act | null>(null)
  const act = useAct(async (what: Act) => {
    await (what === 'resume' ? api.jobs.resume(job.id) : api.jobs.cancel(job.id, { takeBack: what === 'take back' }))
    setAsked(null)
    onDone()
  })
  if (!mayAct) return null
  const left = remaining(job)
  const { length } = job.scheduledMoves
  const moves = length === 0 ? '' : `${String(length)} scheduled ${length === 1 ? 'move' : 'moves'}`
  return (
    <>
      {job.allows.includes('resume') ? (
        <button type="button" className="button button-primary" onClick={() => setAsked('resume')}>
          Resume …
        </button>
      ) : null}
      {job.allows.includes('cancel') ? (
        <button type="button" className="button button-danger" onClick={() => setAsked('cancel')}>
          Stop …
        </button>
      ) : null}
      {moves === '' ? null : (
        <button type="button" className="button" onClick={() => setAsked('take back')}>
          Take back {moves} …
        </button>
      )}
      {act.error !== null && asked === null ? <Problem error={act.error} /> : null}
      {asked === null ? null : (
        <Confirm
          {...questions[asked]}
          isDanger={asked === 'cancel'}
          isRunning={act.isRunning}
          error={act.error}
          onConfirm={() => void act.run(asked)}
          onClose={() => setAsked(null)}
        >
          <p>
            {asked === 'take back'
              ? `The subscriptions keep the prices that they have, and nobody moves at the renewal. ${job.allows.includes('cancel') ? 'The job stops.' : ''}`
              : asked === 'resume'
                ? `${left} left. A step with an unknown outcome is checked at the processor first.`
                : job.kind === 'webhook_rotation'
                  ? 'If you cancel, the old endpoint and its secret stay live beside the new ones until the next push switches them off.'
                  : `The job stops after its current step. Changes already made are kept; ${left} left.${moves === '' ? '' : ` ${moves} stay scheduled.`}`}
          </p>
        </Confirm>
      )}
    </>
  )
}
