// Drift page: objects that were edited at the processor outside of Ratecard.
import { Link } from 'wouter'
import { api } from '../api.ts'
import { useLoaded } from '../live.ts'
import { useMayAct } from '../session.ts'
import { Badge, Card, Empty, Id, Page, Show, Table, Text } from '../ui/basic.tsx'
import { Changes } from '../ui/changes.tsx'
import { kindWords, pluralize } from '../words.ts'

export function Drift() {
  const mayAct = useMayAct()
  const drift = useLoaded('drift', (signal) => api.admin.drift({ signal }))
  const isEmpty = drift.error?.code === 'config_not_found'
  return (
    <Page
      title="Drift"
      lead="Compares the last applied version with the live objects at the processor."
      actions={
        <button type="button" className="button" disabled={drift.isLoading} onClick={drift.reload}>
          {drift.isLoading ? 'Comparing …' : 'Compare again'}
        </button>
      }
    >
      {isEmpty ? (
        <Empty title="Nothing was applied yet">
          <p>Push a price list first. Drift is measured against it.</p>
        </Empty>
      ) : (
        <Show of={drift} what="Comparing">
          {({ inSync, differences, unmanaged, revision, version }) => (
            <>
              <div className={inSync ? 'alert alert-good' : 'alert alert-warning'} role="status">
                <p>
                  <b>{inSync ? 'In sync' : pluralize(differences.length, 'difference')}</b> with revision {revision}{' '}
                  (version {version}).
                </p>
                {inSync ? null : (
                  <p>
                    Three ways out: take the edits into your files with <code>ratecard billing pull</code>{' '}
                    <code className="nowrap">--update</code>; undo them at the processor; or{' '}
                    {mayAct ? <Link href="/plan">plan</Link> : 'plan'} your files to overwrite them.
                  </p>
                )}
              </div>
              {differences.length === 0 ? null : (
                <Card title="Edited at the processor">
                  <Changes changes={differences} />
                </Card>
              )}
              <Card title="Not managed here" isFlush={unmanaged.length > 0}>
                {unmanaged.length === 0 ? (
                  <p className="quiet">Everything in the account belongs to the price list.</p>
                ) : (
                  <Table
                    caption="Objects that are not managed"
                    columns={['Kind', 'Name', 'Id at the processor']}
                    rows={unmanaged.map((one) => ({
                      key: one.processorId,
                      cells: [
                        <Badge>{kindWords[one.kind] ?? one.kind}</Badge>,
                        one.name === null ? '—' : <Text>{one.name}</Text>,
                        <Id>{one.processorId}</Id>,
                      ],
                    }))}
                  />
                )}
              </Card>
            </>
          )}
        </Show>
      )}
    </Page>
  )
}
