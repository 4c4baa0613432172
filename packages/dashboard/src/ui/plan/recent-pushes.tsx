// Pushes on the plan page: the one that is running or was interrupted, and the latest ones.
import { Link } from 'wouter'
import type { PushSummary } from '@ratecard/client'
import { api } from '../../api.ts'
import { useLoaded } from '../../frame/live.ts'
import { pluralize } from '../../words/words.ts'
import { Card, Empty, ShortWho, Show, Time } from '../basic.tsx'
import { Text } from '../text.tsx'
import { Table } from '../table.tsx'
import { PushBadge, progressCells } from './push-badge.tsx'

/** Renders a push that is running or was interrupted, at the top of the page. */
export function UnfinishedPush() {
  const pushes = useLoaded('pushes unfinished', (signal) => api.admin.pushes({ limit: 5, signal }))
  const open = pushes.value?.pushes.find(({ state }) => state === 'interrupted' || state === 'running')
  if (open === undefined) return null
  return (
    <div className={open.state === 'running' ? 'alert alert-note' : 'alert alert-warning'} role="status">
      <p>
        {open.state === 'running' ? 'A push is running: ' : 'A push stopped midway: '}
        {open.stepsDone} of {pluralize(open.stepsTotal, 'step')} done.{' '}
        <Link href={`/plan/${encodeURIComponent(open.id)}`}>
          {open.state === 'running' ? 'Follow it' : 'Show it to resume it'}
        </Link>
      </p>
    </div>
  )
}

export function RecentPushes() {
  const pushes = useLoaded('pushes', (signal) => api.admin.pushes({ limit: 10, signal }))
  return (
    <Card title="Recent pushes" isFlush>
      <Show of={pushes} what="Pushes">
        {({ pushes: list }) =>
          list.length === 0 ? (
            <div className="card-pad">
              <Empty title="No pushes yet">
                <p>
                  Drop files above, or run <code>ratecard billing push</code>.
                </p>
              </Empty>
            </div>
          ) : (
            <PushTable pushes={list} />
          )
        }
      </Show>
    </Card>
  )
}

const PushTable = ({ pushes }: { readonly pushes: readonly PushSummary[] }) => (
  <Table
    caption="Recent pushes"
    columns={[
      'State',
      { name: 'What', isLong: true },
      { name: 'Who', isExtra: true },
      'When',
      { name: 'Steps', isNumber: true },
      '',
    ]}
    rows={pushes.map((push) => ({
      key: push.id,
      cells: [
        <PushBadge state={push.state} />,
        <>
          {push.kind === 'push' ? '' : `${push.kind} · `}version {push.version}
          {push.message === null ? null : (
            <p className="quiet small">
              <Text>{push.message}</Text>
            </p>
          )}
        </>,
        <ShortWho author={push.author} by={push.by} />,
        <Time at={push.createdAt} />,
        ...progressCells(push, `/plan/${encodeURIComponent(push.id)}`, `push ${push.id}`),
      ],
    }))}
  />
)
