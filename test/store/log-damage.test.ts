// The check of a write-ahead log tells a damaged commit from one that a crash cut off, and from what an earlier log left in the file.
import { copyFileSync, readFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { damageIn, logDamage } from '../../packages/ratecard/src/store/sql/maintenance/log-damage.ts'
import { temporaryFolder } from '../support/folder.ts'

/** Makes a log by `write`, and returns its content. */
function logOf(write: (database: Database.Database) => void): Buffer {
  const file = `${temporaryFolder()}/a.db`
  const database = new Database(file)
  database.pragma('journal_mode = WAL')
  database.exec('create table t (a integer primary key, b text)')
  write(database)
  const log = readFileSync(`${file}-wal`)
  database.close()
  return log
}

const insert = (count: number) => (database: Database.Database) => {
  const row = database.prepare('insert into t (b) values (?)')
  for (let index = 0; index < count; index++) row.run('x'.repeat(500))
}

test('a whole log has no damage, wherever a crash cuts it off', () => {
  const log = logOf(insert(40))
  for (let length = 33; length <= log.length; length += 397) expect(damageIn(log.subarray(0, length))).toBeNull()
  expect(damageIn(log)).toBeNull()
})

test('a log whose last frame was cut off within its page has no damage', () => {
  const log = logOf(insert(40))
  log.fill(0, log.length - 3000)
  expect(damageIn(log)).toBeNull()
})

test('a log that begins anew over an earlier one has no damage', () => {
  const log = logOf((database) => {
    insert(60)(database)
    database.pragma('wal_checkpoint(restart)')
    insert(5)(database)
  })
  expect(damageIn(log)).toBeNull()
  for (let length = 33; length <= log.length; length += 1237) expect(damageIn(log.subarray(0, length))).toBeNull()
})

test('each bit that flips before the last commit is found, in pages, in headers of frames and in the header of the log', () => {
  const log = logOf(insert(12))
  const frame = 24 + 4096
  const last = log.length - 2 * frame
  for (let place = 0; place < last; place += 61) {
    const damaged = Buffer.from(log)
    damaged[place] = (damaged[place] ?? 0) ^ (1 << (place % 8))
    // What is no part of a checksum: the salts of a frame are compared with those of the log.
    expect([place, damageIn(damaged) !== null]).toEqual([place, true])
  }
})

test('a store without a log has no damaged one', () => {
  const file = `${temporaryFolder()}/b.db`
  new Database(file).exec('create table t (a)').close()
  copyFileSync(file, `${file}.copy`)
  expect(logDamage(file)).toBeNull()
})
