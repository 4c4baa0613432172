// Worker page: deployments, live log and cron runs of one worker.
import { useEffect, useMemo, useRef, useState } from 'react'
import { Link, useParams } from 'wouter'
import type { CronRun, Deployment, Worker, WorkerLogLine } from '@ratecard/client'
import { api } from '../api.ts'
import { Chart } from '../charts/chart.tsx'
import { useAct, useLoaded } from '../frame/live.ts'
import { useMayAct } from '../session.ts'
import { useActor } from '../ui/actor.tsx'
import { Badge, Card, Facts, Page, Problem, Show, Time } from '../ui/basic.tsx'
import { Id, Text } from '../ui/text.tsx'
import { Table } from '../ui/table.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { asError, clockTime, count, localTime, pluralize, utcTime } from '../words/words.ts'
import { workerTones } from './workers.tsx'

export function WorkerPage() {
  const { worker: name = '' } = useParams()
  const worker = useLoaded(`worker ${name}`, (signal) => api.workers.find(name, { signal }), { everyMs: 3000 })
  return (
    <Page title={<Text>{name}</Text>} name={name} lead={<Link href="/workers">All workers</Link>}>
      <Show of={worker} what="The worker">
        {(one) => (
          <>
            <Card title={<Badge tone={workerTones[one.state]}>{one.state}</Badge>}>
              <Facts
                rows={[
                  ['Address', <Text key="url">{one.url}</Text>],
                  ['Custom domains', one.hosts.length === 0 ? '—' : <Text key="hosts">{one.hosts.join(', ')}</Text>],
                  ['Restarts', count(one.restarts)],
                  ['Last exit', one.lastExit === null ? '—' : <Text key="exit">{one.lastExit}</Text>],
                  ['Deployed at', <Time key="since" at={one.deployment.createdAt} />],
                ]}
              />
            </Card>
            {one.crons.length === 0 ? null : <Schedules worker={one} />}
            <Log name={name} />
            <Versions name={name} />
          </>
        )}
      </Show>
    </Page>
  )
}

const runsShown = 50

function Schedules({ worker }: { readonly worker: Worker }) {
  const mayAct = useMayAct()
  const [asked, setAsked] = useState<string | null>(null)
  const runs = useLoaded(
    `runs ${worker.name}`,
    (signal) => api.workers.cronRuns(worker.name, { limit: runsShown, signal }),
    { everyMs: 1500 },
  )
  return (
    <Card title="Schedules">
      <div className="stack">
        <Table
          caption="Schedules"
          columns={['Schedule (UTC)', 'Next', '']}
          rows={worker.crons.map(({ cron, nextAt }) => ({
            key: cron,
            cells: [
              <Id>{cron}</Id>,
              <Time at={nextAt} />,
              mayAct ? (
                <button
                  type="button"
                  className="button button-small"
                  aria-label={`Run now: ${cron}`}
                  onClick={() => setAsked(cron)}
                >
                  Run now …
                </button>
              ) : null,
            ],
          }))}
        />
        <Show of={runs} what="Runs">
          {({ runs: list }) => (list.length === 0 ? <p className="quiet">No run yet.</p> : <Runs runs={list} />)}
        </Show>
      </div>
      {asked === null ? null : (
        <RunNow name={worker.name} cron={asked} onClose={() => setAsked(null)} onDone={runs.reload} />
      )}
    </Card>
  )
}

const milliseconds = ({ startedAt, finishedAt }: CronRun) =>
  startedAt === null || finishedAt === null ? null : Date.parse(finishedAt) - Date.parse(startedAt)

const groups = [
  ['went well', 'good'],
  ['running', 'note'],
  ['failed', 'bad'],
  ['did not run', 'warn'],
] as const

/** Colour group of each outcome of a cron run. */
const outcomes: Readonly<Record<CronRun['outcome'], (typeof groups)[number][1]>> = {
  ok: 'good',
  running: 'note',
  exception: 'bad',
  exceeded_cpu: 'bad',
  exceeded_memory: 'bad',
  timed_out: 'bad',
  lost: 'bad',
  skipped: 'warn',
  missed: 'warn',
}

