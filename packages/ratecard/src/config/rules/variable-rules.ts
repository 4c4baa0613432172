// Variables that a document may expand, and where. A document is published and sent to the processor, and a pull request may contain one
// from an untrusted author, so credentials must not get into it.

/** Variables of Ratecard itself and common credentials of the same environment. */
const neverExpanded = /^(?:(?:RATECARD|STRIPE|AWS|GITHUB|NPM|SSH)_|DATABASE_URL$)/i
const likeSecret = /(?:KEY|SECRET|TOKEN|PASSWORD)$/i

/** True if the value is to be shown as `${NAME}` instead, e.g. for `HOOK_TOKEN`. */
export function isSecretName(name: string): boolean {
  return likeSecret.test(name)
}

/** Reason why a variable must not be expanded at this path of the document; null if it may. */
export function whyForbidden(
  name: string,
  path: readonly (string | number)[],
): { detail: string; hint: string } | null {
  if (neverExpanded.test(name))
    return {
      detail: `The variable ${name} may hold a credential (RATECARD_*, STRIPE_*, AWS_* …) and is never expanded.`,
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
