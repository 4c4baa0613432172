// Which variables a document may expand, and where. A document is published and sent to the processor, and in a pull request
// anybody may have written it: what opens other doors must not get into it.

/** Of the product itself and of what commonly stands beside it in an environment. */
const neverExpanded = /^(?:(?:RATECARD|STRIPE|AWS|GITHUB|NPM|SSH)_|DATABASE_URL$)/i
const likeSecret = /(?:KEY|SECRET|TOKEN|PASSWORD)$/i

/** Whether the value is to be shown as `${NAME}` wherever people look. */
export function isSecretName(name: string): boolean {
  return likeSecret.test(name)
}

/** Why a variable must not be expanded at this place of the document; null when it may. */
export function whyForbidden(
  name: string,
  path: readonly (string | number)[],
): { detail: string; hint: string } | null {
  if (neverExpanded.test(name))
    return {
      detail: `The variable ${name} opens other doors and is never expanded.`,
      hint: 'Put what the document needs into a variable of its own.',
    }
  if (!isSecretName(name) || isWebhookUrl(path)) return null
  return {
    detail: `The variable ${name} is a secret by its name, and only the url of a webhook may hold one.`,
    hint: 'Rename the variable if it is no secret: what stands here is sent to the processor, and may be public.',
  }
}

function isWebhookUrl([list, index, field, ...rest]: readonly (string | number)[]): boolean {
  return list === 'webhooks' && typeof index === 'number' && field === 'url' && rest.length === 0
}
