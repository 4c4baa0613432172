// Jobs page: long operations on many subscriptions, e.g. applied deals, price migrations and webhook rotations.
import { useState } from 'react'
import { jobWords } from '../../../ratecard/src/base/wording/job-words.ts'
import { api } from '../api.ts'
import { useLoaded } from '../frame/live.ts'
import { Card, Empty, Page, Pager, ShortWho, Show, Time } from '../ui/basic.tsx'
import { Table } from '../ui/table.tsx'
import { JobSubject } from '../ui/job-subject.tsx'
import { PushBadge, progressCells } from '../ui/plan/push-badge.tsx'

const limit = 20

export function Jobs() {
  const [offset, setOffset] = useState(0)
  const jobs = useLoaded(`jobs ${offset}`, (signal) => api.jobs.list({ limit, offset, signal }), { everyMs: 1500 })
  return (
    <Page title="Jobs" lead="Changes of subscriptions and secrets, step by step. You can follow, stop and resume each.">
      <Show of={jobs} what="Jobs">
        {({ jobs: list, pagination }) =>
          list.length === 0 ? (
            <Empty title="No jobs yet">
              <p>
                Applying a deal, changing a subscription, moving subscribers to a new price and rotating a webhook’s
                secret are jobs. Each starts on the page of its tenant, price or webhook, or in the terminal.
              </p>
            </Empty>
          ) : (
            <>
              <Card isFlush>
                <Table
                  caption="Jobs"
                  columns={[
                    'State',
                    'What',
                    { name: 'About', isLong: true },
                    { name: 'Who', isExtra: true },
                    'When',
                    { name: 'Steps', isNumber: true },
                    '',
                  ]}
                  rows={list.map((job) => ({
                    key: job.id,
                    cells: [
                      <PushBadge state={job.state} />,
                      jobWords[job.kind],
                      <JobSubject of={job} />,
                      <ShortWho author={job.author} by={job.by} />,
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
