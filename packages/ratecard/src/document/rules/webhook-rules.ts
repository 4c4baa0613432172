import { entryName, errorIssue, quoteValue, warningIssue, type Rule } from './draft.ts'
import { mask } from '../../base/wording/masked-url.ts'
import { webhookEvents } from '../schema/webhook-events.generated.ts'

const knownEvents = new Set(webhookEvents)

const masked = {
  detail: `contains ${mask}, which stands for what a key of scope "read" does not see`,
  hint: 'Write the secret part again, e.g. with a variable, or pull the document with a key of scope "write".',
}

// The message must not contain the URL, because after expansion the URL may contain a token.
export const webhookUrl: Rule = ({ webhooks }) =>
  webhooks.flatMap((webhook) => {
    const url = webhook.text('url')
    const wrong = url === undefined || url === '' ? undefined : url.includes(mask) ? masked : whyUnusable(url)
    return wrong === undefined
      ? []
      : [
          errorIssue(
            'webhook_url_invalid',
            webhook.at('url'),
            `The URL of ${entryName('webhook', webhook, 'the')} ${wrong.detail}.`,
            wrong.hint,
          ),
        ]
  })

export const knownWebhookEvents: Rule = ({ webhooks, suggest }) =>
  webhooks.flatMap((webhook) =>
    webhook
      .list('events')
      .flatMap((event, index) =>
        typeof event !== 'string' || event === '' || knownEvents.has(event)
          ? []
          : [
              errorIssue(
                'webhook_event_unknown',
                `${webhook.at('events')}/${index}`,
                `The processor has no event ${quoteValue(event)}.`,
                suggest(event, webhookEvents),
              ),
            ],
      ),
  )

export const distinctWebhookEvents: Rule = ({ webhooks }) =>
  webhooks.flatMap((webhook) => {
    const seen = new Set<unknown>()
    return webhook.list('events').flatMap((event, index) => {
      const repeated = typeof event === 'string' && seen.has(event)
      seen.add(event)
      return repeated
        ? [
            errorIssue(
              'webhook_event_duplicate',
              `${webhook.at('events')}/${index}`,
              `The event ${quoteValue(event)} is listed twice.`,
              'Remove one of the two.',
            ),
          ]
        : []
    })
  })

export const webhookHasId: Rule = ({ webhooks }) =>
  webhooks.flatMap((webhook) =>
    webhook.has('id') || !webhook.has('url')
      ? []
      : [
          warningIssue(
            'webhook_id_missing',
            webhook.pointer,
            'The webhook has no id: when its URL is edited, it becomes a new endpoint with a new secret.',
            'Add an `id`.',
          ),
        ],
  )

function whyUnusable(url: string): { detail: string; hint?: string } | undefined {
  if (url.includes('${'))
    return {
      detail: 'still contains a variable ("${")',
      hint: 'Set the variable in the environment, or in the environment file of the command.',
    }
  const parsed = URL.canParse(url) && !/\s/.test(url) ? new URL(url) : undefined
  if (parsed === undefined) return { detail: 'is not a URL', hint: 'Write a complete URL, e.g. "https://host/path".' }
  if (parsed.protocol === 'https:') return undefined
  if (parsed.protocol === 'http:' && isLoopback(parsed.hostname)) return undefined
  return { detail: 'is not https', hint: 'Use https; http is allowed for this machine (localhost) only.' }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || /^127(\.\d{1,3}){3}$/.test(host) || host === '[::1]'
}
