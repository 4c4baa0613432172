// Section of the sandbox's page: programs of other people that run against it, as the tests in test/sandbox/clients hold them.
import { authPlugin, sdk, syncEngine, triggers } from '../../test/sandbox/clients/outcomes.ts'
import type { ForeignClient, Outcome } from '../../test/sandbox/clients/outcomes.ts'
import { code, table } from './markdown.ts'

const clients: readonly ForeignClient[] = [sdk, syncEngine, authPlugin]

function outcomeText(outcome: Outcome): string {
  if (outcome === 'works') return 'works'
  return `Does not work: “… ${outcome.error}”. ${outcome.reason}`
}

function clientBlocks({ title, versions, note, jobs }: ForeignClient): string[] {
  return [
    `### ${title}`,
    [`${versions.map(code).join(', ')}.`, note].filter(Boolean).join(' '),
    table(
      ['Job', 'Against the sandbox'],
      Object.entries(jobs).map(([job, outcome]) => [job, outcomeText(outcome)]),
    ),
  ]
}

function triggerBlocks(): string[] {
  const refused = triggers.refused.flatMap(({ events }) => [...events])
  const emitted = triggers.count - refused.length - triggers.sequences.length
  return [
    `### ${triggers.title}`,
    `${triggers.versions.map(code).join(', ')}. Of its ${String(triggers.count)} triggers, ${String(emitted)} emit their event, and ` +
      `${triggers.sequences.map(code).join(' and ')} run: they are not names of events. ${code('billing_portal.session.created')} needs a ` +
      'portal configuration, as at Stripe. These do not run:',
    table(
      ['Triggers', 'Reason'],
      triggers.refused.map(({ events, reason }) => [events.map(code).join(', '), reason]),
    ),
  ]
}

export function foreignClients(): string[] {
  return [
    '## Programs that run against it',
    'The tests of each release run these programs, unchanged, against the sandbox. They do the jobs of the tables.',
    ...clients.flatMap(clientBlocks),
    ...triggerBlocks(),
  ]
}