const Outcome = ({ outcome }: Pick<CronRun, 'outcome'>) => <Badge tone={outcomes[outcome]}>{outcome}</Badge>

function Runs({ runs }: { readonly runs: readonly CronRun[] }) {
  const { xs, series } = useMemo(() => {
    const sorted = [...runs].sort((a, b) => a.scheduledTime.localeCompare(b.scheduledTime))
    return {
      xs: sorted.map(({ startedAt, scheduledTime }) => Date.parse(startedAt ?? scheduledTime) / 1000),
      series: groups
        .map(([label, color]) => ({
          label,
          color,
          values: sorted.map((run) => (outcomes[run.outcome] === color ? (milliseconds(run) ?? 0) : null)),
        }))
        .filter(({ values }) => values.some((value) => value !== null)),
    }
  }, [runs])
  return (
    <div className="stack">
      <figure>
        <figcaption className="small quiet">Timeline of the runs: time, duration and outcome</figcaption>
        <Chart
          xs={xs}
          series={series}
          kind="point"
          isTime
          height={180}
          xName="Start of the run"
          yName="Duration (ms)"
          sayX={(value) => localTime(new Date(value * 1000))}
          sayY={(value) => `${count(Math.round(value))} ms`}
          tickY={count}
        />
      </figure>
      <Table
        caption="Runs"
        columns={['Outcome', 'Schedule', 'For', { name: 'Took', isNumber: true }, 'Error']}
        rows={runs.slice(0, 15).map((run) => {
          const took = milliseconds(run)
          return {
            key: run.id,
            cells: [
              <Outcome outcome={run.outcome} />,
              <span className="nowrap">
                <Id>{run.cron}</Id>
              </span>,
              <Time at={run.scheduledTime} />,
              took === null ? '—' : `${count(took)} ms`,
              run.error === undefined ? (
                '—'
              ) : (
                <details>
                  <summary>{run.error.split('\n')[0]?.slice(0, 80)}</summary>
                  <pre className="small">{run.error}</pre>
                </details>
              ),
            ],
          }
        })}
      />
    </div>
  )
}

interface RunNowProps {
  readonly name: string
  readonly cron: string
  readonly onClose: () => void
  readonly onDone: () => void
}

function RunNow({ name, cron, onClose, onDone }: RunNowProps) {
  const run = useAct(async () => {
    const ended = await api.workers.triggerCron(name, cron)
    onDone()
    return ended
  })
  return (
    <Confirm
      title={run.value === undefined ? 'Run this schedule now?' : 'It ran'}
      act={run.value === undefined ? 'Run now' : 'Done'}
      isRunning={run.isRunning}
      error={run.error}
      onConfirm={() => (run.value === undefined ? void run.run() : onClose())}
      onClose={onClose}
    >
      {run.value === undefined ? (
        <p>
          The scheduled handler of <b>{name}</b> is called once for <Id>{cron}</Id>, with all its effects.
        </p>
      ) : (
        <p role="status">
          Outcome <Outcome outcome={run.value.outcome} />
        </p>
      )}
    </Confirm>
  )
}

const linesShown = 500

