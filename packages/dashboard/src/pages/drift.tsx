// Drift page: objects that were edited at the processor outside of Ratecard.
import { useEffect } from 'react'
import { Link } from 'wouter'
import { asEdits, driftText, kindWord } from '../../../ratecard/src/base/wording/change-words.ts'
import { api } from '../api.ts'
import { noteDrift } from '../frame/attention.ts'
import { useLoaded } from '../frame/live.ts'
import { useMayAct } from '../session.ts'
import { Badge, Card, Empty, Id, Page, Show, Table, Text } from '../ui/basic.tsx'
import { pricesById } from '../amounts/price-change.ts'
import { Changes } from '../ui/plan/changes.tsx'

export function Drift() {
  const mayAct = useMayAct()
  const drift = useLoaded('drift', async (signal) => {
    const found = await api.admin.drift({ signal })
    // The price list gives the currency of an edited amount.
    const { config } = await api.admin.config({ signal })
    return { ...found, prices: pricesById(config) }
  })
  useEffect(() => {
    if (drift.value !== undefined) noteDrift(drift.value)
  }, [drift.value])
  const isEmpty = drift.error?.code === 'config_not_found'
  return (
    <Page
      title="Drift"
      lead="Compares the last applied version with the live objects at the processor."
      actions={
        isEmpty ? undefined : (
          <button type="button" className="button" disabled={drift.isLoading} onClick={drift.reload}>
            {drift.isLoading ? 'Comparing …' : 'Compare again'}
          </button>
        )
      }
    >
      {isEmpty ? (
        <Empty title="Nothing was applied yet">
          <p>
            <Link href="/plan">Push a price list</Link> first. Drift is measured against it.
          </p>
        </Empty>
      ) : (
        <Show of={drift} what="Drift">
          {({ inSync, differences, unmanaged, revision, version, prices }) => (
            <>
              <div className={inSync ? 'alert alert-good' : 'alert alert-warning'} role="status">
                <p>
                  <b>
                    {inSync ? 'In sync. ' : ''}
                    {driftText({ inSync, differences }, `revision ${revision} (version ${version})`)}
                  </b>
                </p>
                {inSync ? null : (
                  <>
                    <p>You have three options:</p>
                    <ul className="issues">
                      <li>
                        Keep the edits: run <code>ratecard billing pull</code> <code className="nowrap">--update</code>,
                        which writes them into your files, and push.
                      </li>
                      <li>
                        Overwrite the edits: {mayAct ? <Link href="/plan">plan your files</Link> : 'plan your files'}{' '}
                        and choose “Plan to overwrite these edits”.
                      </li>
                      <li>Undo the edits at the processor, then compare again.</li>
                    </ul>
                  </>
                )}
              </div>
              {differences.length === 0 ? null : (
                <Card title="Edited at the processor">
                  <Changes
                    changes={asEdits(differences)}
                    prices={prices}
                    names={['In your price list', 'At the processor now']}
                    tense="drift"
                  />
                </Card>
              )}
              <Card title="Not managed here" isFlush={unmanaged.length > 0}>
                {unmanaged.length === 0 ? (
                  <p className="quiet">
                    Ratecard manages every active product, price, coupon and other catalog object of the account.
                  </p>
                ) : (
                  <>
                    <p className="quiet card-words">
                      These objects are active at the processor, but are not in your files. Pushes leave them alone. To
                      manage one, take it into your files with <code>ratecard billing pull</code>{' '}
                      <code className="nowrap">--update --all</code>, and push.
                    </p>
                    <Table
                      caption="Objects that are not managed"
                      columns={['Kind', 'Name', 'Id at the processor']}
                      rows={unmanaged.map((one) => ({
                        key: one.processorId,
                        cells: [
                          <Badge>{kindWord(one.kind)}</Badge>,
                          one.name === null ? '—' : <Text>{one.name}</Text>,
                          <Id>{one.processorId}</Id>,
                        ],
                      }))}
                    />
                  </>
                )}
              </Card>
            </>
          )}
        </Show>
      )}
    </Page>
  )
}
