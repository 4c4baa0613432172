import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Readable } from 'node:stream'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import type { ExportQuery } from '@ratecard/client'
import type { Command } from '../../program/command.ts'
import { usageFailure } from '../../failure.ts'
import { connect } from '../../server-address.ts'

export const invoicesExport: Command = {
  name: 'invoices export',
  summary: 'Export all invoices, one-time payments, credit notes and refunds of a period',
  description:
    'Prints one row for each finalized invoice, credit note and refund, oldest first, with amounts in units of the currency. The first and the last day (UTC) are included.',
  options: [
    { flags: '--from <day>', description: 'First day, YYYY-MM-DD. Default: the day of the oldest row.' },
    { flags: '--to <day>', description: 'Last day, YYYY-MM-DD.', defaultText: 'today' },
    { flags: '--format <format>', description: 'Format of the rows.', choices: ['csv', 'json'], defaultText: 'csv' },
    { flags: '--out <file>', description: 'File to write, completely or not at all. Default: stdout.' },
  ],
  examples: [
    {
      command: 'ratecard invoices export --from 2030-01-01 --to 2030-01-31 --out january.csv',
      what: 'the invoices of January, for your accountant',
    },
  ],
  run: async (context) => {
    const { options, global, io, out } = context
    const format = (options.text('format') ?? (global.json ? 'json' : 'csv')) as NonNullable<ExportQuery['format']>
    if (global.json && format === 'csv')
      throw usageFailure('--json and --format csv cannot be combined.', 'Choose one.')
    const { client } = connect(context)
    const query = { from: options.text('from'), to: options.text('to'), format, signal: io.signal }
    const rows = await client.money.exportInvoices(query)
    const file = options.text('out')
    if (file === undefined) {
      const decoder = new TextDecoder()
      for await (const chunk of rows) io.stdout.write(decoder.decode(chunk, { stream: true }))
      return {}
    }
    const target = path.resolve(io.cwd, file)
    await writeWhole(target, rows, io.signal)
    out.say(`${out.paint.green('✓')} Wrote ${file}.`)
    return { json: { output: target } }
  },
}

/** Writes a stream to a draft beside the file and renames it, so that a broken connection leaves no incomplete export. */
async function writeWhole(file: string, rows: NodeReadableStream<Uint8Array>, signal: AbortSignal): Promise<void> {
  const draft = `${file}.${randomUUID()}.tmp`
  try {
    await pipeline(Readable.fromWeb(rows), createWriteStream(draft), { signal })
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}
