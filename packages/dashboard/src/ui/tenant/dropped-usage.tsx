import type { UpcomingInvoice } from '@ratecard/client'
import { pluralize } from '../../words/words.ts'
import { Badge, Time } from '../basic.tsx'
import { Id, Text } from '../text.tsx'

/** Alert about usage that the processor accepted and later dropped. The usage will not be billed, and its sender got no error. */
export function DroppedUsage({ reports }: { readonly reports: UpcomingInvoice['droppedUsage'] }) {
  if (reports === null) return <p className="quiet">It is not known whether the processor dropped usage.</p>
  if (reports.length === 0) return null
  return (
    <div className="stack-small">
      <p>
        <Badge tone="warn">usage dropped</Badge> This usage is not in the invoice. Fix the cause, then report the usage
        again with new identifiers.
      </p>
      <ul className="plain-list small">
        {reports.map((report) => (
          <li key={`${report.at} ${report.processorMeterId ?? ''} ${report.code}`}>
            <Time at={report.at} /> · {pluralize(report.count, 'event')} of{' '}
            <Id>{report.meter ?? report.processorMeterId ?? 'no meter'}</Id>: <Text>{report.message}</Text>{' '}
            <span className="quiet">
              (<Text>{[report.code, ...report.examples.map(({ identifier }) => identifier)].join(', ')}</Text>)
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
}
