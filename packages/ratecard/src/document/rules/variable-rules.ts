// Decides which variables may be expanded in a document, and at which places. A document can be published and is sent to the processor, and
// a pull request may contain a document of an untrusted author. So credentials must not be expanded.

/** Names of variables that are never expanded: settings of Ratecard itself, and common credentials that may be in the same environment. */
const neverExpanded = /^(?:(?:RATECARD|STRIPE|AWS|GITHUB|NPM|SSH)_|DATABASE_URL$)/i
const likeSecret = /(?:KEY|SECRET|TOKEN|PASSWORD)$/i

/** True if a value of this variable must be shown as `${NAME}`, e.g. for `HOOK_TOKEN`. */
export function isSecretName(name: string): boolean {
  return likeSecret.test(name)
}

/** Returns the reason why the variable must not be expanded at this path of the document; null if it may. */
export function whyForbidden(
  name: string,
  path: readonly (string | number)[],
): { detail: string; hint: string } | null {
  if (neverExpanded.test(name))
    return {
      detail: `The variable ${name} may hold a credential (RATECARD_*, STRIPE_*, AWS_* …) and is never expanded.`,
      hint: 'If the document needs this value, put it into a variable with another name.',
    }
  if (!isSecretName(name) || isWebhookUrl(path)) return null
  return {
    detail: `The variable ${name} has the name of a secret, and only the URL of a webhook may contain a secret.`,
    hint: 'If the value is not a secret, rename the variable. The value is sent to the processor, and may become public.',
  }
}

function isWebhookUrl([list, index, field, ...rest]: readonly (string | number)[]): boolean {
  return list === 'webhooks' && typeof index === 'number' && field === 'url' && rest.length === 0
}
