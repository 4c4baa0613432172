// Finds damage in the write-ahead log of an embedded store. SQLite drops a log from its first wrong checksum on, because it cannot tell a write
// that a crash cut off from a damaged one. But each frame's checksum continues that of the frame before: where later commits follow a wrong
// frame, the log was whole once. Format: https://sqlite.org/fileformat2.html#walformat
import { existsSync, readFileSync } from 'node:fs'

const headerBytes = 32
const frameHeaderBytes = 24
const magic = 0x377f0682

interface Sum {
  readonly a: number
  readonly b: number
}

/** Returns the position (bytes) of a frame that is damaged although it was committed once; null if there is none. */
export function logDamage(storeFile: string): number | null {
  const file = `${storeFile}-wal`
  if (!existsSync(file)) return null
  const log = readFileSync(file)
  return log.length <= headerBytes ? null : damageIn(log)
}

/** See {@link logDamage}, for the content of a log. */
export function damageIn(log: Buffer): number | null {
  const bigEndian = (log.readUInt32BE(0) & 1) === 1
  const stored = log.readUInt32BE(8)
  const pageBytes = stored === 1 ? 65_536 : stored
  const whole = sumOf(log.subarray(0, 24), bigEndian, { a: 0, b: 0 })
  const header = sumAt(log, 24)
  const isValid = (log.readUInt32BE(0) & ~1) === magic && isSame(whole, header)
  // Of a log with a damaged header, nothing can be read. A header is written before the first frame, so that frames prove that it was whole.
  if (!isValid) return log.length > headerBytes + frameHeaderBytes ? 0 : null
  const frameBytes = frameHeaderBytes + pageBytes
  let sums: readonly Sum[] = [header]
  let wrong: number | null = null
  for (let at = headerBytes; at + frameBytes <= log.length; at += frameBytes) {
    const frame = log.subarray(at, at + frameBytes)
    const own = sumAt(frame, 16)
    const computed = sums.map((sum) => frameSum(frame, bigEndian, sum))
    const follows = computed.some((one) => isSame(one, own))
    const isOfLog = frame.compare(log, 16, 24, 8, 16) === 0
    // A later commit of this log continues the wrong frame, so that frame was committed before. Frames of an earlier log may follow, too.
    if (wrong !== null && follows && isOfLog && isCommit(frame)) return wrong
    if (follows && isOfLog) sums = [own]
    else {
      if (wrong !== null && !follows) return null
      wrong ??= at
      sums = [own, ...computed]
    }
  }
  return null
}

const isCommit = (frame: Buffer) => frame.readUInt32BE(4) !== 0
const sumAt = (bytes: Buffer, at: number): Sum => ({ a: bytes.readUInt32BE(at), b: bytes.readUInt32BE(at + 4) })
const isSame = (one: Sum, other: Sum) => one.a === other.a && one.b === other.b

/** Returns the checksum of one frame of the log: of the first eight bytes of its header, and of its page, continued from the frame before. */
const frameSum = (frame: Buffer, bigEndian: boolean, from: Sum): Sum =>
  sumOf(frame.subarray(frameHeaderBytes), bigEndian, sumOf(frame.subarray(0, 8), bigEndian, from))

function sumOf(bytes: Buffer, bigEndian: boolean, from: Sum): Sum {
  let { a, b } = from
  const word = (at: number) => (bigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at))
  for (let at = 0; at + 8 <= bytes.length; at += 8) {
    a = (a + word(at) + b) >>> 0
    b = (b + word(at + 4) + a) >>> 0
  }
  return { a, b }
}
