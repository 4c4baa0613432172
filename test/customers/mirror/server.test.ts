import { expect, onTestFinished, test } from 'vitest'
import { startServer } from '../../../packages/ratecard/src/server/composition/main.ts'
import { temporaryFolder } from '../../support/folder.ts'

test('a started service fills its mirror, counts its reads, and shows the age of the mirror in the doctor', async () => {
  const key = 'rk_of_a_started_service'
  const settings = { RATECARD_HOST: '127.0.0.1', RATECARD_SANDBOX_PORT: '0', RATECARD_WORKERS: 'off' }
  const env = { ...settings, RATECARD_SERVICE_KEY: key, RATECARD_LOG_LEVEL: 'silent', HOME: temporaryFolder() }
  const server = await startServer({ env, port: 0, dataDir: temporaryFolder(), out: () => undefined })
  onTestFinished(() => server.closeAtOnce())
  const mirror = async () => (await server.service.doctor()).find(({ check }) => check === 'mirror')
  await expect.poll(async () => (await mirror())?.detail).toMatch(/^complete until /)
  const metrics = await (await fetch(`${server.url}/metrics`, { headers: { 'x-service-key': key } })).text()
  expect(metrics).toMatch(/^ratecard_processor_reads_total [1-9]/m)
  expect(metrics).toMatch(/^ratecard_processor_requests_total\{outcome="ok"\} [1-9]/m)
  expect(metrics).toMatch(/^ratecard_mirror_lag_seconds \d/m)
  expect(metrics).toMatch(/^ratecard_mirror_corrections_total 0/m)
})
