// Webhooks page: webhook endpoints at the processor. The page requests a signing secret only when the user reveals it.
import { useLayoutEffect, useRef, useState } from 'react'
import type { WebhookListing } from '@ratecard/client'
import { api } from '../api.ts'
import { useAct, useLoaded } from '../frame/live.ts'
import { useMayAct } from '../session.ts'
import { useActor } from '../ui/actor.tsx'
import { Badge, Card, Copy, Empty, Facts, Page, Problem, Show, Time } from '../ui/basic.tsx'
import { Id, Text } from '../ui/text.tsx'
import { Confirm, Outcome } from '../ui/dialog.tsx'
import { pluralize } from '../words/words.ts'

export function Webhooks() {
  const webhooks = useLoaded('webhooks', (signal) => api.admin.webhooks({ secrets: false, signal }))
  return (
    <Page title="Webhooks" lead="Endpoints that the processor delivers events to, and their signing secrets.">
      <Show of={webhooks} what="Webhooks">
        {(list) =>
          list.length === 0 ? (
            <Empty title="No webhooks yet">
              <p>
                Add one to <code>webhooks</code> in your files and push them.
              </p>
            </Empty>
          ) : (
            list.map((webhook) => <Webhook key={webhook.id} webhook={webhook} />)
          )
        }
      </Show>
    </Page>
  )
}

function Webhook({ webhook }: { readonly webhook: WebhookListing }) {
  const mayAct = useMayAct()
  const [isRotating, setRotating] = useState(false)
  return (
    <Card
      title={<Text>{webhook.id}</Text>}
      aside={
        mayAct && webhook.processorId !== null ? (
          <button type="button" className="button" onClick={() => setRotating(true)}>
            Rotate the secret …
          </button>
        ) : null
      }
    >
      <div className="stack">
        <Facts
          rows={[
            ['URL', <Text key="url">{webhook.url}</Text>],
            ['Since', webhook.createdAt === null ? '—' : <Time key="at" at={webhook.createdAt} />],
            ['At the processor', webhook.processorId === null ? '—' : <Id key="id">{webhook.processorId}</Id>],
          ]}
        />
        <details>
          <summary>{pluralize(webhook.events.length, 'event')}</summary>
          <p className="row details-body">
            {webhook.events.map((event) => (
              <Badge key={event}>{event}</Badge>
            ))}
          </p>
        </details>
        {mayAct ? <Secret webhook={webhook} /> : null}
      </div>
      {isRotating ? <Rotate webhook={webhook} onClose={() => setRotating(false)} /> : null}
    </Card>
  )
}

function Secret({ webhook }: { readonly webhook: WebhookListing }) {
  const reveal = useAct(async () => {
    const found = (await api.admin.webhooks()).find(({ id }) => id === webhook.id)
    return found?.secret ?? null
  })
  // The button that was pressed goes, so the focus goes to the button that takes its place.
  const place = useRef<HTMLDivElement>(null)
  const isShown = typeof reveal.value === 'string'
  const wasShown = useRef(isShown)
  useLayoutEffect(() => {
    if (wasShown.current !== isShown) place.current?.querySelector<HTMLElement>('button:last-of-type')?.focus()
    wasShown.current = isShown
  }, [isShown])
  if (!webhook.secretKnown)
    return (
      <p className="quiet">
        The secret is unknown, because the endpoint was created outside of Ratecard. Rotate it to get a new one.
      </p>
    )
  return (
    <div className="secret" aria-live="polite" ref={place}>
      {reveal.value === undefined || reveal.value === null ? (
        <button type="button" className="button" aria-disabled={reveal.isRunning} onClick={() => void reveal.run()}>
          Show the secret
        </button>
      ) : (
        <>
          <code>{reveal.value}</code>
          <Copy text={reveal.value} />
          <button type="button" className="button button-small" onClick={reveal.reset}>
            Hide
          </button>
        </>
      )}
      {reveal.error === null ? null : <Problem error={reveal.error} />}
    </div>
  )
}

const overlaps = { '0': 'at once', '3600': 'after an hour', '86400': 'after a day', '604800': 'after a week' } as const

function Rotate({ webhook, onClose }: { readonly webhook: WebhookListing; readonly onClose: () => void }) {
  const [overlap, setOverlap] = useState('86400')
  const { actor, fields } = useActor()
  const rotate = useAct(() => api.admin.rotateWebhook(webhook.id, { ...actor, overlapSeconds: Number(overlap) }))
  const made = rotate.value
  if (made !== undefined)
    return (
      <Outcome title="The new secret" onClose={onClose}>
        <p>
          Give this secret to your application. Until the old endpoint is switched off, deliveries are signed with
          either the old or the new secret.
        </p>
        <div className="secret">
          <code>{made.secret}</code>
          <Copy text={made.secret} />
        </div>
        <p className="quiet">
          The old endpoint stays live until <Time at={made.previous.liveUntil} />.
        </p>
      </Outcome>
    )
  return (
    <Confirm
      title={`Rotate the secret of ${webhook.id}?`}
      act="Rotate"
      isRunning={rotate.isRunning}
      error={rotate.error}
      onConfirm={() => void rotate.run()}
      onClose={onClose}
    >
      <p>
        A new endpoint with a new secret is created. Both endpoints deliver events until the old one is switched off.
      </p>
      <label className="field">
        <span className="field-label">Switch off the old endpoint</span>
        <select className="select" value={overlap} onChange={(event) => setOverlap(event.target.value)}>
          {Object.entries(overlaps).map(([seconds, words]) => (
            <option key={seconds} value={seconds}>
              {words}
            </option>
          ))}
        </select>
      </label>
      {fields}
    </Confirm>
  )
}
