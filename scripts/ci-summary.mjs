// Prints `N passed, N failed`, summed over the JSON reports in the given folder. A test file that failed to load counts as one failure.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

const folder = process.argv[2]
if (folder === undefined) throw new Error('usage: ci-summary.mjs <folder>')

let passed = 0
let failed = 0
for (const name of readdirSync(folder).filter((file) => file.endsWith('.json'))) {
  const report = JSON.parse(readFileSync(path.join(folder, name), 'utf8'))
  const unloaded = report.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0)
  passed += report.numPassedTests
  failed += report.numFailedTests + unloaded.length
}

console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1
