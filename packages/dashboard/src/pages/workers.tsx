// Workers page: deployed workers with their current version and schedules.
import { Link } from 'wouter'
import { api } from '../api.ts'
import { useLoaded } from '../frame/live.ts'
import { Badge, Card, Empty, Page, Show, Time } from '../ui/basic.tsx'
import { Id, Text } from '../ui/text.tsx'
import { Table } from '../ui/table.tsx'

export const workerTones = {
  running: 'good',
  idle: 'good',
  starting: 'note',
  restarting: 'warn',
  stopped: 'warn',
  unavailable: 'bad',
} as const

/** Renders a badge if the last finished run of a schedule failed. */
function LastRun({ name, cron }: { readonly name: string; readonly cron: string }) {
  const runs = useLoaded(
    `last runs ${name} ${cron}`,
    (signal) => api.workers.cronRuns(name, { cron, limit: 5, signal }),
    { everyMs: 15_000 },
  )
  const last = runs.value?.runs.find(({ outcome }) => outcome !== 'running' && outcome !== 'skipped')
  return last === undefined || last.outcome === 'ok' ? null : <Badge tone="bad">last run failed</Badge>
}

export function Workers() {
  const workers = useLoaded('workers', (signal) => api.workers.list({ signal }), { everyMs: 3000 })
  return (
    <Page title="Workers" lead="Your code that this service runs, for requests and on schedules.">
      <Show of={workers} what="Workers">
        {(list) =>
          list.length === 0 ? (
            <Empty title="No workers yet">
              <p>
                Run <code>ratecard cloud workers deploy</code> in your project.
              </p>
            </Empty>
          ) : (
            <Card isFlush>
              <Table
                caption="Workers"
                columns={['Worker', 'State', 'Address', 'Schedules', 'Deployed']}
                rows={list.map((worker) => ({
                  key: worker.name,
                  cells: [
                    <Link href={`/workers/${encodeURIComponent(worker.name)}`}>
                      <Text>{worker.name}</Text>
                    </Link>,
                    <Badge tone={workerTones[worker.state]}>{worker.state}</Badge>,
                    <Text>{worker.url}</Text>,
                    worker.crons.length === 0 ? (
                      '—'
                    ) : (
                      <ul className="plain-list">
                        {worker.crons.map(({ cron, nextAt }) => (
                          <li key={cron}>
                            <Id>{cron}</Id>{' '}
                            <span className="quiet small">
                              next <Time at={nextAt} isRelative />
                            </span>{' '}
                            <LastRun name={worker.name} cron={cron} />
                          </li>
                        ))}
                      </ul>
                    ),
                    <>
                      <Time at={worker.deployment.createdAt} />{' '}
                      {worker.deployment.author === null ? null : (
                        <span className="small quiet">
                          <Text>{worker.deployment.author}</Text>
                        </span>
                      )}
                    </>,
                  ],
                }))}
              />
            </Card>
          )
        }
      </Show>
    </Page>
  )
}
