import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { schema } from '../../../packages/sandbox/src/store/state-schema.ts'
import { sandboxForTest } from '../../support/sandbox.ts'

test('a file of version 1 is upgraded with its objects', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'ratecard-sandbox-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true }))
  const account = await sandboxForTest()
  const { id } = await account.stripe.accounts.retrieveCurrent()
  const product = await account.stripe.products.create({ id: 'old', name: 'Old' })
  const { lastResponse: _response, ...body } = product
  const old = new Database(join(dataDir, 'sandbox.db'))
  old.exec(schema)
  old.pragma('user_version = 1')
  const insert = old.prepare("INSERT INTO objects (account, kind, id, body) VALUES (?, 'product', 'old', ?)")
  insert.run(id, JSON.stringify(body))
  old.close()
  const { stripe, control, apiKey } = await sandboxForTest({ dataDir })
  expect(await stripe.products.retrieve('old')).toMatchObject({ name: 'Old' })
  control.advance(60, apiKey)
  expect((await stripe.customers.create()).id).toMatch(/^cus_/)
})

test('the clock of an account is restored with a snapshot and reset with a reset', async () => {
  const { control, apiKey } = await sandboxForTest()
  const start = control.now(apiKey)
  control.advance(100, apiKey)
  control.snapshot('later', apiKey)
  control.advance(100, apiKey)
  expect(control.now(apiKey)).toBe(start + 200)
  control.restore('later')
  expect(control.now(apiKey)).toBe(start + 100)
  control.reset(apiKey)
  expect(control.now(apiKey)).toBe(start)
})
