import { readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { BillingConfig, Webhook } from '../../../packages/ratecard/src/document/schema/schema.ts'
import { createSealer, generateMasterKey } from '../../../packages/ratecard/src/store/seal.ts'
import { openStore } from '../../../packages/ratecard/src/store/sql/open-store.ts'
import { nobody, startStack } from '../../support/stack.ts'
import { startedForEach } from '../../support/started.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { serviceOver } from '../../support/parts.ts'

const stack = startedForEach(startStack)

const withHook = (hook: Partial<Webhook> = {}, version = '1.0.0'): BillingConfig => ({
  version,
  products: [{ id: 'p', name: 'P' }],
  webhooks: [{ id: 'hook', url: 'https://app.example.com/hook', events: ['invoice.paid'], ...hook }],
})

async function onlyHook() {
  const [hook] = await stack.service.listWebhooks({ secrets: true })
  if (hook === undefined) throw new Error('no webhook')
  return hook
}

describe('the signing secret of a webhook', () => {
  test('is stored when the webhook is created, and can be shown at any later time', async () => {
    await stack.service.push(withHook(), nobody)
    expect(await onlyHook()).toMatchObject({
      id: 'hook',
      secretKnown: true,
      secret: expect.stringMatching(/^whsec_/) as string,
    })
  })

  test('is unchanged if the URL or the events are edited', async () => {
    await stack.service.push(withHook(), nobody)
    const before = await onlyHook()
    const outcome = await stack.service.push(
      withHook({ url: 'https://app.example.com/v2', events: ['*'] }, '1.1.0'),
      nobody,
    )
    expect(outcome.changes.webhooks).toEqual({ created: [], updated: ['hook'], unchanged: [] })
    expect(await onlyHook()).toMatchObject({
      processorId: before.processorId,
      secret: before.secret,
      url: 'https://app.example.com/v2',
    })
  })

  test('is unchanged if a webhook is removed and restored, because its endpoint is only disabled', async () => {
    await stack.service.push(withHook(), nobody)
    const before = await onlyHook()
    const { webhooks: _webhooks, ...without } = withHook({}, '1.1.0')
    const removed = await stack.service.push(without, nobody)
    expect(removed.details).toMatchObject([{ kind: 'webhook', action: 'archive', configId: 'hook' }])
    expect((await stack.stripe.webhookEndpoints.list()).data[0]?.status).toBe('disabled')
    await stack.service.push(withHook({}, '1.2.0'), nobody)
    expect(await onlyHook()).toMatchObject({ processorId: before.processorId, secret: before.secret })
  })

  test('is shown as unknown after the webhook was adopted', async () => {
    const theirs = await stack.stripe.webhookEndpoints.create({
      url: 'https://app.example.com/hook',
      enabled_events: ['invoice.paid'],
    })
    await stack.service.push(withHook({ processor_id: theirs.id }), nobody)
    expect(await onlyHook()).toMatchObject({ processorId: theirs.id, secret: null, secretKnown: false })
  })

  test('is stored even if the response to the creation was lost, because the endpoint is created again', async () => {
    stack.sandbox.control.fail({ kind: 'cut_body', method: 'POST', path: '/v1/webhook_endpoints', count: 9 })
    await expect(stack.service.push(withHook(), nobody)).rejects.toMatchObject({ code: 'processor_timeout' })
    stack.sandbox.control.clearFaults()
    await stack.service.push(withHook(), nobody)
    expect((await stack.stripe.webhookEndpoints.list()).data).toHaveLength(1)
    expect((await onlyHook()).secretKnown).toBe(true)
  })

  test('is not stored as plain text in the database or the journal', async () => {
    const folder = temporaryFolder()
    const store = await openStore({
      url: null,
      file: path.join(folder, 'ratecard.db'),
      sealer: createSealer(generateMasterKey()),
    })
    const service = serviceOver({ store, processor: stack.processor })
    const outcome = await service.push(withHook(), nobody)
    const secret = (await service.listWebhooks({ secrets: true }))[0]?.secret ?? ''
    expect(secret).toMatch(/^whsec_/)
    expect(JSON.stringify(await service.findPush(outcome.pushId ?? ''))).not.toContain(secret)
    await store.close()
    for (const file of readdirSync(folder)) expect(readFileSync(path.join(folder, file)).includes(secret)).toBe(false)
  })
})
