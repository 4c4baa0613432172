// The service from its sources, started again by `node --watch` whenever one of them changes.
import { runProcess } from '../packages/ratecard/src/cli/main.ts'

process.argv.splice(2, 0, 'server', 'start')
await runProcess()
