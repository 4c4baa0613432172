import { readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { seccompProgram } from '../../../packages/ratecard/src/workers/runtime/workerd/confinement/seccomp.ts'
import { openUsers } from '../../../packages/ratecard/src/workers/runtime/workerd/confinement/users.ts'
import { temporaryFolder } from '../../support/folder.ts'

test('two services on one machine never give two processes the same user id', async () => {
  const place = temporaryFolder()
  const [one, other] = [await openUsers(place), await openUsers(place)]
  const claimed = await Promise.all(Array.from({ length: 400 }, (_, index) => (index % 2 === 0 ? one : other).claim()))
  expect(new Set(claimed.map(({ id }) => id)).size).toBe(400)
  const first = claimed[0]
  await first?.release()
  const rest = await Promise.all(Array.from({ length: 601 }, () => one.claim()))
  expect(rest.map(({ id }) => id)).toContain(first?.id)
  await expect(other.claim()).rejects.toThrow('More than 1000 worker processes')
})

test('user ids of a stopped service can be used again, and those of a running service cannot', async () => {
  const place = temporaryFolder()
  const held = await (await openUsers(place)).claim()
  writeFileSync(path.join(place, '64500'), `${String(process.pid)} 1`)
  writeFileSync(path.join(place, '64501'), '')
  await openUsers(place)
  expect(readdirSync(place)).toEqual([String(held.id)])
})

test('the seccomp filter consists of whole 8-byte instructions on x64 and arm64, and is null on other architectures', () => {
  for (const machine of ['x64', 'arm64']) {
    const program = seccompProgram(machine)
    expect([program === null, (program?.length ?? 1) % 8]).toEqual([false, 0])
  }
  expect(seccompProgram('riscv64')).toBeNull()
})
