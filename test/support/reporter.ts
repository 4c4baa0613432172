import type { Reporter } from 'vitest/node'
import { takeSkips } from './skips.ts'

/** Prints the skipped parts and their reasons at the end of the run. With `CI=true` a skipped part fails the run. */
export default class SkippedPartsReporter implements Reporter {
  onTestRunEnd(): void {
    const skips = takeSkips()
    if (skips.length === 0) return
    const inCi = process.env['CI'] === 'true'
    if (inCi) process.exitCode = 1
    // Printed on exit, so that these lines follow the output of all other reporters.
    process.once('exit', () => {
      console.log(inCi ? 'Skipped, which CI does not accept:' : 'Skipped here:')
      for (const { part, reason } of skips) console.log(`  ${part}: ${reason}`)
    })
  }
}
