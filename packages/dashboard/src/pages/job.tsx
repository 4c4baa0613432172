import { useState } from 'react'
import { Link, useParams } from 'wouter'
import type { JobReport } from '@ratecard/client'
import { api } from '../api.ts'
import { useAct, useLoaded } from '../live.ts'
import { useMayAct } from '../session.ts'
import { Card, Facts, Id, Page, Problem, Show, Text, Time, Who } from '../ui/basic.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { PushBadge } from '../ui/push-badge.tsx'
import { remaining, shown } from '../words.ts'
import { jobWords } from './jobs.tsx'

export function JobPage() {
  const { job: id = '' } = useParams()
  const job = useLoaded(`job ${id}`, (signal) => api.jobs.find(id, { signal }), { everyMs: 1500 })
  return (
    <Page title="Job" lead={<Link href="/jobs">All jobs</Link>}>
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
                    ['What', jobWords[one.kind] ?? one.kind],
                    ['About', <Text key="about">{one.subject}</Text>],
                    ['Steps', `${one.stepsDone} of ${one.stepsTotal} done`],
                    ['Who', <Who key="who" author={one.author} by={one.by} />],
                    ['Begun', <Time key="at" at={one.createdAt} />],
                    ['Goes on', one.resumesAt === null ? '—' : <Time key="on" at={one.resumesAt} />],
                    ['Why', one.message === null ? '—' : <Text key="why">{one.message}</Text>],
                    ['Id', <Id key="id">{one.id}</Id>],
                  ]}
                />
                {one.error === null ? null : <Words words={one.error} />}
              </div>
            </Card>
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
                        <Words words={step.step} />
                        {step.error === null ? null : (
                          <div className="alert alert-problem">
                            <Words words={step.error} />
                          </div>
                        )}
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

const isTime = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(value)

/** Renders the members of a job step from the journal. Scalars are on one line; objects are collapsed. */
function Words({ words }: { readonly words: Readonly<Record<string, unknown>> }) {
  const entries = Object.entries(words).filter(([, value]) => value !== null)
  const isPlain = (value: unknown) => typeof value !== 'object'
  const rest = entries.filter(([, value]) => !isPlain(value))
  return (
    <div className="stack-small small">
      <p>
        {entries
          .filter(([, value]) => isPlain(value))
          .map(([name, value], index) => (
            <span key={name}>
              {index === 0 ? '' : ' · '}
              <span className="quiet">{name.replaceAll('_', ' ')}</span>{' '}
              {isTime(value) ? <Time at={value} /> : <Text>{shown(value)}</Text>}
            </span>
          ))}
      </p>
      {rest.length === 0 ? null : (
        <details>
          <summary>More</summary>
          <pre className="log" tabIndex={0}>
            {JSON.stringify(Object.fromEntries(rest), null, 2)}
          </pre>
        </details>
      )}
    </div>
  )
}

function Acts({ job, onDone }: { readonly job: JobReport; readonly onDone: () => void }) {
  const mayAct = useMayAct()
  const [asked, setAsked] = useState<'resume' | 'cancel' | null>(null)
  const act = useAct(async (what: 'resume' | 'cancel') => {
    await api.jobs[what](job.id)
    setAsked(null)
    onDone()
  })
  if (!mayAct) return null
  const left = remaining(job)
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
      {act.error !== null && asked === null ? <Problem error={act.error} /> : null}
      {asked === null ? null : (
        <Confirm
          title={asked === 'resume' ? 'Resume this job?' : 'Stop this job?'}
          act={asked === 'resume' ? 'Resume' : 'Stop it'}
          isDanger={asked === 'cancel'}
          isRunning={act.isRunning}
          error={act.error}
          onConfirm={() => void act.run(asked)}
          onClose={() => setAsked(null)}
        >
          <p>
            {asked === 'resume'
              ? `${left} left. A step with an unknown outcome is checked at the processor first.`
              : job.kind === 'webhook_rotation'
                ? 'Then the old endpoint and its secret stay live beside the new ones until the next push switches them off.'
                : `It stops between two steps. What was done stays done; ${left} left.`}
          </p>
        </Confirm>
      )}
    </>
  )
}