function Log({ name }: { readonly name: string }) {
  const [lines, setLines] = useState<readonly WorkerLogLine[]>([])
  const [failure, setFailure] = useState<unknown>(null)
  const [isFollowing, setFollowing] = useState(true)
  const [level, setLevel] = useState('')
  const list = useRef<HTMLOListElement>(null)
  useEffect(() => {
    if (!isFollowing) return undefined
    const controller = new AbortController()
    setLines([])
    setFailure(null)
    const follow = async () => {
      const query = { limit: 100, signal: controller.signal, ...(level === '' ? {} : { level }) }
      for await (const line of api.workers.followLogs(name, query))
        setLines((before) => [...before, line].slice(-linesShown))
    }
    follow().catch((error: unknown) => {
      if (!controller.signal.aborted) setFailure(error)
    })
    return () => controller.abort()
  }, [name, isFollowing, level])
  useEffect(() => {
    const element = list.current
    if (element !== null && isFollowing) element.scrollTop = element.scrollHeight
  }, [lines, isFollowing])
  return (
    <Card
      title="Log"
      aside={
        <>
          <label className="row small">
            <span>Level</span>
            <select className="select" value={level} onChange={(event) => setLevel(event.target.value)}>
              <option value="">all</option>
              {['debug', 'log', 'info', 'warn', 'error'].map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </label>
          <button type="button" className="button button-small" onClick={() => setFollowing(!isFollowing)}>
            {isFollowing ? 'Pause' : 'Follow'}
          </button>
        </>
      }
    >
      {failure === null ? null : (
        <Problem
          error={asError(failure)}
          onRetry={() => {
            setFollowing(false)
            setTimeout(() => setFollowing(true))
          }}
        />
      )}
      {lines.length === 0 ? (
        <p className="quiet" role="status">
          {isFollowing ? 'Nothing yet. New lines appear as they are written.' : 'Paused.'}
        </p>
      ) : (
        <ol className="log" ref={list} tabIndex={0} aria-label="Lines of the log">
          {lines.map((line) => (
            <li key={line.id} className={`level-${line.level}`}>
              <time dateTime={line.time} title={utcTime(new Date(line.time))}>
                {clockTime(new Date(line.time))}
              </time>
              <span>{line.level}</span>
              <span className="grow">
                <Text>{line.message}</Text>
              </span>
            </li>
          ))}
        </ol>
      )}
    </Card>
  )
}

function Versions({ name }: { readonly name: string }) {
  const mayAct = useMayAct()
  const [asked, setAsked] = useState<Deployment | null>(null)
  const versions = useLoaded(`deployments ${name}`, (signal) => api.workers.deployments(name, { limit: 20, signal }))
  return (
    <Card title="Versions" isFlush={(versions.value?.deployments.length ?? 0) > 0}>
      <Show of={versions} what="Versions">
        {({ deployments }) => (
          <Table
            caption="Versions"
            columns={['Version', 'Why', 'Who', 'When', { name: 'Size', isNumber: true }, '']}
            rows={deployments.map((one) => ({
              key: one.id,
              cells: [
                <>
                  <Id>{one.checksum.slice(0, 10)}</Id> {one.active ? <Badge tone="good">serves</Badge> : null}
                </>,
                one.message === null ? '—' : <Text>{one.message}</Text>,
                one.author === null ? '—' : <Text>{one.author}</Text>,
                <Time at={one.createdAt} />,
                `${count(Math.ceil(one.sizeBytes / 1024))} kB`,
                mayAct && !one.active ? (
                  <button
                    type="button"
                    className="button button-small"
                    aria-label={`Roll back to ${one.checksum.slice(0, 10)}`}
                    onClick={() => setAsked(one)}
                  >
                    Roll back …
                  </button>
                ) : null,
              ],
            }))}
          />
        )}
      </Show>
      {asked === null ? null : <RollBack name={name} to={asked} onClose={() => setAsked(null)} />}
    </Card>
  )
}

interface RollBackProps {
  readonly name: string
  readonly to: Deployment
  readonly onClose: () => void
}

function RollBack({ name, to, onClose }: RollBackProps) {
  const { actor, fields } = useActor()
  const act = useAct(async () => {
    await api.workers.rollback(name, to.id, actor)
    onClose()
  })
  return (
    <Confirm
      title={`Roll ${name} back?`}
      act="Roll back"
      isRunning={act.isRunning}
      error={act.error}
      onConfirm={() => void act.run()}
      onClose={onClose}
    >
      <p>
        The version of <Time at={to.createdAt} /> serves again, with its environment and its{' '}
        {pluralize(to.crons.length, 'schedule')}. The current one serves until that one has started.
      </p>
      {fields}
    </Confirm>
  )
}
