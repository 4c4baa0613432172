import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { decodeText, utf8Hint } from '../../base/utf8.ts'
import { CliFailure } from '../failure.ts'

/** Maximum file size (32 MiB), several times the server's limit for a document. */
const maxBytes = 32 * 1024 * 1024
/** Timeout (ms) for a pipe that delivers no data. Reading is synchronous, so Ctrl-C has no effect while it waits. */
const pipeMs = 5_000
const pauseMs = 10

/**
 * Reads a file, or a pipe such as `<(…)`. Errors contain the path. Refuses devices and endless files, because an untrusted configuration
 * could name such a file.
 */
export function readText(file: string): string {
  try {
    return readBounded(file)
  } catch (error) {
    // Add the path, because the error of reading a directory does not contain it.
    throw error instanceof Error ? Object.assign(error, { path: file }) : error
  }
}

function readBounded(file: string): string {
  // Open without blocking, because opening a pipe without a writer would hang.
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stats = fstatSync(descriptor)
    if (!stats.isFile() && !stats.isFIFO() && !stats.isDirectory()) throw fileUnfit(`${file} is a device, not a file.`)
    if (stats.size > maxBytes) throw tooLarge(file)
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
    if (read === 0) return textOf(file, Buffer.concat(chunks))
    if (read === null) {
      if (performance.now() - silentSince > pipeMs) throw fileUnfit(`${file} is a pipe that delivers no data.`)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs)
      continue
    }
    silentSince = performance.now()
    size += read
    if (size > maxBytes) throw tooLarge(file)
    chunks.push(chunk.subarray(0, read))
  }
}

/** Returns the number of bytes read; null if no data is available yet. */
function readSome(descriptor: number, into: Buffer): number | null {
  try {
    return readSync(descriptor, into)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return null
    throw error
  }
}

const tooLarge = (file: string) => fileUnfit(`${file} is larger than ${maxBytes / 1024 / 1024} MB.`)

function textOf(file: string, bytes: Buffer): string {
  const { text, problem } = decodeText(bytes)
  if (problem !== null) throw fileUnfit(`${file} ${problem}`, utf8Hint)
  return text
}

function fileUnfit(detail: string, hint = 'Name a text file.'): CliFailure {
  return new CliFailure(1, {
    code: 'file_unfit',
    title: 'The file cannot be read',
    detail,
    hint,
  })
}
