// Jobs page: long operations on many subscriptions, e.g. applied deals, price migrations and webhook rotations.
import { useState } from 'react'
import { api } from '../api.ts'
import { useLoaded } from '../live.ts'
import { Card, Empty, Page, Pager, Show, Table, Text, Time, Who } from '../ui/basic.tsx'
import { PushBadge, progressCells } from '../ui/push-badge.tsx'

const limit = 20

export const jobWords: Readonly<Record<string, string>> = {
  enterprise_apply: 'deal of a tenant',
  template_move: 'template applied to all its tenants',
  migration: 'subscribers moved to a new price',
  webhook_rotation: 'secret of a webhook rotated',
}

export function Jobs() {
  const [offset, setOffset] = useState(0)
  const jobs = useLoaded(`jobs ${offset}`, (signal) => api.jobs.list({ limit, offset, signal }), { everyMs: 1500 })
  return (
    <Page
      title="Jobs"
      lead="Changes to many subscriptions that run step by step. You can follow, stop and resume each job."
    >
      <Show of={jobs} what="Jobs">
        {({ jobs: list, pagination }) =>
          list.length === 0 ? (
            <Empty title="No jobs yet">
              <p>
                Applying a deal, moving subscribers to a new price (<code>ratecard billing migrate</code>) and rotating
                a webhook’s secret are jobs.
              </p>
            </Empty>
          ) : (
            <>
              <Card isFlush>
                <Table
                  caption="Jobs"
                  columns={['State', 'What', 'About', 'Who', 'When', { name: 'Steps', isNumber: true }, '']}
                  rows={list.map((job) => ({
                    key: job.id,
                    cells: [
                      <PushBadge state={job.state} />,
                      jobWords[job.kind] ?? job.kind,
                      <Text>{job.subject}</Text>,
                      <Who author={job.author} by={job.by} />,
                      <Time at={job.createdAt} />,
                      ...progressCells(job, `/jobs/${encodeURIComponent(job.id)}`, `job ${job.id}`),
                    ],
                  }))}
                />
              </Card>
              <Pager {...pagination} onMove={setOffset} />
            </>
          )
        }
      </Show>
    </Page>
  )
}
