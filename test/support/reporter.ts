import type { Reporter } from 'vitest/node'
import { takeSkips } from './skips.ts'

/** Ends the run with the parts that were skipped and why. With `CI=true` a skipped part fails the run. */
export default class SkippedPartsReporter implements Reporter {
  onTestRunEnd(): void {
    const skips = takeSkips()
    if (skips.length === 0) return
    const inCi = process.env['CI'] === 'true'
    if (inCi) process.exitCode = 1
    // On exit, so that these are the last lines whatever the other reporters still print.
    process.once('exit', () => {
      console.log(inCi ? 'Skipped, which CI does not accept:' : 'Skipped here:')
      for (const { part, reason } of skips) console.log(`  ${part}: ${reason}`)
    })
  }
}
