// Replaces secrets in the URLs of pulled webhooks by variables, because pulled files are meant for version control.
import type { BillingConfig } from '../../document/schema/schema.ts'

/** A variable that takes the place of a secret, with the secret as its value. */
export interface SecretVariable {
  readonly name: string
  readonly value: string
}

type Webhooks = Pick<BillingConfig, 'webhooks'>

/** Names of URL parameters that usually contain a secret, e.g. `access_token`, `sig`. */
const secretParameter = /token|secret|passw|pwd|auth|credential|signature|^sig$|key|^code$/i
/** A part of a URL that looks random: at least 20 characters with letters and digits, e.g. of `/services/T0/B0/x7Qk…`. */
const looksRandom = /^(?=.*[A-Za-z])(?=.*\d)[\w~-]{20,}$/

/** Returns the document with a variable for each secret in a webhook URL, and the variables. */
export function withoutSecrets<T extends Webhooks>(
  document: T,
): { readonly document: T; readonly variables: SecretVariable[] } {
  const variables: SecretVariable[] = []
  const webhooks = document.webhooks?.map((webhook) => {
    const url = withoutSecret(webhook.url, webhook.id ?? 'webhook', variables)
    return url === webhook.url ? webhook : { ...webhook, url }
  })
  return { document: variables.length === 0 ? document : { ...document, webhooks }, variables }
}

/**
 * Returns the URL with variables in place of secrets, and appends the variables to `variables`. Their names begin with `id`, the id of the
 * webhook.
 */
export function withoutSecret(url: string, id: string, variables: SecretVariable[]): string {
  // A URL with `${` already contains a variable or escaped text, so it is not changed.
  if (!URL.canParse(url) || url.includes('${')) return url
  return secretsOf(new URL(url)).reduce((text, value) => {
    const known = variables.find((variable) => variable.value === value)
    const name = known?.name ?? freeName(id, variables)
    if (known === undefined) variables.push({ name, value })
    return text.replaceAll(value, `\${${name}}`)
  }, url)
}

/** Returns the secrets as they are written in the URL (not decoded), the longest first. */
function secretsOf({ password, username, pathname, search }: URL): string[] {
  const parameters = search
    .slice(1)
    .split('&')
    .map((pair) => [pair.slice(0, Math.max(0, pair.indexOf('='))), pair.slice(pair.indexOf('=') + 1)] as const)
    .filter(([name, value]) => secretParameter.test(name) || looksRandom.test(value))
    .map(([, value]) => value)
  const segments = pathname.split('/').filter((segment) => looksRandom.test(segment))
  const login = password === '' ? username : password
  return (
    [...new Set([login, ...segments, ...parameters])]
      // A shorter value is no secret, and would be found elsewhere in the URL.
      .filter((value) => value.length >= 4)
      .sort((a, b) => b.length - a.length)
  )
}

/** Returns e.g. `BOOKS_HOOK_TOKEN`. The end `TOKEN` marks the variable as a secret, which only webhook URLs may contain. */
function freeName(id: string, variables: readonly SecretVariable[]): string {
  const base = `WEBHOOK_${id.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}`
  for (let number = 1; ; number++) {
    const name = number === 1 ? `${base}_TOKEN` : `${base}_${String(number)}_TOKEN`
    if (!variables.some((variable) => variable.name === name)) return name
  }
}
