import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { CliFailure } from '../failure.ts'

/** Several times what the server takes. */
const mostBytes = 32 * 1024 * 1024
/** How long a pipe may bring nothing: nobody could stop the command meanwhile. */
const pipeMs = 5_000
const pauseMs = 10

/**
 * The text of a file, or of a pipe such as `<(…)`; a failure names it. Devices and endless files are refused: a configuration that
 * somebody else wrote may name any.
 */
export function readText(file: string): string {
  try {
    return readBounded(file)
  } catch (error) {
    // A directory can be opened, and the failure to read from it no longer knows the name.
    throw error instanceof Error ? Object.assign(error, { path: file }) : error
  }
}

function readBounded(file: string): string {
  // Opening a pipe that nobody writes to would wait for ever.
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stats = fstatSync(descriptor)
    if (!stats.isFile() && !stats.isFIFO() && !stats.isDirectory()) throw unfit(`${file} is a device, not a file.`)
    if (stats.size > mostBytes) throw tooLarge(file)
    return readAll(file, descriptor)
  } finally {
    closeSync(descriptor)
  }
}

function readAll(file: string, descriptor: number): string {
  const chunks: Buffer[] = []
  let size = 0
  let silentSince = performance.now()
  for (;;) {
    const chunk = Buffer.allocUnsafe(64 * 1024)
    const read = readSome(descriptor, chunk)
    if (read === 0) return Buffer.concat(chunks).toString('utf8')
    if (read === null) {
      if (performance.now() - silentSince > pipeMs) throw unfit(`${file} is a pipe that brings nothing.`)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs)
      continue
    }
    silentSince = performance.now()
    size += read
    if (size > mostBytes) throw tooLarge(file)
    chunks.push(chunk.subarray(0, read))
  }
}

/** null: nothing yet. */
function readSome(descriptor: number, into: Buffer): number | null {
  try {
    return readSync(descriptor, into)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return null
    throw error
  }
}

const tooLarge = (file: string) => unfit(`${file} is larger than ${mostBytes / 1024 / 1024} MB.`)

function unfit(detail: string): CliFailure {
  return new CliFailure(1, {
    code: 'file_unfit',
    title: 'The file cannot be read',
    detail,
    hint: 'Name a file of text.',
  })
}
