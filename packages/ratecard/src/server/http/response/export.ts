// Streams the export of invoices: as CSV, or as one JSON object with one line per row.
import { Readable } from 'node:stream'
import { exportColumns, ExportRow, type ExportRow as Row } from '../../../api/customers/invoices.ts'
import { toWire } from '../../../api/notation/case-conversion.ts'
import { toRfc3339 } from '../../../base/clock.ts'
import type { Recency } from '../../../api/notation/mirrored.ts'

interface Export extends Recency {
  readonly rows: AsyncIterable<Row>
}

/** Minimum size (bytes) of a chunk of the stream, so that short rows are not sent as separate packets. */
const chunkLength = 16 * 1024

/**
 * Returns the stream. Waits for the first row, so that a failure before it becomes an ordinary error response. A later failure cuts the
 * connection.
 */
export async function exportStream({ rows, ...recency }: Export, format: 'csv' | 'json'): Promise<Readable> {
  const iterator = rows[Symbol.asyncIterator]()
  const first = await iterator.next()
  const lines = format === 'csv' ? csvLines(iterator, first) : jsonLines(iterator, first, recency)
  return Readable.from(inChunks(lines), { objectMode: false })
}

async function* csvLines(rows: AsyncIterator<Row>, first: IteratorResult<Row>): AsyncGenerator<string> {
  yield `${exportColumns.join(',')}\n`
  for (let next = first; next.done !== true; next = await rows.next()) {
    const row = toWire(ExportRow, next.value)
    yield `${exportColumns.map((column) => csvCell(row[column])).join(',')}\n`
  }
}

async function* jsonLines(
  rows: AsyncIterator<Row>,
  first: IteratorResult<Row>,
  { asOf, stale }: Recency,
): AsyncGenerator<string> {
  yield `{"as_of":${JSON.stringify(toRfc3339(asOf))},${stale ? '"stale":true,' : ''}"rows":[`
  let separator = '\n'
  for (let next = first; next.done !== true; next = await rows.next()) {
    yield `${separator}${JSON.stringify(toWire(ExportRow, next.value))}`
    separator = ',\n'
  }
  yield '\n]}\n'
}

function csvCell(value: string | null): string {
  if (value === null) return ''
  return /[",\n\r]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value
}

async function* inChunks(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let collected = ''
  for await (const line of lines) {
    collected += line
    if (collected.length < chunkLength) continue
    yield collected
    collected = ''
  }
  if (collected !== '') yield collected
}
