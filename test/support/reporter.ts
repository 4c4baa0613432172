import path from 'node:path'
import type { Reporter, TestModule, Vitest } from 'vitest/node'
import { takeSkips, type SkippedPart } from './skips.ts'

const root = path.resolve(import.meta.dirname, '../..')

/**
 * The skipped tests of a file as parts of the list. A test that was skipped with a note (`context.skip('needs bubblewrap')`) is one part,
 * which CI accepts: it depends on the machine, and the other tests of its file ran. All others are one `unexplained` part.
 */
function skippedIn(module: TestModule) {
  const file = path.relative(root, module.moduleId)
  const explained: SkippedPart[] = []
  let unexplained = 0
  for (const test of module.children.allTests('skipped')) {
    const result = test.result()
    if (result.state === 'skipped' && result.note !== undefined)
      explained.push({ part: `${file} > ${test.fullName}`, reason: result.note, accepted: true })
    else unexplained += 1
  }
  return { file, explained, unexplained }
}

/**
 * Prints the skipped parts and their reasons at the end of the run. With `CI=true` a skipped part fails the run. Skipped tests in a file
 * that announced no skip fail every run.
 */
export default class SkippedPartsReporter implements Reporter {
  #vitest: Vitest | undefined

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const announced = takeSkips()
    // With `-t`, the tests that the pattern excludes count as skipped too.
    const filtered = Boolean(this.#vitest?.getGlobalTestNamePattern())
    const files = filtered ? [] : modules.map(skippedIn)
    const skips = [...announced, ...files.flatMap(({ explained }) => explained)]
    const unannounced = files.filter(
      ({ file, unexplained }) => unexplained > 0 && announced.every((skip) => skip.file !== file),
    )
    const inCi = process.env['CI'] === 'true'
    const refused = inCi && skips.some(({ accepted }) => accepted !== true)
    if (refused || unannounced.length > 0) process.exitCode = 1
    // Printed on exit, so that these lines follow the output of all other reporters.
    process.once('exit', () => {
      if (skips.length > 0) console.log(refused ? 'Skipped, which CI does not accept:' : 'Skipped here:')
      for (const { part, reason } of skips) console.log(`  ${part}: ${reason}`)
      for (const { file, unexplained } of unannounced)
        console.log(
          `${file}: ${unexplained.toString()} skipped without a reason. Call announceSkip (test/support/skips.ts).`,
        )
    })
  }
}
