import { expect, test } from 'vitest'
import { CliFailure } from '../../../packages/ratecard/src/cli/failure.ts'
import { createPaint } from '../../../packages/ratecard/src/cli/terminal/terminal-text.ts'
import { showFailure } from '../../../packages/ratecard/src/cli/views/problem.ts'

const failed = (detail: string) =>
  showFailure(
    new CliFailure(1, {
      code: 'processor_rejected',
      title: 'The processor rejected the request',
      detail,
      processor: { message: 'No such tax code.', request_id: 'req_1' },
      extra: { push_id: 'push-1', steps_done: 1, steps_total: 5 },
    }),
    createPaint(false),
  )

test('the error about a failed push contains the processor’s message and the number of steps only once', () => {
  const shown = failed('The push stopped at create of price "pro", after 1 of 5 steps. No such tax code.')
  expect(shown.split('\n')).toEqual([
    'Error: The processor rejected the request. (processor_rejected)',
    '  The push stopped at create of price "pro", after 1 of 5 steps.',
    '  Message from the processor: No such tax code. (request_id req_1)',
    '  Push push-1. What customers see has not changed: `ratecard billing pushes push-1` shows each step.',
  ])
})

test('the error about a failed push contains the number of steps in the line about the push if the detail does not contain it', () => {
  expect(failed('It stopped.')).toContain('  It stopped.\n')
  expect(failed('It stopped.')).toContain('Push push-1 ended after 1 of 5 steps. ')
})
