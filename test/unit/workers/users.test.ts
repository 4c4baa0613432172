import { readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { seccompProgram } from '../../../packages/ratecard/src/workers/runtime/workerd/confinement/seccomp.ts'
import { openUsers } from '../../../packages/ratecard/src/workers/runtime/workerd/confinement/users.ts'
import { temporaryFolder } from '../../support/folder.ts'

test('two services of one machine never give two processes the same user', async () => {
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

test('what a dead service had claimed is free again, what a live one has is not', async () => {
  const place = temporaryFolder()
  const held = await (await openUsers(place)).claim()
  writeFileSync(path.join(place, '64500'), `${String(process.pid)} 1`)
  writeFileSync(path.join(place, '64501'), '')
  await openUsers(place)
  expect(readdirSync(place)).toEqual([String(held.id)])
})

test('the filter of system calls is whole instructions, and made only for machines whose calls are known', () => {
  for (const machine of ['x64', 'arm64']) {
    const program = seccompProgram(machine)
    expect([program === null, (program?.length ?? 1) % 8]).toEqual([false, 0])
  }
  expect(seccompProgram('riscv64')).toBeNull()
})
