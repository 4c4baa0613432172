import type { WebhookListing } from '@ratecard/client'
import type { Command } from '../../../program/command.ts'
import { CliFailure } from '../../../failure.ts'
import { connect } from '../../../server-address.ts'
import { jsonWebhook } from '../../../views/text/json.ts'
import { formatTable } from '../../../views/text/table.ts'

export const billingWebhookSecret: Command = {
  name: 'billing webhook secret',
  summary: 'Show the signing secrets of webhooks',
  description: 'With one webhook, or with an id, only the secret is printed, so that it can be piped.',
  arguments: [{ name: '[id]', description: 'Id of the webhook.' }],
  examples: [
    { command: 'ratecard billing webhook secret', what: 'print the secret, or a table if there are several webhooks' },
    { command: 'export WEBHOOK_SECRET=$(ratecard billing webhook secret lifecycle_hook)', what: 'into a variable' },
  ],
  run: async (context) => {
    const { args, io, out } = context
    const all = await connect(context).client.admin.webhooks({ signal: io.signal })
    const [id] = args
    const webhooks = id === undefined ? all : all.filter((webhook) => webhook.id === id || webhook.processorId === id)
    const [only] = webhooks
    if (only === undefined) throw noSuchWebhook(id, all)
    if (webhooks.length === 1) {
      out.print(secretOf(only))
      return { json: { webhooks: [jsonWebhook(only)] } }
    }
    out.print(
      formatTable(
        ['id', 'url', 'secret'],
        webhooks.map((webhook) => [
          webhook.id,
          webhook.url,
          webhook.secret ?? out.paint.yellow(webhook.secretKnown ? 'hidden from this key' : 'unknown'),
        ]),
        out,
      ),
    )
    if (webhooks.some(({ secretKnown }) => !secretKnown)) out.note(`\n${whyUnknown}`)
    return { json: { webhooks: webhooks.map(jsonWebhook) } }
  },
}

const whyUnknown =
  'The processor shows a secret only when the endpoint is created. For an endpoint that was created elsewhere, copy the secret from the processor’s dashboard. Or give the webhook another id and push: that creates a new endpoint with a known secret.'

function secretOf(webhook: WebhookListing): string {
  if (webhook.secret !== null) return webhook.secret
  if (webhook.secretKnown)
    throw new CliFailure(1, {
      code: 'key_scope',
      title: 'The service key may not see secrets',
      detail: `A key with scope "read" cannot see the signing secret of the webhook "${webhook.id}".`,
      hint: 'Use a key with the scope "write".',
    })
  throw new CliFailure(1, {
    code: 'secret_unknown',
    title: 'The secret is not known',
    detail: `The signing secret of the webhook "${webhook.id}" is not known to Ratecard.`,
    hint: whyUnknown,
  })
}

function noSuchWebhook(id: string | undefined, all: readonly WebhookListing[]): CliFailure {
  const names = all.map((webhook) => webhook.id)
  return new CliFailure(1, {
    code: 'webhook_not_found',
    title: 'No such webhook',
    detail: id === undefined ? 'The configuration has no webhook.' : `No webhook has the id "${id}".`,
    hint: names.length === 0 ? 'Add one under `webhooks` and push.' : `There are: ${names.join(', ')}.`,
  })
}
