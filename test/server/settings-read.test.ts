// A documented variable that is not read would be accepted and have no effect.
import { expect, test } from 'vitest'
import { readSettings, settingsSchema, unknownSettings } from '../../packages/ratecard/src/server/settings.ts'
import { refusedWith } from '../support/shop/refused.ts'

/** A value of each variable that is not its default. */
const other: Readonly<Record<keyof typeof settingsSchema.properties, string>> = {
  RATECARD_HOST: '127.0.0.2',
  RATECARD_PORT: '5000',
  RATECARD_DATA_DIR: '/var/lib/elsewhere',
  DATABASE_URL: 'postgres://localhost/ratecard',
  RATECARD_SERVICE_KEY: 'rk_of_this_test_0000',
  RATECARD_MASTER_KEY: 'v1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=',
  STRIPE_SECRET_KEY: 'sk_test_of_this_test',
  STRIPE_API_BASE: 'http://127.0.0.1:1',
  RATECARD_SANDBOX_PORT: '5001',
  RATECARD_PUBLIC_URL: 'https://billing.example.com',
  RATECARD_ALLOWED_REDIRECTS: 'https://app.example.com',
  RATECARD_REQUIRE_VERSION_BUMP: 'true',
  RATECARD_IMPACT_THRESHOLD: '5',
  RATECARD_ENVIRONMENT: 'staging',
  RATECARD_SESSION_TRIAL_DAYS: '1',
  RATECARD_SESSION_MAX_QUANTITY: '7',
  RATECARD_CUSTOMERS_MAY: 'cancel',
  RATECARD_PAST_DUE_GRACE_DAYS: '3',
  RATECARD_MIRROR: 'off',
  RATECARD_MIRROR_POLL_SECONDS: '7',
  RATECARD_PROCESSOR_EVENTS_SECRET: 'whsec_of_this_test',
  RATECARD_WORKERS: 'off',
  RATECARD_WORKER_ALLOWED_HOSTS: 'db.internal',
  RATECARD_WORKER_DOMAIN: 'workers.example.com',
  RATECARD_WORKER_SANDBOX: 'none',
  RATECARD_WORKER_LOG_DAYS: '1',
  RATECARD_WORKER_IDLE_MINUTES: '1',
  RATECARD_RATE_LIMIT: '1',
  RATECARD_TRUSTED_PROXIES: '127.0.0.1',
  RATECARD_MAX_CONNECTIONS: '100',
  RATECARD_SHUTDOWN_DELAY_SECONDS: '1',
  RATECARD_LOG_LEVEL: 'debug',
}

test('each documented environment variable changes a setting', () => {
  const names = Object.keys(settingsSchema.properties) as (keyof typeof other)[]
  const without = (name: string) => Object.fromEntries(Object.entries(other).filter(([one]) => one !== name))
  const all = JSON.stringify(readSettings(other))
  // Another setting may be refused without this one. Then the variable counts as read if the error names it as a whole word.
  const isRead = (name: string) => {
    let settings = ''
    const refusal = refusedWith(() => (settings = JSON.stringify(readSettings(without(name)))))
    return refusal === null ? settings !== all : new RegExp(`\\b${name}\\b`).test(refusal.message)
  }
  expect(names.filter((name) => !isRead(name))).toEqual([])
})

test.each(['RATECARD_CUSTOMERS_MAY', 'RATECARD_ALLOWED_REDIRECTS'])(
  '%s that is set and empty allows nothing',
  (name) => {
    const settings = readSettings({ [name]: '' })
    expect(name === 'RATECARD_CUSTOMERS_MAY' ? settings.customersMay : settings.allowedRedirects).toEqual([])
    const unset = readSettings({})
    expect([unset.customersMay, unset.allowedRedirects]).toEqual([['change', 'cancel', 'resume'], null])
  },
)

test('any other setting that is set and empty has its default', () => {
  const empty = Object.fromEntries(
    Object.keys(other).flatMap((name) =>
      ['RATECARD_CUSTOMERS_MAY', 'RATECARD_ALLOWED_REDIRECTS'].includes(name) ? [] : [[name, '']],
    ),
  )
  expect(readSettings(empty)).toEqual(readSettings({}))
})

test('a variable whose name begins like that of a setting and is none is named, with the nearest setting', () => {
  const env = { RATECARD_PROT: '1', RATECARD_ZZZZZZZZZZ: '1', RATECARD_PORT: '1', RATECARD_API_URL: 'x', OTHER: '1' }
  expect(unknownSettings(env)).toEqual([
    'RATECARD_PROT is no setting. Did you mean RATECARD_PORT?',
    'RATECARD_ZZZZZZZZZZ is no setting.',
  ])
})
