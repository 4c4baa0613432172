// Drift page: objects that were edited at the processor outside of Ratecard.
import { useEffect, type ReactNode } from 'react'
import { Link } from 'wouter'
import type { DriftReport, PriceDocument } from '@ratecard/client'
import { asEdits, changeWord, driftText, kindWord } from '../../../ratecard/src/base/wording/change-words.ts'
import { api } from '../api.ts'
import { noteDrift } from '../frame/attention.ts'
import { useCatalog } from '../frame/catalog.ts'
import { useLoaded } from '../frame/live.ts'
import { useMayAct } from '../session.ts'
import { Badge, Card, Empty, Page, Show } from '../ui/basic.tsx'
import { Id, Text } from '../ui/text.tsx'
import { Table } from '../ui/table.tsx'
import {
  amountFields,
  currencyChanges,
  leafChanges,
  percentChange,
  sidesOf,
  type Amounts,
} from '../amounts/price-change.ts'
import { NamedChange } from '../ui/plan/changes.tsx'
import { PriceChange } from '../ui/price/price-change.tsx'
import { money, percentText, shown } from '../words/words.ts'

export function Drift() {
  const mayAct = useMayAct()
  const drift = useLoaded('drift', (signal) => api.admin.drift({ signal }))
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
          {({ inSync, differences, unmanaged, revision, version }) => (
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
                <Card title="Edited at the processor" isFlush>
                  <EditTable edits={asEdits(differences)} />
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

type Edit = DriftReport['differences'][number]

/** One edited value: its name, in the price list, and at the processor now. */
interface EditedValue {
  readonly name: string
  readonly ours: ReactNode
  readonly theirs: ReactNode
  /** Tables of tiers, which need the width of the page. */
  readonly below?: ReactNode
}

const sides = ['In your price list', 'At the processor now'] as const

/** Renders all edits in one table, a row for each value. */
function EditTable({ edits }: { readonly edits: readonly Edit[] }) {
  const catalog = useCatalog()
  return (
    <Table
      caption="Edited values"
      columns={['What', 'Field', ...sides]}
      rows={edits.flatMap((edit) =>
        editedValues(edit, catalog?.prices.get(edit.configId)?.price).map(({ name, ours, theirs, below }) => ({
          key: `${edit.kind} ${edit.configId} ${name}`,
          cells: [
            <>
              <span className="quiet small">{kindWord(edit.kind)}</span> <NamedChange of={edit} />
            </>,
            name,
            ours,
            theirs,
          ],
          ...(below === undefined ? {} : { below }),
        })),
      )}
    />
  )
}

function editedValues(edit: Edit, known: PriceDocument | undefined): readonly EditedValue[] {
  if (edit.fields.length === 0)
    return [{ name: '—', ours: 'as in your files', theirs: changeWord(edit.action, 'drift') }]
  const others = edit.fields.filter(({ field }) => edit.kind !== 'price' || !amountFields.has(field))
  const isMoney = others.length < edit.fields.length
  return [
    ...(isMoney ? editedAmounts(edit, known) : []),
    ...others.flatMap(({ field, before, after }) =>
      leafChanges(before ?? null, after ?? null).map((leaf) => ({
        name: [field, leaf.path]
          .filter((part) => part !== '')
          .join('.')
          .replaceAll('_', ' '),
        ours: valueText(field, leaf.before),
        theirs: valueText(field, leaf.after),
      })),
    ),
  ]
}

function valueText(field: string, value: unknown): ReactNode {
  if (field === 'active') return value === false ? 'switched off' : 'on'
  return value === null || value === undefined ? 'none' : <Text>{shown(value)}</Text>
}

const isTieredSide = (amounts: Amounts | null) => amounts !== null && amounts.tiers !== null

/** Amounts by currency as money, and the tables of tiers below one row for each currency that has some. */
function editedAmounts(edit: Edit, known: PriceDocument | undefined): readonly EditedValue[] {
  const both = sidesOf(edit, known)
  const changed = currencyChanges(both).filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after))
  const isTiered = changed.some(({ before, after }) => isTieredSide(before) || isTieredSide(after))
  if (isTiered)
    return [
      {
        name: 'tiers',
        ours: '—',
        theirs: 'below',
        below: <PriceChange sides={both} names={sides} id={edit.configId} />,
      },
    ]
  return changed.map(({ currency, before, after }) => {
    const text = (amount: string | null | undefined) =>
      amount === null || amount === undefined ? 'not sold' : money(amount, currency)
    const percent = percentChange(before?.amount ?? null, after?.amount ?? null)
    return {
      name: `amount in ${currency.toUpperCase()}`,
      ours: text(before?.amount),
      theirs: (
        <>
          {text(after?.amount)} {percent === null ? null : <span className="quiet">{percentText(percent)}</span>}
        </>
      ),
    }
  })
}
