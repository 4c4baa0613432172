// Runs the service from its sources. `node --watch` restarts it after each change.
import { runProcess } from '../packages/ratecard/src/cli/main.ts'

process.argv.splice(2, 0, 'server', 'start')
await runProcess()
